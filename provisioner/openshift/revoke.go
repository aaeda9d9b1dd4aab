package openshift

import (
	"context"
	"encoding/json"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

const clusterConfig resourcePath = "v1/configmaps@openshift-config"

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
func (c *Cluster) RevokeAdmin(ctx context.Context, emergency []byte) (state.Action, error) {
	access, err := c.openEmergency(ctx, emergency)
	if err != nil {
		return "", err
	}
	defer access.http.CloseIdleConnections()
	if _, err := access.verifyEmergency(ctx); err != nil {
		return "", err
	}
	admin, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	action, err := access.removeAuthority(ctx)
	if err != nil {
		return "", err
	}
	if err := c.waitRevoked(ctx, admin, access); err != nil {
		if ctx.Err() != nil {
			return "", err // the next call continues
		}
		return "", restoreAuthority(ctx, err, access, admin)
	}
	return action, access.patchAuthority(ctx, map[string]any{"metadata": map[string]any{"annotations": map[string]any{savedAuthority: nil}}})
}

// removeAuthority empties the config map of the CA, and saves the CA in an annotation.
func (a *api) removeAuthority(ctx context.Context) (state.Action, error) {
	found, exists, err := getObject[corev1.ConfigMap](ctx, a, clusterConfig, adminAuthority)
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
	return state.Updated, a.patchAuthority(ctx, map[string]any{
		"metadata": map[string]any{"resourceVersion": found.ResourceVersion, "annotations": map[string]any{savedAuthority: authority}},
		"data":     map[string]any{authorityKey: ""},
	})
}

func (a *api) patchAuthority(ctx context.Context, fields map[string]any) error {
	content, err := json.Marshal(fields)
	if err != nil {
		return fault.New(fault.Internal, revokeOp, err)
	}
	return a.patch(ctx, clusterConfig, adminAuthority, content)
}

func (c *Cluster) waitRevoked(ctx context.Context, admin, access *api) error {
	began, refusals, failures := c.net.Clock.Now(), 0, 0
	for refusals < minRefusals {
		if c.net.Clock.Now().Sub(began) > revokeTimeout {
			return fault.Newf(fault.Timeout, revokeOp, "the API still lets it in, or does not answer")
		}
		theirs, ours := access.checkAccess(ctx), admin.checkAccess(ctx)
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
			return fault.Newf(fault.Denied, revokeOp, "the API does not let the emergency access in any more")
		}
		if ended := c.net.Clock.Sleep(ctx, revokePause); ended != nil {
			return ended
		}
	}
	return nil
}

// checkAccess uses a new connection, so that each check may reach another API server.
func (a *api) checkAccess(ctx context.Context) error {
	a.http.CloseIdleConnections()
	_, _, err := getObject[identity](ctx, a, namespaces, "kube-system")
	return err
}

// restoreAuthority tries the accesses in order, and adds the result to the error.
func restoreAuthority(ctx context.Context, cause error, accesses ...*api) error {
	for _, access := range accesses {
		if access.restore(ctx) == nil {
			return fault.New(fault.KindOf(cause), cause.Error()+"; it is put back, and everything is as it was before", nil).
				WithHint("look at the cluster operator kube-apiserver, and start again")
		}
	}
	return fault.New(fault.KindOf(cause), cause.Error()+"; it could not be put back", nil).
		WithHint("copy the annotation %s of the config map openshift-config/%s back to its key %s", savedAuthority, adminAuthority, authorityKey)
}

func (a *api) restore(ctx context.Context) error {
	found, _, err := getObject[corev1.ConfigMap](ctx, a, clusterConfig, adminAuthority)
	if err != nil {
		return err
	}
	kept := found.Annotations[savedAuthority]
	if kept == "" {
		return fault.Newf(fault.NotFound, revokeOp, "the authority was not kept")
	}
	return a.patchAuthority(ctx, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{savedAuthority: nil}}, "data": map[string]any{authorityKey: kept},
	})
}
