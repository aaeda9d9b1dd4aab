package exoscale

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/state"
)

// ListObjectsByKind returns the objects of one kind, of all but buckets; see ListObjects.
func (c *Client) ListObjectsByKind(ctx context.Context, kind string) ([]state.Object, error) {
	s, known := findResourceType(kind)
	if !known {
		return nil, fault.Newf(fault.Internal, "list what there is", "objects of kind %q are not the API's", kind)
	}
	return c.listObjects(ctx, s, c.listTypeNames(ctx))
}
