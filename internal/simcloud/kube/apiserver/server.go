// Package apiserver is a generic Kubernetes API server: it serves objects the way client-go expects.
package apiserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"exoshift/internal/simcloud/kube"
)

// Server serves Objects; each control plane machine of a cluster runs one.
type Server struct {
	Objects *kube.Objects
	Authenticator
	// Authorize reports whether a request is allowed.
	Authorize func(Attributes) bool
	// Ready returns why this server cannot serve objects now, or nil.
	Ready func() error
	// Exec runs a command in a container of a pod; nil: no container runs.
	Exec func(pod kube.Object, container string, command []string) ExecResult
	// Version of Kubernetes: "1.33.5".
	Version string
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if accepted, err := negotiate(r, true); err == nil {
		w = selectWriter(w, accepted) // errors are of this format, too
	}
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
	if r.Method == http.MethodGet && (discover(w, r, user, s) || describe(w, r, user, s)) {
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
		writeJSON(w, http.StatusOK, kube.Object{"major": major, "minor": minor, "gitVersion": "v" + s.Version, "platform": "linux/amd64"})
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
	parsed, err := parseRequest(s.Objects, r)
	if parsed.verb == "" {
		parsed.verb = strings.ToLower(r.Method)
	}
	if !s.Authorize(parsed.buildAttributes(user)) {
		return newForbidden(parsed, user)
	}
	if err != nil {
		return err
	}
	accepted, err := negotiate(r, loadCodec().HasType(parsed.kind))
	if err != nil {
		return err
	}
	parsed.table = accepted == asTable
	w = selectWriter(w, accepted)
	served := resources{Objects: s.Objects}
	if served.dryRun, err = parsed.parseOptions(); err != nil {
		return err
	}
	return s.serveVerb(w, r, served, parsed, user)
}

func (s *Server) serveVerb(w http.ResponseWriter, r *http.Request, served resources, parsed request, user User) error {
	switch parsed.verb {
	case "list":
		return served.serveList(w, parsed)
	case "watch":
		return serveWatch(s.Objects, w, r, parsed)
	case "get":
		if parsed.fullResource() == "pods/exec" {
			return serveExec(s, w, r, parsed)
		}
		return served.serveGet(w, parsed)
	case "create":
		if parsed.fullResource() == "serviceaccounts/token" && s.Issue != nil {
			return s.serveToken(w, r, parsed)
		}
		if parsed.fullResource() == "pods/eviction" {
			return serveEviction(served, w, r, parsed)
		}
		return served.serveCreate(w, r, parsed, user)
	case "update":
		return served.serveUpdate(w, r, parsed)
	case "patch":
		return served.servePatch(w, r, parsed, user)
	case "delete":
		return served.serveDelete(w, r, parsed)
	}
	return newMethodNotAllowed()
}

func writeError(w http.ResponseWriter, err error) {
	var failure *kube.StatusError
	if !errors.As(err, &failure) {
		failure = newInternalError(err)
	}
	if failure.Plain {
		writeText(w, failure.Code, failure.Message+"\n")
		return
	}
	writeJSON(w, failure.Code, failure.ToStatus())
}

// writeJSON writes a response in the format of the writer. It ignores errors of a closed connection.
func writeJSON(w http.ResponseWriter, code int, body any) {
	content, err := json.Marshal(body)
	if err != nil {
		writeText(w, http.StatusInternalServerError, err.Error())
		return
	}
	writeEncoded(w, code, content)
}

func writeText(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body))
}
