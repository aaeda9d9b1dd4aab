package install

import (
	"context"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/generation"
	"exoshift/state"
)

type userDataFunc func(state.Machine) ([]byte, error)

// An existing machine keeps its user data.
func (i *Installation) startMachines(ctx context.Context, report provisioner.Report, machines []state.Machine, template state.Template, userData userDataFunc) error {
	wanted, err := i.buildInstances(ctx, machines, template, userData)
	if err != nil {
		return err
	}
	err = i.clients.Cloud.EnsureInstances(ctx, wanted, func(instance state.Instance, action state.Action) {
		report.EmitObject(state.KindInstance, instance.Name, instance.ID, string(action))
		i.mu.Lock()
		defer i.mu.Unlock()
		i.nodes[instance.Name] = instance
	})
	if err != nil {
		return err
	}
	return i.dns.Publish(ctx, report, machines, i.findAddress)
}

// Only missing machines get user data. It is stored before the call, so that it is known even if the answer is lost.
func (i *Installation) buildInstances(ctx context.Context, machines []state.Machine, template state.Template, userData userDataFunc) ([]state.Instance, error) {
	there, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels())
	if err != nil {
		return nil, err
	}
	exists := map[string]bool{}
	for _, instance := range there {
		exists[instance.Name] = true
	}
	wanted := make([]state.Instance, len(machines))
	for n, machine := range machines {
		wanted[n] = i.newInstance(machine, template)
		if exists[machine.Name] || i.preview {
			continue
		}
		if wanted[n].UserData, err = userData(machine); err != nil {
			return nil, err
		}
		if err := i.folder.SaveUserData(machine.Name, wanted[n].UserData); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

func (i *Installation) newInstance(machine state.Machine, template state.Template) state.Instance {
	labels := i.spec.Labels()
	labels[state.LabelRole] = string(machine.Role)
	if machine.Role != state.RoleLoadBalancer {
		labels[state.LabelRootCA] = generation.FormatRootCALabel(i.generator.Ignition().RootCAHash)
	}
	instance := state.Instance{
		Name: machine.Name, Type: machine.Type, TemplateID: template.ID, DiskGiB: machine.RootDisk + machine.DataDisk,
		SSHKey: i.spec.SSHKeyName(), Labels: labels, DeployTarget: i.deployTarget,
		SecurityGroups: i.securityGroups.ListIDs(machine.Role),
		Protected:      machine.Role == state.RoleMaster && i.spec.Exoscale.ProtectMasters,
	}
	if id := i.affinity[affinityGroup{machine.Role, machine.Index / affinityCapacity}]; id != "" {
		instance.AntiAffinityGroups = []string{id}
	}
	return instance
}

func (i *Installation) ensureBootstrapMachine(ctx context.Context, report provisioner.Report) error {
	if i.Facts().IsBootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	if !i.preview {
		if err := generation.CheckAge(ctx, i.generator.Ignition(), i.clients.Cluster, i.clients.Clock); err != nil {
			return err
		}
	}
	err := i.startMachines(ctx, report, i.spec.Machines(state.RoleBootstrap), i.image.Template(), func(state.Machine) ([]byte, error) {
		return ignition.RenderBootstrapPointer("bootstrap", i.bootstrapURL, i.bootstrapDocument)
	})
	if err != nil {
		return err
	}
	i.emitBootstrap(report, state.PhaseMachine, "the bootstrap machine runs")
	return nil
}

func (i *Installation) ensureMasters(ctx context.Context, report provisioner.Report) error {
	return i.startNodes(ctx, report, i.spec.Machines(state.RoleMaster))
}

func (i *Installation) ensureComputeMachines(ctx context.Context, report provisioner.Report) error {
	return i.startNodes(ctx, report, i.spec.ComputeNodes())
}

func (i *Installation) startNodes(ctx context.Context, report provisioner.Report, nodes []state.Machine) error {
	if err := i.startMachines(ctx, report, nodes, i.image.Template(), i.buildNodeDocument); err != nil {
		return err
	}
	for _, node := range nodes {
		instance, _ := i.findInstance(node.Name)
		i.emitNode(report, provisioner.Event{State: nodeBooting, Name: node.Name, Role: string(node.Role), Machine: instance.State})
	}
	if i.preview {
		return nil
	}
	return i.removeSecrets() // the bootstrap may have ended before these machines ran
}

func (i *Installation) buildNodeDocument(machine state.Machine) ([]byte, error) {
	return ignition.RenderNodePointer(machine, i.spec.Domain(), i.generator.Ignition().RootCA)
}

// In a preview machines that do not exist yet have none.
func (i *Installation) findAddress(machine state.Machine) (string, error) {
	instance, _ := i.findInstance(machine.Name)
	switch {
	case instance.Address != "":
		return instance.Address, nil
	case i.preview:
		return "(the address of " + machine.Name + ")", nil
	}
	return "", fault.Newf(fault.Internal, "publish the address of "+machine.Name, "the machine has none")
}
