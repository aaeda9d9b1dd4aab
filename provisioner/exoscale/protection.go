package exoscale

import (
	"context"
	"maps"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/state"
)

const kindProtection = "instance-protection"

func isProtected(live *v2.Instance) bool { return value(live.Labels)[state.LabelProtected] == "true" }

// protect keeps an instance from being deleted by mistake. A run that was killed before it could set the label does
// both again; that a second protection is accepted is our reading of the API.
func (c *Client) protect(ctx context.Context, live *v2.Instance) error {
	id, name := value(live.ID), value(live.Name)
	labels := maps.Clone(value(live.Labels))
	if labels == nil {
		labels = map[string]string{}
	}
	labels[state.LabelProtected] = "true"
	return c.change(ctx, state.Updated, kindProtection, name, func(ctx context.Context) (string, error) {
		op := "protect instance " + name
		if err := c.put(ctx, op, "/instance/"+id+":add-protection", nil); err != nil {
			return "", err
		}
		body := map[string]any{"labels": labels}
		return id, c.put(ctx, op, "/instance/"+id, body)
	})
}
