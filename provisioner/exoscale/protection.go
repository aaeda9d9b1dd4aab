package exoscale

import (
	"context"
	"maps"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/state"
)

const kindProtection = "instance-protection"

func isProtected(live *v2.Instance) bool { return deref(live.Labels)[state.LabelProtected] == "true" }

// setProtection sets the label last, because the label shows the protection, which the API does not: a run that was killed in
// between repeats both. That the API accepts protecting a protected instance is inferred from its documentation.
func (c *Client) setProtection(ctx context.Context, live *v2.Instance, wanted bool) error {
	id, name := deref(live.ID), deref(live.Name)
	labels := maps.Clone(deref(live.Labels))
	if labels == nil {
		labels = map[string]string{}
	}
	op, action := "protect instance "+name, ":add-protection"
	labels[state.LabelProtected] = "true"
	if !wanted {
		op, action = "lift the protection of instance "+name, ":remove-protection"
		delete(labels, state.LabelProtected)
	}
	return c.applyChange(ctx, state.Updated, kindProtection, name, func(ctx context.Context) (string, error) {
		if err := c.put(ctx, op, "/instance/"+id+action, nil); err != nil {
			return "", err
		}
		body := map[string]any{"labels": labels}
		return id, c.put(ctx, op, "/instance/"+id, body)
	})
}
