package openshift

import (
	"context"
	"encoding/json"

	"exoshift/internal/fault"
	"exoshift/state"
)

// ensureRegistryStorage sets the bucket as unmanaged: the operator must not delete it, nor change its configuration.
func (a *api) ensureRegistryStorage(ctx context.Context, bucket state.Bucket) (state.Action, error) {
	const op = "give the image registry its bucket"
	found, exists, err := getObject[operatorConfig](ctx, a, registryConfigs, "cluster")
	switch {
	case err != nil:
		return "", err
	case !exists:
		return "", fault.Newf(fault.Transient, op, "the image registry's operator has not started yet")
	case found.Spec.ManagementState == unmanaged, hasBackend(found.Spec.Storage):
		return state.Found, nil
	}
	storage := map[string]any{"managementState": unmanaged, "s3": map[string]any{
		"bucket": bucket.Name, "region": bucket.Region, "regionEndpoint": bucket.Endpoint,
	}}
	return a.patchOperatorConfig(ctx, registryConfigs, found, map[string]any{"managementState": managed, "storage": storage})
}

// hasBackend reports whether a storage was chosen: there is a field beside managementState.
func hasBackend(storage map[string]any) bool {
	for name := range storage {
		if name != "managementState" {
			return true
		}
	}
	return false
}

// ensureSamples restores the samples operator once: it removed itself if it started before there was a registry. A release may
// lack it, and then there is no such cluster operator either.
func (a *api) ensureSamples(ctx context.Context) (state.Action, error) {
	found, exists, err := getObject[operatorConfig](ctx, a, sampleConfigs, "cluster")
	switch {
	case err != nil:
		return "", err
	case !exists:
		return a.awaitSamples(ctx)
	case found.Spec.ManagementState != removed, isChanged(found.ObjectMeta):
		return state.Found, nil
	}
	return a.patchOperatorConfig(ctx, sampleConfigs, found, map[string]any{"managementState": managed})
}

func (a *api) awaitSamples(ctx context.Context) (state.Action, error) {
	_, expected, err := getObject[operatorConfig](ctx, a, clusterOperators, "openshift-samples")
	if err == nil && expected {
		err = fault.Newf(fault.Transient, "bring the samples back", "the samples operator has not started yet")
	}
	return state.Found, err
}

func (a *api) patchOperatorConfig(ctx context.Context, where resourcePath, found operatorConfig, spec map[string]any) (state.Action, error) {
	change, err := json.Marshal(map[string]any{"metadata": buildChangedMetadata(found.ObjectMeta), "spec": spec})
	if err != nil {
		return "", fault.New(fault.Internal, "change "+where.String(), err)
	}
	return state.Updated, a.patch(ctx, where, found.Name, change)
}
