package exoscale

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"net"
	"slices"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// Instances are virtual machines.
type Instances struct {
	api   *api.Client
	types *InstanceTypes
}

// identity includes the value of the label exoshift-cluster, because names of instances are not unique.
type identity struct{ cluster, name string }

func newIdentity(wanted state.Instance) identity {
	return identity{wanted.Labels[state.LabelCluster], wanted.Name}
}

// EnsureInstance creates an instance and waits until it runs and has its public address.
func (c *Instances) EnsureInstance(ctx context.Context, wanted state.Instance) (state.Instance, state.Action, error) {
	made, done := wanted, state.Action("")
	err := c.EnsureInstances(ctx, []state.Instance{wanted}, state.InstanceObserver{Running: func(instance state.Instance, action state.Action) {
		made, done = instance, action
	}})
	return made, done, err
}

// EnsureInstances creates the missing instances and waits until all of them run. After a failure it starts nothing new, and
// returns the first failure. A preview does not wait.
func (c *Instances) EnsureInstances(ctx context.Context, wanted []state.Instance, observer state.InstanceObserver) error {
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
		if _, err := c.types.findID(ctx, one.Type); err != nil {
			return err
		}
	}
	if c.api.IsPreview() {
		reportPreview(found, missing, observer)
		return nil
	}
	w := &instanceWaiter{instances: c, observer: observer, waiting: found}
	w.poll(ctx, w.takeWaiting(), live)
	w.createMissing(ctx, missing)
	return w.await(ctx, len(live)+len(missing))
}

func (c *Instances) matchExisting(wanted []state.Instance, live []*v2.Instance) (found []*pendingInstance, missing []state.Instance, err error) {
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
			return nil, nil, api.NewAmbiguousError(api.Object[v2.Instance]{
				Kind: kindInstance, Name: one.Name, ID: func(i *v2.Instance) string { return deref(i.ID) },
			}, bearers)
		}
		id := deref(bearers[0].ID)
		action, err := c.api.RecordAdoption(kindInstance, one.Name, id)
		if err != nil {
			return nil, nil, err
		}
		m := c.newPending(one, action, id, "")
		m.updateFrom(bearers[0])
		found = append(found, m)
	}
	return found, missing, nil
}

func reportPreview(found []*pendingInstance, missing []state.Instance, observer state.InstanceObserver) {
	w := instanceWaiter{observer: observer}
	w.reportAccepted()
	for _, m := range found {
		if m.hasWrongProtection() {
			m.action = mergeUpdated(m.action)
		}
		w.reportResult(m)
	}
	for _, one := range missing {
		w.reportResult(&pendingInstance{Instance: one, action: state.Created})
	}
}

// StartInstance starts an instance that is stopped, and waits until it runs. One that runs already is found.
func (c *Instances) StartInstance(ctx context.Context, id string) (action state.Action, err error) {
	err = api.Repeat(ctx, c.api, "start instance "+id, func(ctx context.Context) error {
		live, err := getInstance(ctx, c.api, id)
		if err != nil {
			return err
		}
		if deref(live.State) != "stopped" {
			action = state.Found
			return nil
		}
		action = state.Updated
		return c.api.ApplyChange(ctx, state.Updated, kindInstance, deref(live.Name), func(ctx context.Context) (string, error) {
			return id, c.api.Put(ctx, "start instance "+deref(live.Name), "/instance/"+id+":start", struct{}{})
		})
	})
	return action, err
}

// StopInstance stops an instance that runs, and waits until it is stopped. One that is stopped already is found; one that is being
// stopped is fault.Transient.
func (c *Instances) StopInstance(ctx context.Context, id string) (action state.Action, err error) {
	err = api.Repeat(ctx, c.api, "stop instance "+id, func(ctx context.Context) error {
		live, err := getInstance(ctx, c.api, id)
		if err != nil {
			return err
		}
		switch deref(live.State) {
		case "stopped":
			action = cmp.Or(action, state.Found)
			return nil
		case "stopping":
			return fault.Newf(fault.Transient, "stop instance "+deref(live.Name), "it is stopping")
		}
		action = state.Updated
		return c.api.ApplyChange(ctx, state.Updated, kindInstance, deref(live.Name), func(ctx context.Context) (string, error) {
			return id, c.api.Put(ctx, "stop instance "+deref(live.Name), "/instance/"+id+":stop", struct{}{})
		})
	})
	return action, err
}

// ScaleInstance gives an instance that is stopped another type, and waits for that: state.Found if it has it. fault.Invalid: the zone has no
// such type.
func (c *Instances) ScaleInstance(ctx context.Context, id, typeName string) (action state.Action, err error) {
	typeID, err := c.types.findID(ctx, typeName)
	if err != nil {
		return "", err
	}
	err = api.Repeat(ctx, c.api, "scale instance "+id, func(ctx context.Context) error {
		live, err := getInstance(ctx, c.api, id)
		if err != nil {
			return err
		}
		if deref(live.InstanceTypeID) == typeID {
			action = cmp.Or(action, state.Found)
			return nil
		}
		action = state.Updated
		return c.api.ApplyChange(ctx, state.Updated, kindInstance, deref(live.Name), func(ctx context.Context) (string, error) {
			body := map[string]any{"instance-type": map[string]any{"id": typeID}}
			return id, c.api.Put(ctx, "scale instance "+deref(live.Name)+" to "+typeName, "/instance/"+id+":scale", body)
		})
	})
	return action, err
}

