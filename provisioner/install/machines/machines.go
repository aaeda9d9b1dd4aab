// Package machines starts a cluster's machines: load balancers, masters and all other nodes.
package machines

import (
	"context"
	"strings"
	"sync"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/state"
)

// Cloud is the part of Exoscale's API that machines are started with. Every Ensure method searches by name and label
// first; the action is the outcome.
type Cloud interface {
	EnsureAntiAffinityGroup(ctx context.Context, name, description string) (id string, action state.Action, err error)
	// EnsureAttached attaches an elastic IP to a machine.
	EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
	// FindPublicTemplate returns the newest public template of that name.
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	// EnsureInstances creates the missing machines, identified by name and the label "exoshift-cluster", and waits until
	// each of them runs and has its address; told is called once for each, one at a time.
	EnsureInstances(ctx context.Context, wanted []state.Instance, told func(state.Instance, state.Action)) error
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
}

// Deps is what machines are started with.
type Deps struct {
	Spec      state.Spec
	Folder    state.Folder
	Cloud     Cloud
	IsPreview bool // nothing is changed, neither in the cloud nor in the folder

	SecurityGroups *network.SecurityGroups
	ElasticIPs     *network.ElasticIPs
	DNS            *network.DNS
	AntiAffinity   *AntiAffinityGroups
	Image          *nodeimage.Image
	Generator      *generation.Generator
	// DeployTarget returns the ID of the hypervisors to use, "" for any.
	DeployTarget func() string
}

// Machines starts machines and knows those that it has started.
type Machines struct {
	Deps
	states provisioner.LastStates // of nodes

	mu        sync.Mutex                // guards instances
	instances map[string]state.Instance // by name
}

// New returns the machines of a cluster.
func New(of Deps) *Machines { return &Machines{Deps: of, instances: map[string]state.Instance{}} }

// Find returns a machine that was started, or found running.
func (m *Machines) Find(name string) (state.Instance, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	instance, known := m.instances[name]
	return instance, known
}

// Record takes over a machine that runs.
func (m *Machines) Record(instance state.Instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.instances[instance.Name] = instance
}

// RecordStates takes over the states of machines from the cloud.
func (m *Machines) RecordStates(machines []state.Instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, machine := range machines {
		if known, started := m.instances[machine.Name]; started {
			known.State = machine.State
			m.instances[machine.Name] = known
		}
	}
}

// EnsureMasters starts the masters.
func (m *Machines) EnsureMasters(ctx context.Context, report provisioner.Report) error {
	return m.startNodes(ctx, report, m.Spec.Machines(state.RoleMaster))
}

// EnsureComputeMachines starts every other node.
func (m *Machines) EnsureComputeMachines(ctx context.Context, report provisioner.Report) error {
	return m.startNodes(ctx, report, m.Spec.ComputeNodes())
}

func (m *Machines) startNodes(ctx context.Context, report provisioner.Report, nodes []state.Machine) error {
	if err := m.Start(ctx, report, nodes, m.Image.Template(), m.buildNodeDocument); err != nil {
		return err
	}
	for _, node := range nodes {
		instance, _ := m.Find(node.Name)
		m.EmitNode(report, provisioner.Event{State: NodeBooting, Name: node.Name, Role: string(node.Role), Machine: instance.State})
	}
	if m.IsPreview {
		return nil
	}
	return m.Generator.RemoveSecrets() // the bootstrap may have ended before these machines ran
}

func (m *Machines) buildNodeDocument(machine state.Machine) ([]byte, error) {
	return ignition.RenderNodePointer(machine, m.Spec.Domain(), m.Generator.Ignition().RootCA)
}

// Start starts those machines that do not exist yet, and publishes their addresses. An existing machine keeps its user
// data.
func (m *Machines) Start(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData func(state.Machine) ([]byte, error)) error {
	if err := m.ensureInstances(ctx, report, machines, template, userData); err != nil {
		return err
	}
	return m.DNS.Publish(ctx, report, machines, m.findAddress)
}

func (m *Machines) ensureInstances(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData func(state.Machine) ([]byte, error)) error {
	wanted, err := m.buildInstances(ctx, machines, template, userData)
	if err != nil {
		return err
	}
	return m.Cloud.EnsureInstances(ctx, wanted, func(instance state.Instance, action state.Action) {
		report.EmitObject(state.KindInstance, instance.Name, instance.ID, string(action))
		m.Record(instance)
	})
}

// Only missing machines get user data. It is stored before the call, so that it is known even if the answer is lost.
func (m *Machines) buildInstances(ctx context.Context, machines []state.Machine, template state.Template, userData func(state.Machine) ([]byte, error)) ([]state.Instance, error) {
	there, err := m.Cloud.ListInstances(ctx, m.Spec.Labels())
	if err != nil {
		return nil, err
	}
	exists := map[string]bool{}
	for _, instance := range there {
		exists[instance.Name] = true
	}
	wanted := make([]state.Instance, len(machines))
	for n, machine := range machines {
		wanted[n] = m.newInstance(machine, template)
		if exists[machine.Name] || m.IsPreview {
			continue
		}
		if wanted[n].UserData, err = userData(machine); err != nil {
			return nil, err
		}
		if err := m.Folder.SaveUserData(machine.Name, wanted[n].UserData); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

func (m *Machines) newInstance(machine state.Machine, template state.Template) state.Instance {
	labels := m.Spec.Labels()
	labels[state.LabelRole] = string(machine.Role)
	if machine.Role != state.RoleLoadBalancer {
		labels[state.LabelRootCA] = generation.FormatRootCALabel(m.Generator.Ignition().RootCAHash)
	}
	return state.Instance{
		Name: machine.Name, Type: machine.Type, TemplateID: template.ID, DiskGiB: machine.RootDisk + machine.DataDisk,
		Labels: labels, DeployTarget: m.DeployTarget(),
		SecurityGroups: m.SecurityGroups.ListIDs(machine.Role), AntiAffinityGroups: m.AntiAffinity.listIDs(machine),
		Protected: machine.Role == state.RoleMaster && m.Spec.Exoscale.ProtectMasters,
	}
}

// In a preview machines that do not exist yet have none.
func (m *Machines) findAddress(machine state.Machine) (string, error) {
	instance, _ := m.Find(machine.Name)
	switch {
	case instance.Address != "":
		return instance.Address, nil
	case m.IsPreview:
		return "(the address of " + machine.Name + ")", nil
	}
	return "", fault.Newf(fault.Internal, "publish the address of "+machine.Name, "the machine has none")
}

// States of a node in its events.
const (
	NodeBooting  = "Booting" // the machine runs; the node has not registered
	NodeNotReady = "NotReady"
	NodeReady    = "Ready"
)

// EmitNode emits the state of a node if it has changed.
func (m *Machines) EmitNode(report provisioner.Report, event provisioner.Event) {
	event.Type = provisioner.TypeNode
	if m.states.Update("node/"+event.Name, event.State+" "+event.Reason+" "+event.Machine+" "+event.Client+" "+event.Serving) {
		report(event)
	}
}

// ListBootingMasters returns the masters whose machines run and that have not registered.
func (m *Machines) ListBootingMasters() []string {
	var silent []string
	for _, master := range m.Spec.Machines(state.RoleMaster) {
		if strings.HasPrefix(m.states.Get("node/"+master.Name), NodeBooting) {
			silent = append(silent, master.Name)
		}
	}
	return silent
}
