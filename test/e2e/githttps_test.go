package e2e

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

const (
	httpBackend = "/usr/lib/git-core/git-http-backend"
	gitToken    = "glpat-of-the-lab"
)

// serveGit serves the repositories of a folder by the real Git over HTTPS, to who has the token.
func serveGit(t *testing.T, folder string) network.Network {
	t.Helper()
	backend := &cgi.Handler{Path: installed(t, httpBackend), Env: []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=oauth2",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=true"}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, token, _ := r.BasicAuth(); user != "oauth2" || token != gitToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="Git"`)
			http.Error(w, "HTTP Basic: Access denied", http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return network.Network{Roots: roots, Dial: func(ctx context.Context, kind, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, kind, server.Listener.Addr().String())
	}}
}

func TestGit_CommitOverHTTPS(t *testing.T) {
	folder := t.TempDir()
	bare := bareRepository(t, folder)
	n := serveGit(t, folder)
	by := func(token string) *catalog.Git { return catalog.NewGit(n, catalog.Access{Token: token}) }
	repo := state.GitRepo{URL: "ssh://git@example.com/" + strings.ReplaceAll(filepath.Base(bare), " ", "%20")}
	change := setting("baseDomain", "c-demo-1.example.net")
	if _, err := by("another").Commit(t.Context(), repo, clusterOf, change, "Change"); !fault.Is(err, fault.Denied) || strings.Contains(err.Error(), "another") {
		t.Errorf("a wrong token: %v", err)
	}
	made, err := by(gitToken).Commit(t.Context(), repo, clusterOf, change, "Change")
	must(t, err)
	if want := strings.Replace(clusterIs, "'old'", "'c-demo-1.example.net'", 1); theirs(t, bare) != want {
		t.Errorf("the file is\n%s", theirs(t, bare))
	}
	dir := filepath.Join(folder, "catalog")
	if commit, err := by(gitToken).Fetch(t.Context(), repo, dir); err != nil || commit != made.Commit {
		t.Errorf("%s, %v", commit, err)
	}
	hook(t, bare)
	if _, err := by(gitToken).Commit(t.Context(), repo, clusterOf, setting("x", 1), "Change"); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "protected branches") {
		t.Errorf("a hook: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, clusterOf)); err != nil {
		t.Error(err)
	}
}
