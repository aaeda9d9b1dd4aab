package vault

import (
	"net/http"
	"strings"
)

// clusterMount is the auth mount for service accounts of clusters; each tenant has a role of its name.
const clusterMount = "lieutenant"

func (v *Vault) serveLogin(r request) (reply, error) {
	switch {
	case v.oidc.Issuer != "" && r.is(http.MethodPost, "auth/oidc/oidc/auth_url"):
		return v.oidc.serveAuthURL(r)
	case v.oidc.Issuer != "" && r.is(http.MethodGet, "auth/oidc/oidc/callback"):
		return v.oidc.serveCallback(r)
	case r.is(http.MethodPost, "auth/"+clusterMount+"/login"):
		return v.loginCluster(r)
	}
	if r.getToken() == "" {
		return reply{}, errDenied
	}
	return reply{}, newNoRoute(r.path)
}

func (v *Vault) loginCluster(r request) (reply, error) {
	var body struct {
		Role string `json:"role"`
		JWT  string `json:"jwt"`
	}
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	switch {
	case body.Role == "":
		return reply{}, newAPIError(http.StatusBadRequest, "missing role")
	case body.JWT == "":
		return reply{}, newAPIError(http.StatusBadRequest, "missing jwt")
	case !strings.HasPrefix(body.Role, "t-"):
		return reply{}, newAPIError(http.StatusBadRequest, "invalid role name %q", body.Role)
	}
	tenant, cluster, ok := v.findAccount(body.JWT)
	if !ok {
		return reply{}, errDenied
	}
	if tenant != body.Role {
		return reply{}, newAPIError(http.StatusForbidden, "service account name not authorized")
	}
	t, err := v.tokens.create("lieutenant-"+cluster, tokenLife, FormatClusterPolicy(tenant, cluster))
	return v.tokens.newAuthReply(t), err
}

func (v *Vault) findAccount(jwt string) (tenant, cluster string, ok bool) {
	if v.config.ServiceAccount == nil {
		return "", "", false
	}
	return v.config.ServiceAccount(jwt)
}
