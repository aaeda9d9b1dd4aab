package vantage

import (
	"context"
	"slices"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/state"
)

// ubuntu is the public template that the machine boots from.
const ubuntu = "Linux Ubuntu 22.04 LTS 64-bit"

// start makes the machine and waits until it runs.
func (e *errand) start(ctx context.Context, links assets.Errand) error {
	machine, err := e.machine(ctx, links)
	if err != nil {
		return err
	}
	e.seen("starts a machine (" + machine.Type + ") in zone " + e.options.Zone)
	err = e.cloud.EnsureInstances(ctx, []state.Instance{machine}, func(state.Instance, state.Action) {})
	if fault.Is(err, fault.Quota) {
		return fault.New(fault.Quota, "start a machine that looks at the network from the zone", err).
			WithHint("ask Exoscale for a higher limit in the portal under Organization, Quotas, or check from a host that exists: --vantage ssh:HOST")
	}
	return err
}

func (e *errand) machine(ctx context.Context, links assets.Errand) (machine state.Instance, err error) {
	machine = state.Instance{Name: e.name(), Labels: e.labels()}
	if machine.UserData, err = assets.ErrandUserData(links); err != nil {
		return machine, fault.New(fault.Internal, "tell the machine what to do", err)
	}
	prices, err := assets.PriceList()
	if err != nil {
		return machine, fault.New(fault.Internal, "choose a machine", err)
	}
	if machine.Type, err = cheapest(ctx, e.cloud, prices); err != nil {
		return machine, err
	}
	template, err := e.cloud.FindPublicTemplate(ctx, ubuntu)
	if err != nil {
		return machine, err
	}
	machine.TemplateID, machine.DiskGiB = template.ID, max(leastDisk, template.SizeGiB)
	machine.SecurityGroups, err = e.groups(ctx)
	return machine, err
}

func (e *errand) labels() map[string]string { return map[string]string{state.LabelCheck: e.id} }

// groups returns the security groups of the machine: those of the nodes, or one like them.
func (e *errand) groups(ctx context.Context) ([]string, error) {
	all, err := e.cloud.ObjectsOf(ctx, state.KindSecurityGroup)
	if err != nil {
		return nil, err
	}
	if ids, found := theirs(all, e.options.Groups); found {
		return ids, nil
	}
	id, _, err := e.cloud.EnsureSecurityGroup(ctx, e.likeNodes())
	return []string{id}, err
}

// theirs finds the groups of the nodes, if each of them exists once.
func theirs(all []state.Object, wanted []state.SecurityGroup) (ids []string, found bool) {
	for _, group := range wanted {
		namesakes := slices.DeleteFunc(slices.Clone(all), func(o state.Object) bool { return o.Name != group.Name })
		if len(namesakes) != 1 {
			return nil, false
		}
		ids = append(ids, namesakes[0].ID)
	}
	return ids, len(ids) > 0
}

// likeNodes is a group with the rules of the nodes' groups. Where those name each other, it names itself.
func (e *errand) likeNodes() state.SecurityGroup {
	group := state.SecurityGroup{Name: e.name(), Description: e.mark()}
	for _, theirs := range e.options.Groups {
		for _, rule := range theirs.Rules {
			if rule.Group != "" {
				rule.Group = e.name()
			}
			group.Rules = append(group.Rules, rule)
		}
	}
	return group
}

// mark is the description of a security group of a run, as security groups have no labels.
func (e *errand) mark() string { return state.LabelCheck + "=" + e.id }
