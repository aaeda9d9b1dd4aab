package exoscale

import (
	"context"
	"encoding/base64"
	"slices"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/state"
)

// maxUserData is the API's limit, in characters of base64.
const maxUserData = 32768

// EnsureInstance makes a machine and waits until it runs and has its public address. Names of instances are not
// unique: the label exoshift-cluster belongs to the name.
func (c *Client) EnsureInstance(ctx context.Context, wanted state.Instance) (state.Instance, state.Action, error) {
	if size := base64.StdEncoding.EncodedLen(len(wanted.UserData)); size > maxUserData {
		return wanted, "", fault.Newf(fault.Invalid, "create instance "+wanted.Name,
			"its user data has %d characters in base64, Exoscale takes %d", size, maxUserData).
			WithHint("keep large documents in object storage and point to them")
	}
	found, action, err := ensure(ctx, c, object[*v2.Instance]{
		kind: kindInstance, name: wanted.Name,
		find:   func(ctx context.Context) ([]*v2.Instance, error) { return c.namesakes(ctx, wanted) },
		create: func(ctx context.Context) (*v2.Instance, error) { return c.createInstance(ctx, wanted) },
		id:     func(instance *v2.Instance) string { return value(instance.ID) },
	})
	if err != nil {
		return wanted, action, err
	}
	running, err := c.awaitRunning(ctx, value(found.ID), wanted.Name)
	if err != nil {
		return wanted, action, err
	}
	wanted.ID, wanted.Address, wanted.State = value(running.ID), address(running), value(running.State)
	wanted.Created = value(running.CreatedAt)
	return wanted, action, nil
}

func (c *Client) namesakes(ctx context.Context, wanted state.Instance) ([]*v2.Instance, error) {
	all, err := c.instances(ctx)
	return choose(all, func(instance *v2.Instance) bool {
		return value(instance.Name) == wanted.Name &&
			value(instance.Labels)[labelCluster] == wanted.Labels[labelCluster]
	}), err
}

func (c *Client) createInstance(ctx context.Context, wanted state.Instance) (*v2.Instance, error) {
	typeID, err := c.typeID(ctx, wanted.Type)
	if err != nil {
		return nil, err
	}
	instance := &v2.Instance{
		Name:                 &wanted.Name,
		InstanceTypeID:       &typeID,
		TemplateID:           &wanted.TemplateID,
		DiskSize:             new(int64(wanted.DiskGiB)),
		UserData:             optional(base64.StdEncoding.EncodeToString(wanted.UserData)),
		SSHKey:               optional(wanted.SSHKey),
		SecurityGroupIDs:     optionalList(wanted.SecurityGroups),
		AntiAffinityGroupIDs: optionalList(wanted.AntiAffinityGroups),
		PublicIPAssignment:   new("inet4"),
	}
	if len(wanted.Labels) > 0 {
		instance.Labels = &wanted.Labels
	}
	return c.api.CreateInstance(ctx, c.zone, instance)
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
		names[value(t.ID)] = typeName(t)
	}
	var instances []state.Instance
	for _, live := range all {
		if carries(value(live.Labels), labels) {
			instances = append(instances, instance(live, names[value(live.InstanceTypeID)]))
		}
	}
	return instances, nil
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

func optionalList(list []string) *[]string {
	if len(list) == 0 {
		return nil
	}
	return &list
}
