package vault

import (
	"net/http"
	"strings"
)

// clusterMount is where clusters sign in by the token of their service account; a role is called as its tenant.
const clusterMount = "lieutenant"

func (v *Vault) login(r request) (reply, error) {
	switch {
	case v.config.OIDC.Issuer != "" && r.is(http.MethodPost, "auth/oidc/oidc/auth_url"):
		return v.authURL(r)
	case v.config.OIDC.Issuer != "" && r.is(http.MethodGet, "auth/oidc/oidc/callback"):
		return v.callback(r)
	case r.is(http.MethodPost, "auth/"+clusterMount+"/login"):
		return v.clusterLogin(r)
	}
	if r.secretToken() == "" {
		return reply{}, errDenied
	}
	return reply{}, noRoute(r.path)
}

// clusterLogin gives a cluster a token that may read what is its own.
func (v *Vault) clusterLogin(r request) (reply, error) {
	var body struct {
		Role string `json:"role"`
		JWT  string `json:"jwt"`
	}
	if err := r.decode(&body); err != nil {
		return reply{}, err
	}
	switch {
	case body.Role == "":
		return reply{}, refuse(http.StatusBadRequest, "missing role")
	case body.JWT == "":
		return reply{}, refuse(http.StatusBadRequest, "missing jwt")
	case !strings.HasPrefix(body.Role, "t-"):
		return reply{}, refuse(http.StatusBadRequest, "invalid role name %q", body.Role)
	}
	tenant, cluster, ok := v.account(body.JWT)
	if !ok {
		return reply{}, errDenied
	}
	if tenant != body.Role {
		return reply{}, refuse(http.StatusForbidden, "service account name not authorized")
	}
	t, err := v.issue("lieutenant-"+cluster, tokenLife, ClusterPolicy(tenant, cluster))
	return v.welcome(t), err
}

func (v *Vault) account(jwt string) (tenant, cluster string, ok bool) {
	if v.config.ServiceAccount == nil {
		return "", "", false
	}
	return v.config.ServiceAccount(jwt)
}
