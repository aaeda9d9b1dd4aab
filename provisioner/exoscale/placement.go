package exoscale

import (
	"context"
	"net/http"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// Placement decides on which hypervisors instances run: anti-affinity groups and deploy targets.
type Placement struct {
	api *api.Client
}

// EnsureAntiAffinityGroup creates a group whose instances, at most eight, run on different hypervisors.
func (c *Placement) EnsureAntiAffinityGroup(ctx context.Context, name, description string) (string, state.Action, error) {
	group, action, err := api.Ensure(ctx, c.api, api.Object[v2.AntiAffinityGroup]{
		Kind: kindAntiAffinityGroup, Name: name,
		Find: func(ctx context.Context) ([]*v2.AntiAffinityGroup, error) {
			return c.listAntiAffinityGroups(ctx, name)
		},
		Create: func(ctx context.Context) (*v2.AntiAffinityGroup, error) {
			id, err := c.api.ExecuteChange(ctx, "create anti-affinity-group "+name, http.MethodPost, "/anti-affinity-group", newNamedRequest(name, description))
			return &v2.AntiAffinityGroup{ID: &id, Name: &name}, err
		},
		ID: func(group *v2.AntiAffinityGroup) string { return deref(group.ID) },
	})
	if err != nil {
		return "", action, err
	}
	return deref(group.ID), action, nil
}

func (c *Placement) listAntiAffinityGroups(ctx context.Context, name string) ([]*v2.AntiAffinityGroup, error) {
	groups, err := api.Call(ctx, c.api, "list anti-affinity groups", func(ctx context.Context) ([]*v2.AntiAffinityGroup, error) {
		return c.api.V2.ListAntiAffinityGroups(ctx, c.api.Zone)
	})
	return filterMatching(groups, func(group *v2.AntiAffinityGroup) bool { return deref(group.Name) == name }), err
}

// FindDeployTarget returns the ID of the zone's dedicated hypervisors with that name or ID.
func (c *Placement) FindDeployTarget(ctx context.Context, name string) (id string, err error) {
	all, err := api.Call(ctx, c.api, "list deploy targets", func(ctx context.Context) ([]*v2.DeployTarget, error) {
		return c.api.V2.ListDeployTargets(ctx, c.api.Zone)
	})
	if err != nil {
		return "", err
	}
	found := filterMatching(all, func(target *v2.DeployTarget) bool {
		return deref(target.Name) == name || deref(target.ID) == name
	})
	switch len(found) {
	case 1:
		return deref(found[0].ID), nil
	case 0:
		return "", c.newTargetNotFound(name, all)
	}
	return "", api.NewAmbiguousError(api.Object[v2.DeployTarget]{
		Kind: "deploy-target", Name: name, ID: func(target *v2.DeployTarget) string { return deref(target.ID) },
	}, found)
}

func (c *Placement) newTargetNotFound(name string, all []*v2.DeployTarget) error {
	missing := fault.Newf(fault.NotFound, "find deploy-target "+name, "zone %s has no such deploy target", c.api.Zone)
	if len(all) == 0 {
		return missing.WithHint("the organization has none in this zone: remove exoscale.deployTarget, or order dedicated hypervisors from Exoscale")
	}
	names := make([]string, len(all))
	for i, target := range all {
		names[i] = deref(target.Name)
	}
	return missing.WithHint("choose one of %s", strings.Join(names, ", "))
}
