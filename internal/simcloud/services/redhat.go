package services

import (
	"net/http"

	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/registry"
	"exoshift/internal/simcloud/server"
)

// amazon is where layers of quay.io are, too.
const amazon = "quayio-production-s3.s3.amazonaws.com"

// redhat is what OpenShift needs of its vendor beside its registries and its mirror.
func redhat() []site {
	list := []site{
		web(leads("/auth/realms/redhat-external/account/", page("Log in to your Red Hat account")), "sso.redhat.com"),
		web(page("Hybrid Cloud Console"), "console.redhat.com"),
		web(says(http.StatusUnauthorized, map[string]string{"message": "a certificate is required"}), "cert-api.access.redhat.com"),
		web(locked(map[string]string{"message": "Unauthorized"}), "api.access.redhat.com"),
		web(says(http.StatusNotFound, map[string]string{"message": "not found"}), "infogw.api.openshift.com"),
		web(updates(), "api.openshift.com"),
		{[]string{"access.redhat.com"}, (*services).access},
		{[]string{"storage.googleapis.com"}, (*services).google},
	}
	for _, name := range append([]string{"cdn.quay.io", amazon}, registry.QuayLayers()...) {
		list = append(list, layers(name))
	}
	for _, name := range []string{"0.rhel.pool.ntp.org", "1.rhel.pool.ntp.org", "2.rhel.pool.ntp.org", "3.rhel.pool.ntp.org"} {
		list = append(list, site{[]string{name}, func(*services) ([]server.Port, error) { return []server.Port{server.NTP{}}, nil }})
	}
	return list
}

// layers is a host that holds layers of registries.
func layers(name string) site {
	return site{[]string{name}, func(s *services) ([]server.Port, error) { return server.Web(s.warehouse), nil }}
}

// access is the vendor's portal, with one of the signature stores.
func (s *services) access() ([]server.Port, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /webassets/docker/content/sigstore/openshift-release-dev/{image}/signature-1", func(w http.ResponseWriter, r *http.Request) {
		s.signer.serve(w, r, cutPrefix(r.PathValue("image"), "ocp-release@sha256="))
	})
	mux.Handle("GET /", page("Red Hat Customer Portal"))
	return server.Web(mux), nil
}

// google is an object storage with another signature store. Whose path that is, is not confirmed.
func (s *services) google() ([]server.Port, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openshift-release/official/signatures/openshift/release/{digest}/signature-1", func(w http.ResponseWriter, r *http.Request) {
		s.signer.serve(w, r, cutPrefix(r.PathValue("digest"), "sha256="))
	})
	mux.HandleFunc("/openshift-release/", func(w http.ResponseWriter, _ *http.Request) {
		registry.Deny(w, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		registry.Deny(w, http.StatusBadRequest, "MissingSecurityHeader", "Your request was missing a required header.")
	})
	return server.Web(mux), nil
}

// signer signs releases that exist.
type signer struct{ key mirror.Key }

func (s signer) serve(w http.ResponseWriter, r *http.Request, hash string) {
	signed, err := s.key.Release("sha256:" + hash)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	answer(w, r, http.StatusOK, "application/octet-stream", string(signed))
}
