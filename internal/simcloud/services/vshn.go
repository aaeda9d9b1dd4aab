package services

import (
	"net/http"

	"exoshift/internal/simcloud/server"
)

const (
	// GitHost is the host of the repositories.
	GitHost        = "git.vshn.net"
	lieutenantHost = "api.syn.vshn.net"
	otherInstance  = "api-int.syn.vshn.net" // of Lieutenant
	loginHost      = "id.vshn.net"
	vaultHost      = "vault-prod.syn.vshn.net"
	acmeHost       = "acme-dns-api.vshn.net"
	openSSH        = "SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13.14"
)

// ProjectSyn contains the handlers of Project Syn's hosts.
type ProjectSyn struct {
	Lieutenant, SignOn, Vault, Git, ACME http.Handler
	GitSSH                               server.Port
}

// listSSHHosts returns the hosts with SSH only.
func listSSHHosts() []string {
	return []string{"management2.corp.vshn.net", "master8.puppet.vshn.net", "master3.prod.monitoring.vshn.net"}
}

// HostKeys returns the SSH host keys that are derived from a seed, by host, each as "ssh-ed25519 AAAA…".
func HostKeys(seed []byte) (map[string]string, error) {
	keys := map[string]string{}
	for _, host := range append(listSSHHosts(), GitHost) {
		key, err := server.DeriveHostKey(seed, host)
		if err != nil {
			return nil, err
		}
		keys[host] = server.FormatAuthorizedKey(key)
	}
	return keys, nil
}

// listVSHNSites returns Project Syn, and VSHN's other hosts.
func listVSHNSites() []site {
	list := []site{
		newSynSite(lieutenantHost, func(p ProjectSyn) http.Handler { return p.Lieutenant }),
		newWebSite(newForeignLieutenant(), otherInstance),
		newSynSite(loginHost, func(p ProjectSyn) http.Handler { return p.SignOn }),
		newSynSite(vaultHost, func(p ProjectSyn) http.Handler { return p.Vault }),
		{[]string{GitHost}, newGitPorts},
		newWebSite(requireToken(map[string]string{"detail": "Authentication credentials were not provided."}), "control.vshn.net"),
		newSynSite(acmeHost, func(p ProjectSyn) http.Handler { return p.ACME }),
		newWebSite(requireToken(map[string]string{"error": "unauthorized"}), "metrics-receive.appuio.net"),
		{[]string{"master.puppet.vshn.net"}, newPuppetPorts},
		newWebSite(redirectRoot("/authentication/login", newPage("Icinga Web")), "monitoring.vshn.net"),
		newWebSite(newPage("VSHN knowledge base"), "kb.vshn.ch"),
	}
	for _, host := range listSSHHosts() {
		list = append(list, newSSHSite(openSSH, host))
	}
	return list
}

func newSynSite(host string, part func(ProjectSyn) http.Handler) site {
	return site{[]string{host}, func(s *services) ([]server.Port, error) { return server.NewWebPorts(part(s.config.Syn)), nil }}
}

func newGitPorts(s *services) ([]server.Port, error) {
	return append(server.NewWebPorts(s.config.Syn.Git), s.config.Syn.GitSSH), nil
}

// newForeignLieutenant is another Lieutenant, which refuses every token.
func newForeignLieutenant() http.Handler {
	const issuer = "https://" + loginHost + "/realms/integration"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		writeBody(w, r, http.StatusOK, "text/plain; charset=UTF-8", "ok")
	})
	mux.Handle("GET /{$}", newJSONHandler(http.StatusOK, map[string]any{
		"apiVersion": "v0.12.0",
		"oidc":       map[string]string{"clientId": "lieutenant", "discoveryUrl": issuer + "/.well-known/openid-configuration"},
		"vault":      map[string]string{"addr": "https://vault-int.syn.vshn.net", "loginMethod": "oidc"},
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			writeJSON(w, r, http.StatusUnauthorized, map[string]string{"reason": "Unauthorized"})
			return
		}
		writeJSON(w, r, http.StatusBadRequest, map[string]string{"reason": "missing or malformed jwt"})
	})
	return mux
}

// newPuppetPorts has an authority of its own, and refuses every request: there are no agents here.
func newPuppetPorts(*services) ([]server.Port, error) {
	ca, err := newPuppetCA()
	handler := newJSONHandler(http.StatusForbidden, map[string]string{"message": "Forbidden request", "issue_kind": "FORBIDDEN"})
	return []server.Port{server.HTTPS{Port: 8140, Handler: handler, CA: ca}}, err
}
