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
	list = append(list, listFileSites()...)
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

// listFileSites returns hosts of which only what tells them from others is simulated.
func listFileSites() []site {
	github := http.Header{"X-Github-Request-Id": {"7C3A:1F2B:3D4E5F:6A7B8C:67000000"}}
	index := newTextHandler("text/yaml", "apiVersion: v1\nentries: {}\n")
	return []site{
		newWebSite(newPage("Let's Encrypt"), "letsencrypt.org"),
		newWebSite(withHeader(github, http.RedirectHandler("https://github.com/", http.StatusMovedPermanently)), "raw.githubusercontent.com"),
		newWebSite(index, "charts.jetstack.io"),
		newWebSite(withHeader(github, index), "helm.cilium.io"),
		newWebSite(newPage("Simple index"), "pypi.org"),
		newWebSite(withHeader(http.Header{"X-Served-By": {"cache-zrh-lszb2230002-ZRH"}}, newPage("Python package files")), "files.pythonhosted.org"),
		newWebSite(newJSONHandler(http.StatusOK, map[string]string{"modules.v1": "/v1/modules/", "providers.v1": "/v1/providers/"}), "registry.terraform.io"),
		newWebSite(newPage("terraform"), "releases.hashicorp.com"),
		newWebSite(newPage("Index of /"), "apt.puppetlabs.com"),
	}
}

func newTextHandler(kind, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { writeBody(w, r, http.StatusOK, kind, text) })
}
