package remoterun

import (
	"context"
	"slices"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/state"
)

const ubuntu = "Linux Ubuntu 24.04 LTS 64-bit"

func (e *run) startMachine(ctx context.Context, links assets.RemoteRun) error {
	machine, err := e.buildMachine(ctx, links)
	if err != nil {
		return err
	}
	e.progress("starts a machine (" + machine.Type + ") in zone " + e.options.Zone)
	err = e.cloud.EnsureInstances(ctx, []state.Instance{machine}, state.InstanceObserver{})
	if fault.Is(err, fault.Quota) {
		return fault.New(fault.Quota, "start a machine that "+e.options.Job.Does+" in the zone", err).
			WithHint("request a higher limit in the Exoscale portal under Organization, Quotas, or %s", e.options.Job.Instead)
	}
	return err
}

func (e *run) buildMachine(ctx context.Context, links assets.RemoteRun) (machine state.Instance, err error) {
	machine = state.Instance{Name: e.name(), Labels: e.labels()}
	if machine.UserData, err = assets.RenderRemoteRunUserData(links); err != nil {
		return machine, fault.New(fault.Internal, "write the user data of the machine", err)
	}
	prices, err := assets.ReadPrices()
	if err != nil {
		return machine, fault.New(fault.Internal, "choose a machine", err)
	}
	if machine.Type, err = pickCheapest(ctx, e.cloud, prices, e.options.Job); err != nil {
		return machine, err
	}
	template, err := e.cloud.FindPublicTemplate(ctx, ubuntu)
	if err != nil {
		return machine, err
	}
	machine.TemplateID, machine.DiskGiB = template.ID, max(minDiskGiB, template.SizeGiB)
	machine.SecurityGroups, err = e.ensureGroups(ctx)
	return machine, err
}

func (e *run) labels() map[string]string { return map[string]string{state.LabelCheck: e.id} }

func (e *run) ensureGroups(ctx context.Context) ([]string, error) {
	all, err := e.cloud.ListObjectsByKind(ctx, state.KindSecurityGroup)
	if err != nil {
		return nil, err
	}
	if ids, found := findGroups(all, e.options.Groups); found {
		return ids, nil
	}
	id, _, err := e.cloud.EnsureSecurityGroup(ctx, e.buildGroup())
	return []string{id}, err
}

func findGroups(all []state.Object, wanted []state.SecurityGroup) (ids []string, found bool) {
	for _, group := range wanted {
		namesakes := slices.DeleteFunc(slices.Clone(all), func(o state.Object) bool { return o.Name != group.Name })
		if len(namesakes) != 1 {
			return nil, false
		}
		ids = append(ids, namesakes[0].ID)
	}
	return ids, len(ids) > 0
}

// buildGroup returns a group with the rules of the nodes' groups. Where those refer to each other, it refers to itself.
func (e *run) buildGroup() state.SecurityGroup {
	group := state.SecurityGroup{Name: e.name(), Description: e.description()}
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

// description identifies the run, because security groups have no labels.
func (e *run) description() string { return state.LabelCheck + "=" + e.id }
