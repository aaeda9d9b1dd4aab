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
	found := choose(all, func(target *v2.DeployTarget) bool {
		return value(target.Name) == name || value(target.ID) == name
	})
	switch len(found) {
	case 1:
		return value(found[0].ID), nil
	case 0:
		return "", c.noDeployTarget(name, all)
	}
	return "", ambiguous(object[v2.DeployTarget]{
		kind: "deploy-target", name: name, id: func(target *v2.DeployTarget) string { return value(target.ID) },
	}, found)
}

func (c *Client) noDeployTarget(name string, all []*v2.DeployTarget) error {
	missing := fault.Newf(fault.NotFound, "find deploy-target "+name, "zone %s has no deploy target of that name", c.zone)
	if len(all) == 0 {
		return missing.WithHint("the organization has none there: leave the deploy target out, or order dedicated hypervisors from Exoscale")
	}
	names := make([]string, len(all))
	for i, target := range all {
		names[i] = value(target.Name)
	}
	return missing.WithHint("choose one of %s", strings.Join(names, ", "))
}
