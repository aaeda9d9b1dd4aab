package services

import (
	"net/http"

	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/registry"
	"exoshift/internal/simcloud/server"
)

// amazonLayers is an additional host of quay.io's layers.
const amazonLayers = "quayio-production-s3.s3.amazonaws.com"

// listRedHatSites returns the vendor's services beside its registries and its mirror.
func listRedHatSites() []site {
	list := []site{
		newWebSite(newRedHatLogin(), "sso.redhat.com"),
		newWebSite(newPage("Hybrid Cloud Console"), "console.redhat.com"),
		newWebSite(newJSONHandler(http.StatusUnauthorized, map[string]string{"message": "a certificate is required"}), "cert-api.access.redhat.com"),
		newWebSite(requireToken(map[string]string{"message": "Unauthorized"}), "api.access.redhat.com"),
		newWebSite(newJSONHandler(http.StatusNotFound, map[string]string{"message": "not found"}), "infogw.api.openshift.com"),
		newWebSite(newUpdateService(), "api.openshift.com"),
		{[]string{"access.redhat.com"}, (*services).newAccessPorts},
		{[]string{"storage.googleapis.com"}, (*services).newGooglePorts},
	}
	for _, name := range append([]string{"cdn.quay.io", amazonLayers}, registry.QuayLayers()...) {
		list = append(list, newLayerSite(name))
	}
	for _, name := range []string{"0.rhel.pool.ntp.org", "1.rhel.pool.ntp.org", "2.rhel.pool.ntp.org", "3.rhel.pool.ntp.org"} {
		list = append(list, site{[]string{name}, func(*services) ([]server.Port, error) { return []server.Port{server.NTP{}}, nil }})
	}
	return list
}

// newRedHatLogin is an OpenID provider with only its discovery.
func newRedHatLogin() http.Handler {
	const realm = "/auth/realms/redhat-external"
	mux := http.NewServeMux()
	mux.Handle("GET "+realm+"/.well-known/openid-configuration", newJSONHandler(http.StatusOK, map[string]string{"issuer": "https://sso.redhat.com" + realm}))
	mux.Handle("/", redirectRoot(realm+"/account/", newPage("Log in to your Red Hat account")))
	return mux
}

// newLayerSite is a host of a delivery network, which marks its responses.
func newLayerSite(name string) site {
	mark := http.Header{"X-Amz-Cf-Id": {"0PkbfHRCPyoXeKUm95wqYE3c7I3CZaLUkg5bKxHUVqbPU9uw4N3vdQ"}}
	switch name {
	case amazonLayers:
		mark = http.Header{"X-Amz-Request-Id": {"1795FED301D31540"}}
	case dockerLayers:
		mark = http.Header{"Cf-Ray": {"8f1c2d3e4f5a6b7c-ZRH"}}
	case githubLayers:
		mark = http.Header{"X-Served-By": {"cache-zrh-lszb2230001-ZRH"}}
	}
	return site{[]string{name}, func(s *services) ([]server.Port, error) { return server.NewWebPorts(withHeader(mark, s.blobs)), nil }}
}

// newAccessPorts is the vendor's portal, with one of the signature stores.
func (s *services) newAccessPorts() ([]server.Port, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /webassets/docker/content/sigstore/openshift-release-dev/{image}/signature-1", func(w http.ResponseWriter, r *http.Request) {
		s.signer.serve(w, r, trimPrefix(r.PathValue("image"), "ocp-release@sha256="))
	})
	mux.Handle("GET /", newPage("Red Hat Customer Portal"))
	return server.NewWebPorts(mux), nil
}

// newGooglePorts is an object storage with another signature store. The owner of its path is not confirmed.
func (s *services) newGooglePorts() ([]server.Port, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openshift-release/official/signatures/openshift/release/{digest}/signature-1", func(w http.ResponseWriter, r *http.Request) {
		s.signer.serve(w, r, trimPrefix(r.PathValue("digest"), "sha256="))
	})
	mux.HandleFunc("/openshift-release/", func(w http.ResponseWriter, _ *http.Request) {
		registry.WriteAccessDenied(w, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		registry.WriteAccessDenied(w, http.StatusBadRequest, "MissingSecurityHeader", "Your request was missing a required header.")
	})
	return server.NewWebPorts(mux), nil
}

type signer struct{ key mirror.Key }

func (s signer) serve(w http.ResponseWriter, r *http.Request, hash string) {
	signed, err := s.key.Release("sha256:" + hash)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	writeBody(w, r, http.StatusOK, "application/octet-stream", string(signed))
}
