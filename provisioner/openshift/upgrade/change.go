package upgrade

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// SetChannel sets the channel of updates: state.Found if it is that already.
func (u *Updater) SetChannel(ctx context.Context, channel string) (state.Action, error) {
	return u.changeVersion(ctx, func(found clusterVersion) (map[string]any, error) {
		if found.Spec.Channel == channel {
			return nil, nil
		}
		return map[string]any{"channel": channel}, nil
	})
}

// RequestUpdate requests the update to a release: state.Found if it is requested already. fault.Conflict: the cluster does not have that
// release in its list any more, or another one was requested meanwhile. What skips the checks of OpenShift is never requested, and taken
// back if somebody has left it.
func (u *Updater) RequestUpdate(ctx context.Context, version string) (state.Action, error) {
	const op = "request the update"
	return u.changeVersion(ctx, func(found clusterVersion) (map[string]any, error) {
		seen := found.toStatus()
		switch {
		case seen.Wanted == version:
			return nil, nil
		case seen.Wanted != "" && seen.Wanted != seen.Version:
			return nil, fault.Newf(fault.Conflict, op, "%s has requested %s meanwhile", describeOwner(seen.By), seen.Wanted)
		case seen.FindRelease(version) == nil:
			return nil, fault.Newf(fault.Conflict, op, "%s is not in the list of updates of channel %s any more", version, seen.Channel)
		}
		return map[string]any{"desiredUpdate": map[string]any{"version": version, "image": nil, "force": nil, "architecture": nil}}, nil
	})
}

func describeOwner(by string) string {
	if by == "" {
		return "somebody"
	}
	return by
}

// changeVersion patches the spec of the very ClusterVersion that was read; nil: there is nothing to change.
func (u *Updater) changeVersion(ctx context.Context, change func(clusterVersion) (map[string]any, error)) (state.Action, error) {
	api, err := u.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	return kubeapi.RetryOnConflict(func() (state.Action, error) {
		found, _, err := kubeapi.Get[clusterVersion](ctx, api, kubeapi.ClusterVersions, versionName)
		if err != nil {
			return "", err
		}
		spec, err := change(found)
		if err != nil || spec == nil {
			return state.Found, err
		}
		patch, err := encode(map[string]any{"metadata": map[string]any{"resourceVersion": found.Metadata.ResourceVersion}, "spec": spec})
		if err != nil {
			return "", err
		}
		return state.Updated, api.Patch(ctx, kubeapi.ClusterVersions, versionName, patch)
	})
}

// Acknowledge answers a decision that OpenShift asks for: state.Found if it was answered.
func (u *Updater) Acknowledge(ctx context.Context, key string) (state.Action, error) {
	api, err := u.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	found, exists, err := kubeapi.Get[corev1.ConfigMap](ctx, api, acks, acksName)
	if err != nil {
		return "", err
	}
	data := map[string]any{key: "true"}
	switch {
	case found.Data[key] == "true":
		return state.Found, nil
	case !exists:
		_, err := api.Create(ctx, acks, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": acksName, "namespace": "openshift-config"}, "data": data})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return "", api.ToFault(ctx, "acknowledge "+key, err)
		}
		if err == nil {
			return state.Created, nil
		}
	}
	patch, err := encode(map[string]any{"data": data})
	if err != nil {
		return "", err
	}
	return state.Updated, api.Patch(ctx, acks, acksName, patch)
}

// SetPaused pauses a machine config pool or ends that: state.Found if it is so already, fault.NotFound if there is no such pool.
func (u *Updater) SetPaused(ctx context.Context, pool string, paused bool) (state.Action, error) {
	api, err := u.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	found, exists, err := kubeapi.Get[struct {
		Spec struct {
			Paused bool `json:"paused"`
		} `json:"spec"`
	}](ctx, api, kubeapi.MachineConfigPools, pool)
	switch {
	case err != nil:
		return "", err
	case !exists:
		return "", fault.Newf(fault.NotFound, "change the machine config pool "+pool, "there is no such pool")
	case found.Spec.Paused == paused:
		return state.Found, nil
	}
	patch, err := encode(map[string]any{"spec": map[string]any{"paused": paused}})
	if err != nil {
		return "", err
	}
	return state.Updated, api.Patch(ctx, kubeapi.MachineConfigPools, pool, patch)
}
