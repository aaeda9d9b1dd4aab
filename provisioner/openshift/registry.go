package openshift

import (
	"context"

	"exoshift/state"
)

// EnsureRegistryAccess gives the image registry the key of its bucket.
func (c *Cluster) EnsureRegistryAccess(context.Context, state.Bucket, state.APIKey) (state.Action, error) {
	return state.Found, nil
}
