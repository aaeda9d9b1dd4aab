package services

import (
	"net/http"

	"exoshift/internal/simcloud/server"
)

// others are third parties, and Exoscale's page for people.
func others() []site {
	list := []site{
		web(leads("/login", page("Exoscale Portal")), "portal.exoscale.com"),
		web(acme("acme-v02.api.letsencrypt.org"), "acme-v02.api.letsencrypt.org"),
		web(acme("acme-staging-v02.api.letsencrypt.org"), "acme-staging-v02.api.letsencrypt.org"),
		web(says(http.StatusUnprocessableEntity, map[string]any{"message": "Key format is not valid!", "took": 0.001}), "api.opsgenie.com"),
		web(passbolt(), "cloud.passbolt.com"),
		web(says(http.StatusUnauthorized, map[string]string{"message": "Unauthorized"}), "gitlab.com"),
	}
	for _, name := range pages() {
		list = append(list, web(page(name), name))
	}
	for _, name := range []string{"archive.ubuntu.com", "security.ubuntu.com", "ch.archive.ubuntu.com"} {
		list = append(list, site{[]string{name}, func(*services) ([]server.Port, error) {
			return []server.Port{server.HTTP{Handler: page("Index of /ubuntu")}}, nil
		}})
	}
	return list
}

// acme is an authority that gives certificates away, as far as its directory (RFC 8555, 7.1.1).
func acme(host string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /directory", says(http.StatusOK, map[string]any{
		"newNonce": "https://" + host + "/acme/new-nonce", "newAccount": "https://" + host + "/acme/new-acct",
		"newOrder": "https://" + host + "/acme/new-order", "revokeCert": "https://" + host + "/acme/revoke-cert",
		"keyChange": "https://" + host + "/acme/key-change",
		"meta":      map[string]any{"caaIdentities": []string{"letsencrypt.org"}, "website": "https://letsencrypt.org"},
	}))
	mux.Handle("GET /{$}", page("Boulder"))
	return mux
}

func passbolt() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /vshn/healthcheck/status.json", says(http.StatusOK, map[string]any{"header": map[string]string{"status": "success"}, "body": "OK"}))
	mux.Handle("/", page("Passbolt"))
	return mux
}

// pages are hosts of which nothing is known but that they answer.
func pages() []string {
	return []string{
		"letsencrypt.org", "raw.githubusercontent.com", "charts.jetstack.io", "helm.cilium.io", "pypi.org", "files.pythonhosted.org",
		"registry.terraform.io", "releases.hashicorp.com", "apt.puppetlabs.com",
	}
}
