package exoscale

import (
	"context"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
)

// FindDeployTarget returns the ID of the zone's dedicated hypervisors with that name or ID.
func (c *Client) FindDeployTarget(ctx context.Context, name string) (id string, err error) {
	all, err := call(ctx, c, "list deploy targets", func(ctx context.Context) ([]*v2.DeployTarget, error) {
		return c.api.ListDeployTargets(ctx, c.zone)
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
	return "", newAmbiguousError(object[v2.DeployTarget]{
		kind: "deploy-target", name: name, id: func(target *v2.DeployTarget) string { return deref(target.ID) },
	}, found)
}

func (c *Client) newTargetNotFound(name string, all []*v2.DeployTarget) error {
	missing := fault.Newf(fault.NotFound, "find deploy-target "+name, "zone %s has no deploy target of that name", c.zone)
	if len(all) == 0 {
		return missing.WithHint("the organization has none there: leave the deploy target out, or order dedicated hypervisors from Exoscale")
	}
	names := make([]string, len(all))
	for i, target := range all {
		names[i] = deref(target.Name)
	}
	return missing.WithHint("choose one of %s", strings.Join(names, ", "))
}
