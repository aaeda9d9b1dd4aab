// Package kube is a generic Kubernetes API: a store of objects and the HTTP handler that serves it the way client-go expects.
// The controllers are in package openshift.
package kube

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// Server serves Objects; each control plane machine of a cluster runs one.
type Server struct {
	Objects *Objects
	Authenticator
	// Authorize reports whether a request is allowed.
	Authorize func(Attributes) bool
	// Ready returns why this server cannot serve objects now, or nil.
	Ready func() error
	// Version of Kubernetes: "1.33.5".
	Version string
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, err := s.authenticateUser(r)
	if err != nil {
		writeError(w, err)
		return
	}
	if s.servePublic(w, r) {
		return
	}
	if err := s.Ready(); err != nil {
		writeError(w, newServiceUnavailable(err))
		return
	}
	if r.Method == http.MethodGet && (s.discover(w, r, user) || s.describe(w, r, user)) {
		return
	}
	if err := s.serveObjects(w, r, user); err != nil {
		writeError(w, err)
	}
}

// servePublic serves the paths that need no authentication.
func (s *Server) servePublic(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/version":
		major, minor, _ := strings.Cut(s.Version, ".")
		minor, _, _ = strings.Cut(minor, ".")
		writeJSON(w, http.StatusOK, Object{"major": major, "minor": minor, "gitVersion": "v" + s.Version, "platform": "linux/amd64"})
	case "/livez":
		writeText(w, http.StatusOK, "ok")
	case "/readyz", "/healthz":
		if err := s.Ready(); err != nil {
			writeText(w, http.StatusInternalServerError, "[-]etcd failed: reason withheld\n"+strings.Trim(r.URL.Path, "/")+" check failed\n")
			return true
		}
		writeText(w, http.StatusOK, "ok")
	default:
		return false
	}
	return true
}

func (s *Server) serveObjects(w http.ResponseWriter, r *http.Request, user User) error {
	if answered, err := s.serveReview(w, r, user); answered {
		return err
	}
	parsed, err := s.Objects.parse(r)
	if parsed.verb == "" {
		parsed.verb = strings.ToLower(r.Method)
	}
	if !s.Authorize(parsed.buildAttributes(user)) {
		return newForbidden(parsed, user)
	}
	if err != nil {
		return err
	}
	if parsed.query.Get("dryRun") != "" {
		return newBadRequest("dry runs are not simulated")
	}
	switch parsed.verb {
	case "list":
		return s.Objects.serveList(w, parsed)
	case "watch":
		return s.Objects.serveWatch(w, r, parsed)
	case "get":
		return s.Objects.serveGet(w, parsed)
	case "create":
		if parsed.fullResource() == "serviceaccounts/token" && s.Issue != nil {
			return s.serveToken(w, r, parsed)
		}
		return s.Objects.serveCreate(w, r, parsed, user)
	case "update":
		return s.Objects.serveUpdate(w, r, parsed)
	case "patch":
		return s.Objects.servePatch(w, r, parsed, user)
	case "delete":
		return s.Objects.serveDelete(w, r, parsed)
	}
	return newMethodNotAllowed()
}

func (r request) buildAttributes(user User) Attributes {
	return Attributes{User: user, Verb: r.verb, Group: r.kind.Group, Resource: r.fullResource(), Namespace: r.namespace,
		Name: r.name, Path: r.path, OwnerOfSpec: r.selectedNode()}
}

func writeError(w http.ResponseWriter, err error) {
	var failure *StatusError
	if !errors.As(err, &failure) {
		failure = newInternalError(err)
	}
	if failure.Plain {
		writeText(w, failure.Code, failure.Message+"\n")
		return
	}
	writeJSON(w, failure.Code, failure.toStatus())
}

// writeJSON ignores errors of a closed connection.
func writeJSON(w http.ResponseWriter, code int, body any) {
	content, err := json.Marshal(body)
	if err != nil {
		writeText(w, http.StatusInternalServerError, err.Error())
		return
	}
	writeRawJSON(w, code, content)
}

func writeRawJSON(w http.ResponseWriter, code int, content []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(content)
	_, _ = w.Write([]byte{'\n'})
}

func writeText(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body))
}
