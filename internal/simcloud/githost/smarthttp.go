package githost

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

// requestLimit is the limit of a request's body, packs included.
const requestLimit = packLimit + 1<<20

const notFound = "The project you were looking for could not be found or you don't have permission to view it."

func parseGitRequest(r *http.Request) (name, service string, advertise, ok bool) {
	if name, found := strings.CutSuffix(r.URL.Path, "/info/refs"); found && r.Method == http.MethodGet {
		return name, r.URL.Query().Get("service"), true, true
	}
	for _, service := range []string{uploadPack, receivePack} {
		if name, found := strings.CutSuffix(r.URL.Path, "/"+service); found && r.Method == http.MethodPost {
			return name, service, false, true
		}
	}
	return "", "", false, false
}

// gitServer serves repositories by HTTPS and SSH.
type gitServer struct {
	repositories *Repositories
	accounts     *Accounts
	pipelines    *pipelines
}

func (s *gitServer) serveGit(w http.ResponseWriter, r *http.Request, name, service string, advertise bool) {
	if !s.checkAccess(w, r, service) {
		return
	}
	found, ok := s.repositories.find(name)
	if !ok {
		http.Error(w, notFound, http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "no-cache, max-age=0, must-revalidate")
	if advertise {
		w.Header().Set("Content-Type", "application/x-"+service+"-advertisement")
		lines := pktline.NewEncoder(w)
		_ = lines.EncodeString("# service=" + service + "\n") // the client closed the connection
		_ = lines.Flush()
		_ = newWire(nil, w, true).sendReferences(service, found)
		return
	}
	body, err := openBody(w, r)
	if err != nil {
		http.Error(w, "Bad request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-"+service+"-result")
	_ = s.serveService(newWire(body, w, true), service, found)
}

func (s *gitServer) checkAccess(w http.ResponseWriter, r *http.Request, service string) bool {
	held, given, valid := s.accounts.findToken(r)
	switch {
	case service != uploadPack && service != receivePack:
		http.Error(w, "Please upgrade your git client.", http.StatusForbidden)
	case !given || !valid:
		w.Header().Set("WWW-Authenticate", `Basic realm="GitLab"`)
		http.Error(w, "HTTP Basic: Access denied. If a password was provided for Git authentication, the password was incorrect or "+
			"you're required to use a token instead of a password.", http.StatusUnauthorized)
	case service == receivePack && !held.canWrite():
		http.Error(w, "You are not allowed to push code to this project.", http.StatusForbidden)
	case !held.canRead():
		http.Error(w, "You are not allowed to download code from this project.", http.StatusForbidden)
	default:
		return true
	}
	return false
}

func openBody(w http.ResponseWriter, r *http.Request) (io.Reader, error) {
	body := http.MaxBytesReader(w, r.Body, requestLimit)
	if r.Header.Get("Content-Encoding") != "gzip" {
		return body, nil
	}
	reader, err := gzip.NewReader(body)
	return io.LimitReader(reader, requestLimit), err
}

func (s *gitServer) serveService(w *wire, service string, r repository) error {
	if service == receivePack {
		return s.receive(w, r)
	}
	return w.upload(s.repositories.openStorage(r), r)
}
