package emergency

import (
	"context"
	"encoding/json"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

const clusterConfig kubeapi.ResourcePath = "v1/configmaps@openshift-config"

// The client CA of the kubeconfig that openshift-install wrote, which is valid for ten years.
const (
	adminAuthority = "admin-kubeconfig-client-ca"
	authorityKey   = "ca-bundle.crt"
	// savedAuthority is the annotation that keeps the CA certificate until the revocation is proven. It holds no key.
	savedAuthority = "exoshift-kept-authority"
)

const (
	// revokeTimeout is how long the API servers may take to reload the CA: each one gets it from its node.
	revokeTimeout = 15 * time.Minute
	revokePause   = 10 * time.Second
	// minRefusals consecutive ones, each on a new connection, are taken for those of all API servers behind a load balancer.
	minRefusals = 6
	// maxFailures consecutive ones are no coincidence: the emergency access no longer works.
	maxFailures = 3
)

const revokeOp = "invalidate the administrator's kubeconfig"

// RevokeAdmin revokes the kubeconfig that openshift-install wrote, with the emergency access, after verifying that. Then it
// verifies that the API refuses the one and accepts the other; unless both hold within a quarter of an hour, everything is
// restored. It resumes an interrupted revocation. state.Found: nothing had to be changed.
func (v *Verifier) RevokeAdmin(ctx context.Context, emergency []byte) (state.Action, error) {
	access, err := v.openEmergency(ctx, emergency)
	if err != nil {
		return "", err
	}
	defer access.Close()
	if _, err := verifyEmergency(ctx, access); err != nil {
		return "", err
	}
	admin, err := v.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	action, err := removeAuthority(ctx, access)
	if err != nil {
		return "", err
	}
	if err := waitRevoked(ctx, admin, access); err != nil {
		if ctx.Err() != nil {
			return "", err // the next call continues
		}
		return "", restoreAuthority(ctx, err, access, admin)
	}
	return action, patchAuthority(ctx, access, map[string]any{"metadata": map[string]any{"annotations": map[string]any{savedAuthority: nil}}})
}

// removeAuthority empties the config map of the CA, and saves the CA in an annotation.
func removeAuthority(ctx context.Context, api *kubeapi.Client) (state.Action, error) {
	found, exists, err := kubeapi.Get[corev1.ConfigMap](ctx, api, clusterConfig, adminAuthority)
	if err != nil {
		return "", err
	}
	if !exists {
		return "", fault.Newf(fault.NotFound, revokeOp, "the config map openshift-config/%s does not exist", adminAuthority)
	}
	authority := found.Data[authorityKey]
	if authority == "" {
		return state.Found, nil
	}
	return state.Updated, patchAuthority(ctx, api, map[string]any{
		"metadata": map[string]any{"resourceVersion": found.ResourceVersion, "annotations": map[string]any{savedAuthority: authority}},
		"data":     map[string]any{authorityKey: ""},
	})
}

func patchAuthority(ctx context.Context, api *kubeapi.Client, fields map[string]any) error {
	content, err := json.Marshal(fields)
	if err != nil {
		return fault.New(fault.Internal, revokeOp, err)
	}
	return api.Patch(ctx, clusterConfig, adminAuthority, content)
}

func waitRevoked(ctx context.Context, admin, access *kubeapi.Client) error {
	clock := admin.Network.Clock
	began, refusals, failures := clock.Now(), 0, 0
	for refusals < minRefusals {
		if clock.Now().Sub(began) > revokeTimeout {
			return fault.Newf(fault.Timeout, revokeOp, "the API still accepts it, or does not respond")
		}
		theirs, ours := checkAccess(ctx, access), checkAccess(ctx, admin)
		switch {
		case fault.Is(theirs, fault.Denied):
			failures++
		case theirs != nil: // no response
		case ours == nil:
			refusals, failures = 0, 0
		case fault.Is(ours, fault.Denied):
			refusals, failures = refusals+1, 0
		}
		if failures >= maxFailures {
			return fault.Newf(fault.Denied, revokeOp, "the API no longer accepts the emergency access")
		}
		if ended := clock.Sleep(ctx, revokePause); ended != nil {
			return ended
		}
	}
	return nil
}

// checkAccess uses a new connection, so that each check may reach another API server.
func checkAccess(ctx context.Context, api *kubeapi.Client) error {
	api.Close()
	_, _, err := kubeapi.Get[identity](ctx, api, namespaces, "kube-system")
	return err
}

// restoreAuthority tries the accesses in order, and adds the result to the error.
func restoreAuthority(ctx context.Context, cause error, accesses ...*kubeapi.Client) error {
	for _, access := range accesses {
		if restore(ctx, access) == nil {
			return fault.New(fault.KindOf(cause), cause.Error()+"; the change was reverted", nil).
				WithHint("check the cluster operator kube-apiserver, and run again")
		}
	}
	return fault.New(fault.KindOf(cause), cause.Error()+"; it could not be reverted", nil).
		WithHint("copy the annotation %s of the config map openshift-config/%s back to its key %s", savedAuthority, adminAuthority, authorityKey)
}

func restore(ctx context.Context, api *kubeapi.Client) error {
	found, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, clusterConfig, adminAuthority)
	if err != nil {
		return err
	}
	kept := found.Annotations[savedAuthority]
	if kept == "" {
		return fault.Newf(fault.NotFound, revokeOp, "the authority was not kept")
	}
	return patchAuthority(ctx, api, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{savedAuthority: nil}}, "data": map[string]any{authorityKey: kept},
	})
}
