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

// identity includes the value of the label exoshift-cluster, because names of instances are not unique.
type identity struct{ cluster, name string }

func newIdentity(wanted state.Instance) identity {
	return identity{wanted.Labels[state.LabelCluster], wanted.Name}
}

// EnsureInstance creates an instance and waits until it runs and has its public address.
func (c *Client) EnsureInstance(ctx context.Context, wanted state.Instance) (state.Instance, state.Action, error) {
	made, done := wanted, state.Action("")
	err := c.EnsureInstances(ctx, []state.Instance{wanted}, func(instance state.Instance, action state.Action) {
		made, done = instance, action
	})
	return made, done, err
}

// EnsureInstances creates the missing instances and waits until all of them run. It calls told for each instance, never
// concurrently, as soon as the instance runs, has its public address, and has the wanted protection. After a failure it starts
// nothing new, and returns the first failure. A preview does not wait.
func (c *Client) EnsureInstances(ctx context.Context, wanted []state.Instance, told func(state.Instance, state.Action)) error {
	if err := checkInstances(wanted); err != nil {
		return err
	}
	live, err := c.listInstances(ctx)
	if err != nil {
		return err
	}
	found, missing, err := c.matchExisting(wanted, live)
	if err != nil {
		return err
	}
	for _, one := range missing { // fails for an unknown type before anything is created
		if _, err := c.findTypeID(ctx, one.Type); err != nil {
			return err
		}
	}
	if c.preview {
		reportPreview(found, missing, told)
		return nil
	}
	f := &instanceWaiter{client: c, onResult: told, waiting: found}
	f.poll(ctx, f.takeWaiting(), live)
	f.createMissing(ctx, missing)
	return f.await(ctx, len(live)+len(missing))
}

func (c *Client) matchExisting(wanted []state.Instance, live []*v2.Instance) (found []*pendingInstance, missing []state.Instance, err error) {
	namesakes := map[identity][]*v2.Instance{}
	for _, one := range live {
		key := identity{deref(one.Labels)[state.LabelCluster], deref(one.Name)}
		namesakes[key] = append(namesakes[key], one)
	}
	for _, one := range wanted {
		bearers := namesakes[newIdentity(one)]
		switch len(bearers) {
		case 0:
			missing = append(missing, one)
			continue
		case 1:
		default:
			return nil, nil, newAmbiguousError(object[v2.Instance]{
				kind: kindInstance, name: one.Name, id: func(i *v2.Instance) string { return deref(i.ID) },
			}, bearers)
		}
		id := deref(bearers[0].ID)
		action, err := c.recordAdoption(kindInstance, one.Name, id)
		if err != nil {
			return nil, nil, err
		}
		m := c.newPendingInstance(one, action, id, "")
		m.updateFrom(bearers[0])
		found = append(found, m)
	}
	return found, missing, nil
}

func reportPreview(found []*pendingInstance, missing []state.Instance, told func(state.Instance, state.Action)) {
	for _, m := range found {
		if m.hasWrongProtection() {
			m.action = mergeUpdated(m.action)
		}
		told(m.Instance, m.action)
	}
	for _, one := range missing {
		told(one, state.Created)
	}
}

// ListInstances returns the instances that have all the labels. The API's lists contain neither disk size nor anti-affinity
// groups.
func (c *Client) ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	all, err := c.listInstances(ctx)
	if err != nil {
		return nil, err
	}
	types, err := c.fetchTypes(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, t := range types {
		names[t.ID] = t.name()
	}
	var instances []state.Instance
	for _, live := range all {
		if containsLabels(deref(live.Labels), labels) {
			instances = append(instances, fromV2Instance(live, names[deref(live.InstanceTypeID)]))
		}
	}
	return instances, nil
}

// DescribeInstances returns the instances that have all the labels, each with its disk, its anti-affinity groups and its user
// data, which lists omit.
func (c *Client) DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	listed, err := c.ListInstances(ctx, labels)
	if err != nil {
		return nil, err
	}
	described, faults := make([]*state.Instance, len(listed)), make([]error, len(listed))
	forEachParallel(len(listed), func(i int) { described[i], faults[i] = c.describe(ctx, listed[i]) })
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

func (c *Client) describe(ctx context.Context, listed state.Instance) (*state.Instance, error) {
	live, err := c.getInstance(ctx, listed.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	listed.DiskGiB, listed.AntiAffinityGroups = int(deref(live.DiskSize)), deref(live.AntiAffinityGroupIDs)
	listed.SecurityGroups, listed.DeployTarget = deref(live.SecurityGroupIDs), deref(live.DeployTargetID)
	if listed.UserData, err = base64.StdEncoding.DecodeString(deref(live.UserData)); err != nil {
		return nil, fault.New(fault.Internal, "read the user data of instance "+listed.Name, err)
	}
	return &listed, nil
}

func containsLabels(has, wants map[string]string) bool {
	for key, label := range wants {
		if has[key] != label {
			return false
		}
	}
	return true
}

func fromV2Instance(live *v2.Instance, typeName string) state.Instance {
	return state.Instance{
		Name:           deref(live.Name),
		Type:           typeName,
		TemplateID:     deref(live.TemplateID),
		SSHKey:         deref(live.SSHKey),
		SecurityGroups: deref(live.SecurityGroupIDs),
		Labels:         deref(live.Labels),
		DeployTarget:   deref(live.DeployTargetID),
		Protected:      isProtected(live),
		ID:             deref(live.ID),
		Address:        formatAddress(live),
		State:          deref(live.State),
		Created:        deref(live.CreatedAt),
	}
}

func formatAddress(live *v2.Instance) string {
	if live.PublicIPAddress == nil {
		return ""
	}
	return live.PublicIPAddress.String()
}

func (c *Client) listInstances(ctx context.Context) ([]*v2.Instance, error) {
	all, err := call(ctx, c, "list instances", func(ctx context.Context) ([]*v2.Instance, error) {
		return c.api.ListInstances(ctx, c.zone)
	})
	return filterMatching(all, func(instance *v2.Instance) bool { return !isVanishing(instance) }), err
}

func isVanishing(instance *v2.Instance) bool {
	return slices.Contains([]string{"destroying", "destroyed", "expunging"}, deref(instance.State))
}

func (c *Client) getInstance(ctx context.Context, id string) (*v2.Instance, error) {
	return call(ctx, c, "read instance "+id, func(ctx context.Context) (*v2.Instance, error) {
		return c.api.GetInstance(ctx, c.zone, id)
	})
}
