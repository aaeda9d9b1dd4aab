package etcd

import (
	"context"
	"encoding/json"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

// unsafeOverride has etcd's operator roll out with fewer than three healthy members, as after cluster-restore.sh.
const unsafeOverride = "useUnsupportedUnsafeNonHANonProductionUnstableEtcd"

type operatorOverrides struct {
	Spec struct {
		Overrides map[string]any `json:"unsupportedConfigOverrides"`
	} `json:"spec"`
}

// IsUnsafeAllowed reports whether etcd's operator may roll out with fewer members than are safe.
func (m *Members) IsUnsafeAllowed(ctx context.Context) (bool, error) {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return false, err
	}
	return isUnsafeAllowed(ctx, api)
}

func isUnsafeAllowed(ctx context.Context, api *kubeapi.Client) (bool, error) {
	found, exists, err := kubeapi.Get[operatorOverrides](ctx, api, kubeapi.Etcds, "cluster")
	if err == nil && !exists {
		err = fault.Newf(fault.NotFound, "read the configuration of etcd's operator", "there is no etcd cluster")
	}
	allowed, _ := found.Spec.Overrides[unsafeOverride].(bool)
	return allowed, err
}

// AllowUnsafe has etcd's operator roll out with fewer members than are safe, or ends that: state.Found if it is so already.
func (m *Members) AllowUnsafe(ctx context.Context, allowed bool) (state.Action, error) {
	api, err := m.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	if is, err := isUnsafeAllowed(ctx, api); err != nil || is == allowed {
		return state.Found, err
	}
	var value any // null deletes the key
	if allowed {
		value = true
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"unsupportedConfigOverrides": map[string]any{unsafeOverride: value}}})
	if err != nil {
		return "", fault.New(fault.Internal, "change the configuration of etcd's operator", err)
	}
	return state.Updated, api.Patch(ctx, kubeapi.Etcds, "cluster", patch)
}
