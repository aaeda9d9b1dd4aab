package exoscale

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// identity is what tells a machine from others. Names of instances are not unique: the label exoshift-cluster belongs
// to the name.
type identity struct{ cluster, name string }

func identityOf(wanted state.Instance) identity {
	return identity{wanted.Labels[state.LabelCluster], wanted.Name}
}

// EnsureInstance makes a machine and waits until it runs and has its public address.
func (c *Client) EnsureInstance(ctx context.Context, wanted state.Instance) (state.Instance, state.Action, error) {
	made, done := wanted, state.Action("")
	err := c.EnsureInstances(ctx, []state.Instance{wanted}, func(instance state.Instance, action state.Action) {
		made, done = instance, action
	})
	return made, done, err
}

// EnsureInstances makes the machines that are missing and waits until all of them run. It calls told, one call at a
// time, for each machine as soon as it runs, has its public address, and has the protection that is wanted. After a
// failure nothing new is begun, and the first failure is returned. A preview does not wait.
func (c *Client) EnsureInstances(ctx context.Context, wanted []state.Instance, told func(state.Instance, state.Action)) error {
	if err := checkInstances(wanted); err != nil {
		return err
	}
	live, err := c.instances(ctx)
	if err != nil {
		return err
	}
	found, missing, err := c.muster(wanted, live)
	if err != nil {
		return err
	}
	for _, one := range missing { // an unknown type is found out before anything is made
		if _, err := c.typeID(ctx, one.Type); err != nil {
			return err
		}
	}
	if c.preview {
		foretell(found, missing, told)
		return nil
	}
	f := &fleet{client: c, told: told, waiting: found}
	f.poll(ctx, f.taken(), live)
	f.order(ctx, missing)
	return f.await(ctx, len(live)+len(missing))
}

// muster finds the wanted machines among the live ones.
func (c *Client) muster(wanted []state.Instance, live []*v2.Instance) (found []*member, missing []state.Instance, err error) {
	namesakes := map[identity][]*v2.Instance{}
	for _, one := range live {
		key := identity{value(one.Labels)[state.LabelCluster], value(one.Name)}
		namesakes[key] = append(namesakes[key], one)
	}
	for _, one := range wanted {
		bearers := namesakes[identityOf(one)]
		switch len(bearers) {
		case 0:
			missing = append(missing, one)
			continue
		case 1:
		default:
			return nil, nil, ambiguous(object[v2.Instance]{
				kind: kindInstance, name: one.Name, id: func(i *v2.Instance) string { return value(i.ID) },
			}, bearers)
		}
		id := value(bearers[0].ID)
		action, err := c.adopt(kindInstance, one.Name, id)
		if err != nil {
			return nil, nil, err
		}
		m := c.newMember(one, action, id, "")
		m.see(bearers[0])
		found = append(found, m)
	}
	return found, missing, nil
}

// foretell tells what would become of the machines.
func foretell(found []*member, missing []state.Instance, told func(state.Instance, state.Action)) {
	for _, m := range found {
		if m.misprotected() {
			m.action = updated(m.action)
		}
		told(m.Instance, m.action)
	}
	for _, one := range missing {
		told(one, state.Created)
	}
}

// Instances returns the machines that carry all the labels. The API tells neither disk size nor anti-affinity
// groups in a list.
func (c *Client) Instances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	all, err := c.instances(ctx)
	if err != nil {
		return nil, err
	}
	types, err := c.instanceTypes(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, t := range types {
		names[t.ID] = t.name()
	}
	var instances []state.Instance
	for _, live := range all {
		if carries(value(live.Labels), labels) {
			instances = append(instances, instance(live, names[value(live.InstanceTypeID)]))
		}
	}
	return instances, nil
}

// DescribeInstances returns the machines that carry all the labels, each with its disk, its anti-affinity groups and its
// user data, which a list does not tell.
func (c *Client) DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	listed, err := c.Instances(ctx, labels)
	if err != nil {
		return nil, err
	}
	described, faults := make([]*state.Instance, len(listed)), make([]error, len(listed))
	each(len(listed), func(i int) { described[i], faults[i] = c.describe(ctx, listed[i]) })
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	var instances []state.Instance
	for _, one := range described {
		if one != nil {
			instances = append(instances, *one)
		}
	}
	return instances, nil
}

// describe adds to a listed machine what a list does not tell; nil if it is gone.
func (c *Client) describe(ctx context.Context, listed state.Instance) (*state.Instance, error) {
	live, err := c.instance(ctx, listed.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	listed.DiskGiB, listed.AntiAffinityGroups = int(value(live.DiskSize)), value(live.AntiAffinityGroupIDs)
	listed.SecurityGroups, listed.DeployTarget = value(live.SecurityGroupIDs), value(live.DeployTargetID)
	if listed.UserData, err = base64.StdEncoding.DecodeString(value(live.UserData)); err != nil {
		return nil, fault.New(fault.Internal, "read the user data of instance "+listed.Name, err)
	}
	return &listed, nil
}

func carries(has, wants map[string]string) bool {
	for key, label := range wants {
		if has[key] != label {
			return false
		}
	}
	return true
}

func instance(live *v2.Instance, typeName string) state.Instance {
	return state.Instance{
		Name:           value(live.Name),
		Type:           typeName,
		TemplateID:     value(live.TemplateID),
		SSHKey:         value(live.SSHKey),
		SecurityGroups: value(live.SecurityGroupIDs),
		Labels:         value(live.Labels),
		DeployTarget:   value(live.DeployTargetID),
		Protected:      isProtected(live),
		ID:             value(live.ID),
		Address:        address(live),
		State:          value(live.State),
		Created:        value(live.CreatedAt),
	}
}

func address(live *v2.Instance) string {
	if live.PublicIPAddress == nil {
		return ""
	}
	return live.PublicIPAddress.String()
}

// instances lists the machines that are not about to vanish.
func (c *Client) instances(ctx context.Context) ([]*v2.Instance, error) {
	all, err := call(ctx, c, "list instances", func(ctx context.Context) ([]*v2.Instance, error) {
		return c.api.ListInstances(ctx, c.zone)
	})
	return choose(all, func(instance *v2.Instance) bool { return !vanishing(instance) }), err
}

func vanishing(instance *v2.Instance) bool {
	return slices.Contains([]string{"destroying", "destroyed", "expunging"}, value(instance.State))
}

func (c *Client) instance(ctx context.Context, id string) (*v2.Instance, error) {
	return call(ctx, c, "read instance "+id, func(ctx context.Context) (*v2.Instance, error) {
		return c.api.GetInstance(ctx, c.zone, id)
	})
}
