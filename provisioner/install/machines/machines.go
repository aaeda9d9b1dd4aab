// Package machines starts a cluster's machines: load balancers, masters and all other nodes.
package machines

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/assets"
	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/state"
	"exoshift/state/privatenetwork"
)

// Cloud is the part of Exoscale's API that machines are started with. Every Ensure method searches by name and label
// first; the action is the outcome.
type Cloud interface {
	EnsureAntiAffinityGroup(ctx context.Context, name, description string) (id string, action state.Action, err error)
	// EnsureAttached attaches an elastic IP to a machine.
	EnsureAttached(ctx context.Context, elasticIPID, instanceID string) (state.Action, error)
	// EnsureInNetwork gives a machine an interface on a private network.
	EnsureInNetwork(ctx context.Context, network privatenetwork.Network, instance state.Instance) (state.Action, error)
	// ListAttached returns the IDs of the elastic IPs that are attached to a machine.
	ListAttached(ctx context.Context, instanceID string) ([]string, error)
	// StartInstance starts a machine that is stopped, and waits until it runs.
	StartInstance(ctx context.Context, id string) (state.Action, error)
	// FindPublicTemplate returns the newest public template of that name.
	FindPublicTemplate(ctx context.Context, name string) (state.Template, error)
	// EnsureInstances creates the missing machines, identified by name and the label "exoshift-cluster", and waits until
	// each of them runs and has its address.
	EnsureInstances(ctx context.Context, wanted []state.Instance, observer state.InstanceObserver) error
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
	// EnsureInstancePool creates the pool, or has it grow to its size, and waits until each of its machines runs and has its address.
	EnsureInstancePool(ctx context.Context, wanted state.InstancePool, observer state.InstanceObserver) (state.InstancePool, state.Action, error)
	// ListInstancePools returns the pools that have all the labels.
	ListInstancePools(ctx context.Context, labels map[string]string) ([]state.InstancePool, error)
}

// Authority is where new nodes of a cluster that runs get their trust from.
type Authority interface {
	// ReadNodeAuthority returns the certificates, as PEM, by which a new node verifies the machine config server at a host now.
	ReadNodeAuthority(ctx context.Context, host string, now time.Time) ([]byte, error)
}

// Deps is what machines are started with.
type Deps struct {
	Spec      state.Spec
	Folder    state.Folder
	Facts     *state.FactsStore
	Cloud     Cloud
	Clock     provisioner.Clock
	IsPreview bool // nothing is changed, neither in the cloud nor in the folder

	SecurityGroups *network.SecurityGroups
	ElasticIPs     *network.ElasticIPs
	PrivateNetwork *network.PrivateNetwork
	DNS            *network.DNS
	AntiAffinity   *AntiAffinityGroups
	Image          *nodeimage.Image
	Generator      *generation.Generator
	Authority      Authority // nil: nodes trust the authority that the installation has generated
	// DeployTarget returns the ID of the hypervisors to use, "" for any.
	DeployTarget func() string
}

// Machines starts machines and knows those that it has started.
type Machines struct {
	Deps
	states  provisioner.LastStates // of nodes
	masters *provisioner.Milestone // the API has accepted the creation of every master

	mu        sync.Mutex                // guards instances
	instances map[string]state.Instance // by name
}

// New returns the machines of a cluster.
func New(of Deps) *Machines {
	return &Machines{Deps: of, masters: provisioner.NewMilestone(), instances: map[string]state.Instance{}}
}

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

// StepMasters is the ID of the step that runs EnsureMasters.
const StepMasters = "master-machines"

// EnsureMasters starts the masters. While etcd is recovered, those without a machine get one when it is their turn.
func (m *Machines) EnsureMasters(ctx context.Context, report provisioner.Report) error {
	defer m.masters.Miss()
	facts := m.Facts.Get()
	masters := slices.DeleteFunc(m.Spec.Machines(state.RoleMaster), func(master state.Machine) bool {
		return facts.Recovery != nil && slices.Contains(facts.Recovery.Gone, master.Name) && facts.FindRemoval(master.Name) == nil
	})
	return m.startNodes(ctx, report, masters, m.masters.Reach)
}

// EnsureComputeMachines starts every other node. None is requested before every master was: where a quota or the zone has no
// room for all, there is a control plane.
func (m *Machines) EnsureComputeMachines(ctx context.Context, report provisioner.Report) error {
	reached, err := m.masters.Wait(ctx)
	if err != nil {
		return err
	}
	if !reached {
		return provisioner.NotReached(StepMasters)
	}
	single := slices.DeleteFunc(m.Spec.ComputeNodes(), func(machine state.Machine) bool { return machine.Pool })
	starts := []func(context.Context) error{func(ctx context.Context) error { return m.startNodes(ctx, report, single, nil) }}
	for _, role := range state.ListPoolRoles(m.Spec) {
		starts = append(starts, func(ctx context.Context) error { return pools{m}.ensure(ctx, report, role) })
	}
	return provisioner.ForEach(ctx, starts, func(ctx context.Context, start func(context.Context) error) error { return start(ctx) })
}

