package services

import (
	"net/http"

	"exoshift/internal/simcloud/server"
)

const (
	lieutenantHost = "api.syn.vshn.net"
	loginHost      = "id.vshn.net"
	vaultHost      = "vault-prod.syn.vshn.net"
	gitHost        = "git.vshn.net"
	openSSH        = "SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13.14"
	// issuer is who signs the logins; what the real one is called is not published.
	issuer = "https://" + loginHost + "/realms/simulated"
)

// sshHosts are reached by SSH only.
func sshHosts() []string {
	return []string{"management2.corp.vshn.net", "master8.puppet.vshn.net", "master3.prod.monitoring.vshn.net"}
}

// HostKeys returns the SSH host keys of the internet that a seed makes, by host, each as "ssh-ed25519 AAAA…".
func HostKeys(seed []byte) (map[string]string, error) {
	keys := map[string]string{}
	for _, host := range append(sshHosts(), gitHost) {
		key, err := server.HostKey(seed, host)
		if err != nil {
			return nil, err
		}
		keys[host] = server.AuthorizedKey(key)
	}
	return keys, nil
}

// vshn is Project Syn, and what else VSHN has.
func vshn() []site {
	list := []site{
		web(lieutenant(), lieutenantHost), web(lieutenant(), "api-int.syn.vshn.net"), web(login(), loginHost), web(vault(), vaultHost),
		{[]string{gitHost}, (*services).git},
		web(locked(map[string]string{"detail": "Authentication credentials were not provided."}), "control.vshn.net"),
		web(acmeDNS(), "acme-dns-api.vshn.net"),
		web(locked(map[string]string{"error": "unauthorized"}), "metrics-receive.appuio.net"),
		{[]string{"master.puppet.vshn.net"}, puppet},
		web(leads("/authentication/login", page("Icinga Web")), "monitoring.vshn.net"),
		web(page("VSHN knowledge base"), "kb.vshn.ch"),
	}
	for _, host := range sshHosts() {
		list = append(list, sshd(openSSH, host))
	}
	return list
}

// lieutenant is the API of Project Syn, as far as it is open to all.
func lieutenant() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, http.StatusOK, "text/plain; charset=UTF-8", "ok")
	})
	mux.Handle("GET /{$}", says(http.StatusOK, map[string]any{
		"apiVersion": "v0.12.0",
		"oidc":       map[string]string{"clientId": "lieutenant", "discoveryUrl": issuer + "/.well-known/openid-configuration"},
		"vault":      map[string]string{"addr": "https://" + vaultHost, "loginMethod": "oidc"},
	}))
	mux.Handle("/", says(http.StatusBadRequest, map[string]string{"reason": "missing or malformed jwt"}))
	return mux
}

func login() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /realms/simulated/.well-known/openid-configuration", says(http.StatusOK, map[string]any{
		"issuer":                   issuer,
		"authorization_endpoint":   issuer + "/protocol/openid-connect/auth",
		"token_endpoint":           issuer + "/protocol/openid-connect/token",
		"jwks_uri":                 issuer + "/protocol/openid-connect/certs",
		"response_types_supported": []string{"code"},
		"scopes_supported":         []string{"openid", "email", "profile"},
	}))
	mux.Handle("GET /{$}", page("Sign in"))
	return mux
}

// vault is one that is active and unsealed.
func vault() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /v1/sys/health", says(http.StatusOK, map[string]any{
		"initialized": true, "sealed": false, "standby": false, "performance_standby": false,
		"replication_performance_mode": "disabled", "replication_dr_mode": "disabled", "version": "1.15.6", "cluster_name": "vault-prod",
	}))
	mux.Handle("GET /{$}", leads("/ui/", page("Vault")))
	mux.Handle("GET /ui/", page("Vault"))
	mux.Handle("/v1/", says(http.StatusForbidden, map[string][]string{"errors": {"permission denied"}}))
	return mux
}

// git is GitLab, by HTTPS and by SSH.
func (s *services) git() ([]server.Port, error) {
	mux := http.NewServeMux()
	mux.Handle("/api/v4/", says(http.StatusUnauthorized, map[string]string{"message": "401 Unauthorized"}))
	mux.Handle("/", leads("/users/sign_in", page("GitLab")))
	port, err := s.ssh("SSH-2.0-GitLab-SSHD", gitHost)
	return append(server.Web(mux), port), err
}

// acmeDNS is joohoi/acme-dns.
func acmeDNS() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.Handle("POST /update", says(http.StatusUnauthorized, map[string]string{"error": "forbidden"}))
	return mux
}

// puppet has an authority of its own, and shows its agents' business to nobody else.
func puppet(*services) ([]server.Port, error) {
	ca, err := puppetCA()
	handler := says(http.StatusForbidden, map[string]string{"message": "Forbidden request", "issue_kind": "FORBIDDEN"})
	return []server.Port{server.HTTPS{Port: 8140, Handler: handler, CA: ca}}, err
}