// ListInstances returns the instances that have all the labels. The API's lists contain neither disk size nor anti-affinity
// groups.
func (c *Instances) ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	all, err := c.listInstances(ctx)
	if err != nil {
		return nil, err
	}
	types, err := c.types.mapNames(ctx)
	if err != nil {
		return nil, err
	}
	var instances []state.Instance
	for _, live := range all {
		if containsLabels(deref(live.Labels), labels) {
			instances = append(instances, fromV2Instance(live, types[deref(live.InstanceTypeID)]))
		}
	}
	return instances, nil
}

// DescribeInstances returns the instances that have all the labels, each with its disk, its anti-affinity groups and its user
// data, which lists omit.
func (c *Instances) DescribeInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	listed, err := c.ListInstances(ctx, labels)
	if err != nil {
		return nil, err
	}
	described, faults := make([]*state.Instance, len(listed)), make([]error, len(listed))
	api.ForEach(len(listed), func(i int) { described[i], faults[i] = c.describe(ctx, listed[i]) })
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

func (c *Instances) describe(ctx context.Context, listed state.Instance) (*state.Instance, error) {
	live, err := getInstance(ctx, c.api, listed.ID)
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
		SecurityGroups: deref(live.SecurityGroupIDs), PrivateNetworks: deref(live.PrivateNetworkIDs),
		Labels:       deref(live.Labels),
		DeployTarget: deref(live.DeployTargetID),
		Protected:    isProtected(live),
		ID:           deref(live.ID),
		Address:      formatAddress(live),
		State:        deref(live.State),
		Created:      deref(live.CreatedAt),
	}
}

func formatAddress(live *v2.Instance) string {
	if live.PublicIPAddress == nil {
		return ""
	}
	return live.PublicIPAddress.String()
}

func (c *Instances) listInstances(ctx context.Context) ([]*v2.Instance, error) {
	var answer struct{ Instances []listedInstance }
	err := c.api.Get(ctx, "list instances", "/instance", &answer)
	all := make([]*v2.Instance, len(answer.Instances))
	for i, one := range answer.Instances {
		all[i] = one.toV2()
	}
	return filterMatching(all, func(instance *v2.Instance) bool { return !isVanishing(instance) }), err
}

// listedInstance is an instance in a list. egoscale panics if one of them lacks its type or its template, whoever's it is.
type listedInstance struct {
	ID, Name, State string
	CreatedAt       string `json:"created-at"`
	PublicIP        string `json:"public-ip"`
	Labels          map[string]string
	Type            api.Reference   `json:"instance-type"`
	Template        api.Reference   `json:"template"`
	DeployTarget    api.Reference   `json:"deploy-target"`
	SecurityGroups  []api.Reference `json:"security-groups"`
	PrivateNetworks []api.Reference `json:"private-networks"`
}

func (l listedInstance) toV2() *v2.Instance {
	live := &v2.Instance{
		ID: &l.ID, Name: &l.Name, State: &l.State, Labels: &l.Labels, InstanceTypeID: &l.Type.ID, TemplateID: &l.Template.ID,
		DeployTargetID: omitEmpty(l.DeployTarget.ID),
	}
	if created, err := time.Parse(time.RFC3339, l.CreatedAt); err == nil {
		live.CreatedAt = &created
	}
	if address := net.ParseIP(l.PublicIP); address != nil {
		live.PublicIPAddress = &address
	}
	if groups := toIDs(l.SecurityGroups); len(groups) > 0 {
		live.SecurityGroupIDs = &groups
	}
	networks := toIDs(l.PrivateNetworks)
	live.PrivateNetworkIDs = &networks
	return live
}

func isVanishing(instance *v2.Instance) bool {
	return slices.Contains([]string{"destroying", "destroyed", "expunging"}, deref(instance.State))
}

func getInstance(ctx context.Context, c *api.Client, id string) (*v2.Instance, error) {
	return api.Call(ctx, c, "read instance "+id, func(ctx context.Context) (*v2.Instance, error) {
		return c.V2.GetInstance(ctx, c.Zone, id)
	})
}

const kindProtection = "instance-protection"

func isProtected(live *v2.Instance) bool { return deref(live.Labels)[state.LabelProtected] == "true" }

// setProtection sets the label last, because the label shows the protection, which the API does not: a run that was killed in
// between repeats both. That the API accepts protecting a protected instance is inferred from its documentation.
func (c *Instances) setProtection(ctx context.Context, live *v2.Instance, wanted bool) error {
	id, name := deref(live.ID), deref(live.Name)
	labels := maps.Clone(deref(live.Labels))
	if labels == nil {
		labels = map[string]string{}
	}
	op, action := "protect instance "+name, ":add-protection"
	labels[state.LabelProtected] = "true"
	if !wanted {
		op, action = "remove the protection of instance "+name, ":remove-protection"
		delete(labels, state.LabelProtected)
	}
	return api.Repeat(ctx, c.api, op, func(ctx context.Context) error {
		return c.api.ApplyChange(ctx, state.Updated, kindProtection, name, func(ctx context.Context) (string, error) {
			if err := c.api.Put(ctx, op, "/instance/"+id+action, nil); err != nil {
				return "", err
			}
			body := map[string]any{"labels": labels}
			return id, c.api.Put(ctx, op, "/instance/"+id, body)
		})
	})
}
