// Package adminaccess changes who is an administrator of a cluster: the authorities whose client certificates its API servers accept, and
// tokens of a service account for a while.
package adminaccess

import (
	"context"
	"encoding/json"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

const (
	clusterConfig kubeapi.ResourcePath = "v1/configmaps@openshift-config"
	namespaces    kubeapi.ResourcePath = "v1/namespaces"
)

// The authorities of administrators' client certificates, which openshift-install makes for ten years. The API servers reload them.
const (
	authorities  = "admin-kubeconfig-client-ca"
	authorityKey = "ca-bundle.crt"
)

// Changer changes the accesses of administrators.
type Changer struct{ connector *kubeapi.Connector }

// New returns a changer of the connector's cluster.
func New(connector *kubeapi.Connector) *Changer { return &Changer{connector} }

// ListAdminAuthorities returns the authorities of administrators, as PEM, one after the other. fault.NotFound: the cluster has none.
func (c *Changer) ListAdminAuthorities(ctx context.Context) ([][]byte, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, exists, err := kubeapi.Get[corev1.ConfigMap](ctx, api, clusterConfig, authorities)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, fault.Newf(fault.NotFound, "read the authorities of administrators", "the config map openshift-config/%s does not exist", authorities)
	}
	return splitPEM(found.Data[authorityKey]), nil
}

// EnsureAdminAuthority has the API servers accept certificates of an authority, beside those that they accept already.
func (c *Changer) EnsureAdminAuthority(ctx context.Context, authority []byte) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	return changeAuthorities(ctx, api, authority, true)
}

// RemoveAdminAuthority has the API servers accept no certificates of an authority any more. It is refused if no other would be left.
func (c *Changer) RemoveAdminAuthority(ctx context.Context, authority []byte) (state.Action, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	return changeAuthorities(ctx, api, authority, false)
}

// RestoreAdminAuthority is EnsureAdminAuthority by another access, where the administrator's own does not work any more.
func (c *Changer) RestoreAdminAuthority(ctx context.Context, token, authority []byte) (state.Action, error) {
	api, err := c.connectToken(token)
	if err != nil {
		return "", err
	}
	defer api.Close()
	return changeAuthorities(ctx, api, authority, true)
}

func changeAuthorities(ctx context.Context, api *kubeapi.Client, authority []byte, wanted bool) (state.Action, error) {
	const op = "change the authorities of administrators"
	return kubeapi.RetryOnConflict(func() (state.Action, error) {
		found, exists, err := kubeapi.Get[corev1.ConfigMap](ctx, api, clusterConfig, authorities)
		switch {
		case err != nil:
			return "", err
		case !exists:
			return "", fault.Newf(fault.NotFound, op, "the config map openshift-config/%s does not exist", authorities)
		}
		var bundle []string
		has := false
		for _, one := range splitPEM(found.Data[authorityKey]) {
			if isSame(one, authority) {
				has = true
				continue
			}
			bundle = append(bundle, string(one))
		}
		switch {
		case has == wanted:
			return state.Found, nil
		case wanted:
			bundle = append(bundle, strings.TrimSpace(string(authority))+"\n")
		case len(bundle) == 0:
			return "", fault.Newf(fault.Conflict, op, "it is the only one")
		}
		change, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": found.ResourceVersion}, "data": map[string]string{authorityKey: strings.Join(bundle, "")},
		})
		if err != nil {
			return "", fault.New(fault.Internal, op, err)
		}
		return state.Updated, api.Patch(ctx, clusterConfig, authorities, change)
	})
}

// CheckKubeconfig returns nil if the API accepts a kubeconfig with a client certificate, and fault.Denied if it refuses it. Each call makes a
// connection of its own, so that it may reach another API server.
func (c *Changer) CheckKubeconfig(ctx context.Context, kubeconfig []byte) error {
	connector := kubeapi.NewConnector(c.connector.Network, func() ([]byte, error) { return kubeconfig, nil })
	defer connector.Close()
	api, err := connector.Connect(ctx)
	if err != nil {
		return err
	}
	return check(ctx, api)
}

// CheckToken is CheckKubeconfig of a kubeconfig with a token.
func (c *Changer) CheckToken(ctx context.Context, kubeconfig []byte) error {
	api, err := c.connectToken(kubeconfig)
	if err != nil {
		return err
	}
	defer api.Close()
	return check(ctx, api)
}

func check(ctx context.Context, api *kubeapi.Client) error {
	_, _, err := kubeapi.Get[corev1.Namespace](ctx, api, namespaces, "kube-system")
	return err
}
