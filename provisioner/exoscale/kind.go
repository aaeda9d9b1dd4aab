package exoscale

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/state"
)

// ObjectsOf returns the objects of one kind, of all but buckets; see Objects.
func (c *Client) ObjectsOf(ctx context.Context, kind string) ([]state.Object, error) {
	s, known := shelfOf(kind)
	if !known {
		return nil, fault.Newf(fault.Internal, "list what there is", "objects of kind %q are not the API's", kind)
	}
	return c.objects(ctx, s, c.typeNames(ctx))
}
