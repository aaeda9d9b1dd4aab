package exoscale

import (
	"context"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/state"
)

// EnsureAntiAffinityGroup creates a group whose instances, at most eight, run on different hypervisors.
func (c *Client) EnsureAntiAffinityGroup(ctx context.Context, name, description string) (string, state.Action, error) {
	group, action, err := ensure(ctx, c, object[v2.AntiAffinityGroup]{
		kind: kindAntiAffinityGroup, name: name,
		find: func(ctx context.Context) ([]*v2.AntiAffinityGroup, error) {
			return c.listAntiAffinityGroups(ctx, name)
		},
		create: func(ctx context.Context) (*v2.AntiAffinityGroup, error) {
			wanted := &v2.AntiAffinityGroup{Name: &name, Description: omitEmpty(description)}
			return c.api.CreateAntiAffinityGroup(ctx, c.zone, wanted)
		},
		id: func(group *v2.AntiAffinityGroup) string { return deref(group.ID) },
	})
	if err != nil {
		return "", action, err
	}
	return deref(group.ID), action, nil
}

func (c *Client) listAntiAffinityGroups(ctx context.Context, name string) ([]*v2.AntiAffinityGroup, error) {
	groups, err := call(ctx, c, "list anti-affinity groups", func(ctx context.Context) ([]*v2.AntiAffinityGroup, error) {
		return c.api.ListAntiAffinityGroups(ctx, c.zone)
	})
	return filterMatching(groups, func(group *v2.AntiAffinityGroup) bool { return deref(group.Name) == name }), err
}
