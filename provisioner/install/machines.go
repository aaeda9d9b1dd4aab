package install

import (
	"context"
	"slices"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// document returns the user data of a machine.
type document func(state.Machine) ([]byte, error)

// start makes sure that the machines exist. A machine that is there keeps the user data it was given.
func (i *Installation) start(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData document) error {
	there, err := i.world.Cloud.Instances(ctx, i.labels())
	if err != nil {
		return err
	}
	return sideBySide(ctx, machines, func(ctx context.Context, machine state.Machine) error {
		exists := slices.ContainsFunc(there, func(instance state.Instance) bool { return instance.Name == machine.Name })
		return i.startOne(ctx, report, machine, template, userData, exists)
	})
}

func (i *Installation) startOne(ctx context.Context, report provisioner.Report, machine state.Machine, template state.Template, userData document, exists bool) error {
	instance := i.instance(machine, template)
	if !exists {
		var err error
		if instance.UserData, err = userData(machine); err != nil {
			return err
		}
		// Kept before the call: what a machine was given must be known even if the answer is lost.
		if err := i.folder.SaveUserData(machine.Name, instance.UserData); err != nil {
			return err
		}
	}
	instance, action, err := i.world.Cloud.EnsureInstance(ctx, instance)
	if err != nil {
		return err
	}
	object(report, "instance", machine.Name, instance.ID, action)
	i.mu.Lock()
	i.nodes[machine.Name] = instance
	i.mu.Unlock()
	return nil
}

func (i *Installation) instance(machine state.Machine, template state.Template) state.Instance {
	labels := i.labels()
	labels["exoshift-role"] = string(machine.Role)
	instance := state.Instance{
		Name: machine.Name, Type: machine.Type, TemplateID: template.ID, DiskGiB: machine.RootDisk + machine.DataDisk,
		SSHKey: i.sshKeyName(), Labels: labels,
	}
	for _, group := range groupsOf(machine.Role, i.routerRole()) {
		instance.SecurityGroups = append(instance.SecurityGroups, i.groups[i.name(group)])
	}
	if groups := i.affinity[machine.Role]; len(groups) > 0 {
		instance.AntiAffinityGroups = []string{groups[machine.Index/affinityCapacity]}
	}
	return instance
}

// groupsOf returns the security groups of a role; every machine is in groupAll.
func groupsOf(role, routers state.Role) []string {
	groups := []string{groupAll}
	switch role {
	case state.RoleLoadBalancer:
		groups = append(groups, groupLoadBalancers)
	case state.RoleBootstrap, state.RoleMaster:
		groups = append(groups, groupControlPlane)
	case state.RoleStorage:
		groups = append(groups, groupStorage)
	}
	if role == routers {
		groups = append(groups, groupInfra)
	}
	return groups
}

// routerRole returns the role of the nodes that carry the routers.
func (i *Installation) routerRole() state.Role {
	if i.spec.Sizing.Infra.Count > 0 {
		return state.RoleInfra
	}
	return state.RoleWorker
}

func (i *Installation) bootstrapMachine(ctx context.Context, report provisioner.Report) error {
	if i.bootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	if err := i.checkAge(); err != nil {
		return err
	}
	machines := i.spec.Machines(state.RoleBootstrap)
	err := i.start(ctx, report, machines, i.image, func(state.Machine) ([]byte, error) {
		return ignition.BootstrapPointer("bootstrap", i.bootstrapURL, i.ignition.Bootstrap)
	})
	if err != nil {
		return err
	}
	i.tellBootstrap(report, state.PhaseMachine, "the bootstrap machine runs")
	record, err := i.address("bootstrap", "bootstrap", shortTTL)
	if err != nil {
		return err
	}
	return i.record(ctx, report, record)
}

func (i *Installation) masterMachines(ctx context.Context, report provisioner.Report) error {
	masters := i.spec.Machines(state.RoleMaster)
	if err := i.start(ctx, report, masters, i.image, i.nodeDocument); err != nil {
		return err
	}
	var records []state.Record
	for _, master := range masters {
		i.tellNode(report, master, nodeBooting, "")
		record, err := i.address(etcdName(master.Index), master.Name, shortTTL)
		if err != nil {
			return err
		}
		records = append(records, record)
	}
	return i.records(ctx, report, records)
}

func (i *Installation) computeMachines(ctx context.Context, report provisioner.Report) error {
	compute := slices.DeleteFunc(i.spec.Nodes(), func(m state.Machine) bool { return m.Role == state.RoleMaster })
	if err := i.start(ctx, report, compute, i.image, i.nodeDocument); err != nil {
		return err
	}
	var records []state.Record
	for _, machine := range compute {
		i.tellNode(report, machine, nodeBooting, "")
		if machine.Role != i.routerRole() {
			continue
		}
		record, err := i.address("router", machine.Name, shortTTL)
		if err != nil {
			return err
		}
		records = append(records, record)
	}
	return i.records(ctx, report, records)
}

// nodeDocument returns what a node boots from: its name, and where the rest is fetched.
func (i *Installation) nodeDocument(machine state.Machine) ([]byte, error) {
	return ignition.NodePointer(machine, i.spec.Domain(), i.ignition.RootCA)
}

// address returns the record that gives a machine's address a name in the cluster's zone.
func (i *Installation) address(name, machine string, ttl int) (state.Record, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	content := i.nodes[machine].Address
	if content == "" {
		return state.Record{}, fault.Newf(fault.Internal, "publish the address of "+machine, "the machine has none")
	}
	return state.Record{Name: name, Type: "A", Content: content, TTL: ttl}, nil
}