// RefreshPools reads which machines the instance pools of the answers have now: a pool makes lost ones again, with other names.
func (m *Machines) RefreshPools(ctx context.Context) error { return pools{m}.refresh(ctx) }

func (m *Machines) startNodes(ctx context.Context, report provisioner.Report, nodes []state.Machine, accepted func()) error {
	build := func(machine state.Machine) ([]byte, error) { return m.buildNodeDocument(ctx, machine) }
	if err := m.start(ctx, report, nodes, m.Image.Template(), build, accepted); err != nil {
		return err
	}
	m.emitBooting(report, nodes)
	if m.IsPreview {
		return nil
	}
	return m.Generator.RemoveSecrets() // the bootstrap may have ended before these machines ran
}

func (m *Machines) emitBooting(report provisioner.Report, nodes []state.Machine) {
	for _, node := range nodes {
		instance, _ := m.Find(node.Name)
		m.EmitNode(report, provisioner.Event{State: provisioner.NodeBooting, Name: node.Name, Role: string(node.Role), Machine: instance.State})
	}
}

func (m *Machines) buildNodeDocument(ctx context.Context, machine state.Machine) ([]byte, error) {
	authority := m.Generator.Ignition().RootCA
	if m.Authority != nil && !m.Facts.Get().Installed.IsZero() {
		var err error
		if authority, err = m.readAuthority(ctx); err != nil {
			return nil, err
		}
	}
	return ignition.RenderNodePointer(machine, m.Spec.Domain(), authority)
}

// authorityLimit is for how long the API of a cluster that runs may be away when machines are made for it.
const authorityLimit = 5 * time.Minute

// readAuthority returns the authority of the machine config server as it is now: an administrator may have replaced that of the
// installation.
func (m *Machines) readAuthority(ctx context.Context) (authority []byte, err error) {
	var failure error
	err = provisioner.PollUntil(m.Clock, 5*time.Second, authorityLimit, func(ctx context.Context, _ provisioner.Report) error {
		authority, failure = m.Authority.ReadNodeAuthority(ctx, "api-int."+m.Spec.Domain(), m.Clock.Now())
		if fault.Is(failure, fault.Transient) || fault.Is(failure, fault.Timeout) {
			return failure
		}
		return nil
	})(ctx, func(provisioner.Event) {})
	return authority, cmp.Or(failure, err)
}

// Start starts those machines that do not exist yet, and publishes their addresses. An existing machine keeps its user
// data.
func (m *Machines) Start(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData func(state.Machine) ([]byte, error)) error {
	return m.start(ctx, report, machines, template, userData, nil)
}

func (m *Machines) start(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData func(state.Machine) ([]byte, error), accepted func()) error {
	if err := m.ensureInstances(ctx, report, machines, template, userData, accepted); err != nil {
		return err
	}
	return m.DNS.Publish(ctx, report, machines, m.findAddress)
}

// accepted is called once the API has accepted the creation of all machines; nil: nothing is.
func (m *Machines) ensureInstances(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData func(state.Machine) ([]byte, error), accepted func()) error {
	wanted, err := m.buildInstances(ctx, machines, template, userData)
	if err != nil {
		return err
	}
	waiting := provisioner.WaitEmitter{Clock: m.Clock}
	return m.Cloud.EnsureInstances(ctx, wanted, state.InstanceObserver{
		Accepted: accepted,
		Running: func(instance state.Instance, action state.Action) {
			report.EmitObject(state.KindInstance, instance.Name, instance.ID, string(action))
			m.Record(instance)
		},
		Waiting: func(wait state.InstanceWait) {
			waiting.Emit(report, provisioner.Event{Since: &wait.Since, Limit: wait.Limit.Seconds(), Last: formatWait(wait, len(wanted))})
		},
	})
}

// formatWait names the machines when only a few are left.
func formatWait(wait state.InstanceWait, total int) string {
	progress := fmt.Sprintf("%d of %d machines run", total-len(wait.Names), total)
	if len(wait.Names) <= maxNamed {
		progress += "; starting: " + strings.Join(slices.Sorted(slices.Values(wait.Names)), ", ")
	}
	return progress
}

const maxNamed = 3

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
		if err := m.Folder.SaveUserData(machine.Name, assets.StripHostKey(wanted[n].UserData)); err != nil {
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
		if strings.HasPrefix(m.states.Get("node/"+master.Name), provisioner.NodeBooting) {
			silent = append(silent, master.Name)
		}
	}
	return silent
}
