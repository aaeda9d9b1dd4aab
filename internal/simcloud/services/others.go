package services

import (
	"net/http"

	"exoshift/internal/simcloud/server"
)

// listOtherSites returns third parties, and Exoscale's web site.
func listOtherSites() []site {
	list := []site{
		newWebSite(redirectRoot("/login", newPage("Exoscale Portal")), "portal.exoscale.com"),
		newWebSite(newACMEDirectory("acme-v02.api.letsencrypt.org"), "acme-v02.api.letsencrypt.org"),
		newWebSite(newACMEDirectory("acme-staging-v02.api.letsencrypt.org"), "acme-staging-v02.api.letsencrypt.org"),
		newWebSite(newJSONHandler(http.StatusUnprocessableEntity, map[string]any{"message": "Key format is not valid!", "took": 0.001}), "api.opsgenie.com"),
		newWebSite(newPassbolt(), "cloud.passbolt.com"),
		newWebSite(newJSONHandler(http.StatusUnauthorized, map[string]string{"message": "Unauthorized"}), "gitlab.com"),
	}
	for _, name := range listPageHosts() {
		list = append(list, newWebSite(newPage(name), name))
	}
	for _, name := range []string{"archive.ubuntu.com", "security.ubuntu.com", "ch.archive.ubuntu.com"} {
		list = append(list, site{[]string{name}, func(*services) ([]server.Port, error) {
			return []server.Port{server.HTTP{Handler: newPage("Index of /ubuntu")}}, nil
		}})
	}
	return list
}

// newACMEDirectory is a certificate authority with only its directory (RFC 8555, 7.1.1).
func newACMEDirectory(host string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /directory", newJSONHandler(http.StatusOK, map[string]any{
		"newNonce": "https://" + host + "/acme/new-nonce", "newAccount": "https://" + host + "/acme/new-acct",
		"newOrder": "https://" + host + "/acme/new-order", "revokeCert": "https://" + host + "/acme/revoke-cert",
		"keyChange": "https://" + host + "/acme/key-change",
		"meta":      map[string]any{"caaIdentities": []string{"letsencrypt.org"}, "website": "https://letsencrypt.org"},
	}))
	mux.Handle("GET /{$}", newPage("Boulder"))
	return mux
}

func newPassbolt() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /vshn/healthcheck/status.json", newJSONHandler(http.StatusOK, map[string]any{"header": map[string]string{"status": "success"}, "body": "OK"}))
	mux.Handle("/", newPage("Passbolt"))
	return mux
}

// listPageHosts returns hosts of which nothing is known except that they respond.
func listPageHosts() []string {
	return []string{
		"letsencrypt.org", "raw.githubusercontent.com", "charts.jetstack.io", "helm.cilium.io", "pypi.org", "files.pythonhosted.org",
		"registry.terraform.io", "releases.hashicorp.com", "apt.puppetlabs.com",
	}
}
