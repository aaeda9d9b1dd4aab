package catalog_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/server"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

func TestGit_TokenAndAgent(t *testing.T) {
	for name, way := range map[string]func(*testing.T, *world) *catalog.Git{
		"HTTPS with a token": func(_ *testing.T, w *world) *catalog.Git { return w.byToken() },
		"SSH with an agent": func(t *testing.T, w *world) *catalog.Git {
			w.letIn(t, 'e', true)
			return w.byAgent(write(t, knownhosts.Line([]string{host}, w.hostKey.PublicKey())))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, githost.Config{})
			first := w.commit(t, tenantRepo, map[string]string{"common.yml": "a: 1\n", "dir/x": "y"})
			git := way(t, w)
			seen, err := git.Compare(t.Context(), repo(tenantRepo), file, domain())
			must(t, err)
			if seen.Commit != first || !strings.Contains(seen.Unified, "+    baseDomain: c-demo-1.example.net") || w.file(t, tenantRepo, file) != "" {
				t.Errorf("compared: %+v, the file: %q", seen, w.file(t, tenantRepo, file))
			}
			made, err := git.Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain of c-demo-1")
			must(t, err)
			if want := "parameters:\n  openshift:\n    baseDomain: c-demo-1.example.net\n"; w.file(t, tenantRepo, file) != want || made.Unified != seen.Unified {
				t.Errorf("committed %q", w.file(t, tenantRepo, file))
			}
			if w.file(t, tenantRepo, "dir/x") != "y" || w.file(t, tenantRepo, "common.yml") != "a: 1\n" {
				t.Error("other files are gone")
			}
			again, err := git.Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain of c-demo-1")
			if err != nil || again.Commit != made.Commit || again.Unified != "" {
				t.Errorf("the second time: %+v, %v", again, err)
			}
			nested, err := git.Commit(t.Context(), repo(tenantRepo), "dir/deep/er.yml", domain(), "Deep")
			if err != nil || w.file(t, tenantRepo, "dir/deep/er.yml") == "" || w.file(t, tenantRepo, "dir/x") != "y" || nested.Commit == made.Commit {
				t.Errorf("in folders: %+v, %v", nested, err)
			}
		})
	}
}

// between calls act once, between what a client reads and what it sends.
func (w *world) between(act func()) {
	done := false
	w.meet = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.RawQuery, "git-receive-pack") && !done {
			done = true
			act()
		}
		return false
	}
}

func TestCommit_KeepsConcurrentCommit(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{file: "parameters:\n  openshift:\n    baseDomain: old # by hand\n"})
	w.between(func() {
		w.commit(t, tenantRepo, map[string]string{file: "# theirs\nparameters:\n  openshift:\n    baseDomain: old # by hand\n    more: 1\n"})
	})
	_, err := w.byToken().Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain")
	must(t, err)
	if want := "# theirs\nparameters:\n  openshift:\n    baseDomain: c-demo-1.example.net # by hand\n    more: 1\n"; w.file(t, tenantRepo, file) != want {
		t.Errorf("the file is %q", w.file(t, tenantRepo, file))
	}
}

func TestCommit_ConflictAtSamePath(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{file: "parameters: {openshift: {baseDomain: old}}\n"})
	theirs := "parameters: {openshift: {baseDomain: theirs}}\n"
	w.between(func() { w.commit(t, tenantRepo, map[string]string{file: theirs}) })
	_, err := w.byToken().Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain")
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "theirs") || w.file(t, tenantRepo, file) != theirs {
		t.Errorf("%v; the file is %q", err, w.file(t, tenantRepo, file))
	}
}

func TestCommit_GivesUpAfterRaces(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{"a": "b"})
	others := 0
	w.meet = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.RawQuery, "git-receive-pack") {
			others++
			w.commit(t, tenantRepo, map[string]string{"a": strings.Repeat("c", others)})
		}
		return false
	}
	where := state.GitRepo{URL: "https://me:hunter2@" + host + "/" + tenantRepo + ".git"}
	_, err := w.byToken().Commit(t.Context(), where, file, domain(), "Domain")
	if text := fault.HintOf(err); !fault.Is(err, fault.Transient) || !strings.Contains(text, "https://"+host) || strings.Contains(text+err.Error(), "hunter2") {
		t.Errorf("%v, hint %q", err, text)
	}
	if others != 6 || w.file(t, tenantRepo, file) != "" {
		t.Errorf("%d others, the file is %q", others, w.file(t, tenantRepo, file))
	}
}

func TestCommit_RejectedPushIsNoRace(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{"a": "b"})
	w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
		refused := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "git-receive-pack")
		if refused {
			rw.WriteHeader(http.StatusBadGateway)
		}
		return refused
	}
	_, err := w.byToken().Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain")
	if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), "answers 502") || !strings.Contains(fault.HintOf(err), "accepts changes,") {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}

func TestCommit_LostAnswerIsNotRepeated(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{"a": "b"})
	lost := false
	w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "git-receive-pack") || lost {
			return false
		}
		lost = true
		w.NewWebHandler().ServeHTTP(&deaf{header: http.Header{}}, r)
		conn, _, err := rw.(http.Hijacker).Hijack()
		must(t, err)
		_ = conn.Close()
		return true
	}
	made, err := w.byToken().Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain")
	_, newest, _ := w.ReadFiles(tenantRepo)
	if err != nil || made.Commit != newest || made.Unified == "" {
		t.Errorf("%+v at %s: %v", made, newest, err)
	}
}

// deaf discards the response.
type deaf struct{ header http.Header }

func (d *deaf) Header() http.Header         { return d.header }
func (d *deaf) Write(p []byte) (int, error) { return len(p), nil }
func (d *deaf) WriteHeader(int)             {}

func TestKnownHosts_IdentifyHostKey(t *testing.T) {
	other := newKey(t, 'o')
	for name, test := range map[string]struct {
		lieutenant string
		world      string
		files      string
		kind       fault.Kind
		ok         bool
		says       []string
	}{
		"by Lieutenant":                 {lieutenant: "# keys\n" + line(host, newKey(t, 'h')), files: line(host, other), ok: true},
		"by its hidden name":            {lieutenant: line(knownhosts.HashHostname(host), newKey(t, 'h')), ok: true},
		"by its port":                   {lieutenant: line("["+host+"]:22", newKey(t, 'h')), ok: true},
		"by a pattern":                  {lieutenant: line("*.com,!other.com", newKey(t, 'h')), ok: true},
		"by the network":                {world: server.FormatAuthorizedKey(newKey(t, 'h')), files: line(host, other), ok: true},
		"by the person":                 {files: line("else", other) + line(host, newKey(t, 'h')), ok: true},
		"by nobody":                     {kind: fault.Denied, says: []string{"the host"}},
		"by another host":               {files: line("*.com,!"+host, newKey(t, 'h')), kind: fault.Denied},
		"another key":                   {lieutenant: line(host, other), files: line(host, newKey(t, 'h')), kind: fault.Conflict, says: []string{fingerprint(other), fingerprint(newKey(t, 'h')), "Lieutenant"}},
		"one of several keys":           {lieutenant: line(host, other) + line(host, newKey(t, 'h')) + line(host, newKey(t, 'p')), ok: true},
		"its new key":                   {lieutenant: "@revoked " + line(host, other), files: line(host, newKey(t, 'h')), ok: true},
		"a key that was revoked before": {lieutenant: "@revoked " + line(host, newKey(t, 'h')), files: line(host, newKey(t, 'h')), kind: fault.Denied, says: []string{"revoked"}},
		"a key of which nobody tells":   {lieutenant: "@revoked " + line(host, other), kind: fault.Denied, says: []string{"the host"}},
		"a key that is taken":           {lieutenant: "@revoked " + line(host, newKey(t, 'h')), kind: fault.Denied, says: []string{"revoked"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, githost.Config{})
			w.commit(t, tenantRepo, map[string]string{"a": "b"})
			w.letIn(t, 'e', true)
			if test.world != "" {
				w.network.HostKeys = map[string]string{host: test.world}
			}
			r := repo(tenantRepo)
			r.HostKeys = test.lieutenant
			_, err := w.byAgent("/missing", write(t, test.files)).Compare(t.Context(), r, file, domain())
			if test.ok != (err == nil) || err != nil && (!fault.Is(err, test.kind) || fault.HintOf(err) == "") {
				t.Fatalf("%v, hint %q", err, fault.HintOf(err))
			}
			for _, part := range test.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func line(hosts string, key ssh.Signer) string {
	return hosts + " " + server.FormatAuthorizedKey(key) + "\n"
}

func fingerprint(key ssh.Signer) string { return ssh.FingerprintSHA256(key.PublicKey()) }

func TestGit_AccessDenied(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{"a": "b"})
	known := write(t, line(host, w.hostKey))
	reader := catalog.NewGit(w.network, catalog.Access{Token: w.CreateToken("read_repository")})
	for name, test := range map[string]struct {
		git  *catalog.Git
		repo string
		kind fault.Kind
	}{
		"a wrong token":                {catalog.NewGit(w.network, catalog.Access{Token: "glpat-wrong"}), tenantRepo, fault.Denied},
		"a token that may read only":   {reader, tenantRepo, fault.Denied},
		"no agent":                     {catalog.NewGit(w.network, catalog.Access{KnownHosts: []string{known}}), tenantRepo, fault.Denied},
		"an agent without keys":        {w.byAgent(known), tenantRepo, fault.Denied},
		"a repository that is missing": {w.byToken(), "syn/none", fault.NotFound},
		"a repository that is empty":   {w.byToken(), catalogRepo, fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.git.Commit(t.Context(), repo(test.repo), file, domain(), "Domain")
			if !fault.Is(err, test.kind) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "glpat") {
				t.Errorf("kind %d: %v, hint %q", fault.KindOf(err), err, fault.HintOf(err))
			}
		})
	}
}

// unwilling is an agent whose person confirms no use of a key.
type unwilling struct{ agent.Agent }

func (unwilling) Sign(ssh.PublicKey, []byte) (*ssh.Signature, error) {
	return nil, errors.New("no")
}

func TestGit_AgentProblems(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(*testing.T, *world)
		says    string
		hint    string
	}{
		"keys":          {func(*testing.T, *world) {}, "has no key", "ssh-add"},
		"to be opened":  {func(t *testing.T, w *world) { w.letIn(t, 'e', true); must(t, w.keys.Lock([]byte("x"))) }, "is locked", "ssh-add -X"},
		"the right key": {func(t *testing.T, w *world) { w.letIn(t, 'e', false) }, "rejects all keys", "your account at " + host},
		"fewer keys": {func(t *testing.T, w *world) {
			for seed := range byte(8) {
				w.letIn(t, 'A'+seed, seed == 7)
			}
		}, "before all keys", "ssh-add -D"},
		"a yes": {func(t *testing.T, w *world) { w.letIn(t, 'e', true); w.keys = unwilling{w.keys} }, "does not sign with the key " + fingerprint(newKey(t, 'e')), "confirm it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, githost.Config{})
			w.commit(t, tenantRepo, map[string]string{"a": "b"})
			test.prepare(t, w)
			_, err := w.byAgent(write(t, line(host, w.hostKey))).Compare(t.Context(), repo(tenantRepo), file, domain())
			if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), test.says) || !strings.Contains(fault.HintOf(err), test.hint) {
				t.Errorf("%v, hint %q", err, fault.HintOf(err))
			}
		})
	}
}

func TestGit_MissingTokenIsNotRejected(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.commit(t, tenantRepo, map[string]string{"a": "b"})
	where := state.GitRepo{URL: "https://" + host + "/" + tenantRepo + ".git"}
	_, err := catalog.NewGit(w.network, catalog.Access{}).Compare(t.Context(), where, file, domain())
	if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "none is set") || !strings.Contains(fault.HintOf(err), "syn.gitToken") {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}

func TestGit_HidesToken(t *testing.T) {
	for _, status := range []int{0, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests, http.StatusBadGateway} {
		w := newWorld(t, githost.Config{})
		w.commit(t, tenantRepo, map[string]string{"a": "b"})
		w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.String()+r.Header.Get("Referer"), w.token) {
				t.Errorf("%s names the token", r.URL)
			}
			if status != 0 {
				http.Error(rw, "token "+w.token, status)
			}
			return status != 0
		}
		_, err := w.byToken().Commit(t.Context(), repo(tenantRepo), file, domain(), "Domain")
		_, compiles := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{}).CheckReady(t.Context(), tenant(), state.SynCluster{})
		for _, failed := range []error{err, compiles} {
			if (failed == nil) != (status == 0) || failed != nil && strings.Contains(failed.Error()+fault.HintOf(failed), w.token) {
				t.Errorf("%d: %v", status, failed)
			}
		}
		if remote := strconv.Itoa(status) + " " + http.StatusText(status); status > 404 && !strings.HasSuffix(err.Error(), host+" answers "+remote) {
			t.Errorf("%v does not say %s", err, remote)
		}
	}
}

func TestGit_TokenOnlyToItsHost(t *testing.T) {
	w := newWorld(t, githost.Config{})
	w.meet = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Host != host {
			t.Errorf("%s was requested", r.Host)
		}
		http.Redirect(rw, r, "https://127.0.0.1"+r.URL.RequestURI(), http.StatusFound)
		return true
	}
	if _, err := w.byToken().Compare(t.Context(), repo(tenantRepo), file, domain()); err == nil {
		t.Error("it was followed")
	}
	if _, err := catalog.NewCompiler(w.network, catalog.Access{Token: w.token}, catalog.Commodore{}).CheckReady(t.Context(), tenant(), state.SynCluster{}); err == nil {
		t.Error("it was followed")
	}
}

func TestFetch_ReplacesContent(t *testing.T) {
	w := newWorld(t, githost.Config{})
	newest := w.commit(t, catalogRepo, map[string]string{"manifests/a/b.yaml": "x: 1\n", "refs/t/c/registry/httpSecret": "type: vaultkv\n"})
	dir := filepath.Join(t.TempDir(), "catalog")
	for range 2 {
		commit, err := w.byToken().Fetch(t.Context(), repo(catalogRepo), dir)
		must(t, err)
		if content, err := os.ReadFile(filepath.Join(dir, "manifests/a/b.yaml")); err != nil || string(content) != "x: 1\n" || commit != newest {
			t.Errorf("%q at %s: %v", content, commit, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "old")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("an old file stays")
		}
		must(t, os.WriteFile(filepath.Join(dir, "old"), nil, 0o600))
	}
	private(t, filepath.Dir(dir), 1)
	wanted, err := w.byToken().ListWantedSecrets(dir, state.DefaultVaultMount)
	if diff := cmp.Diff([]state.VaultSecret{{Path: "t/c/registry", Key: "httpSecret"}}, wanted); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// private checks that only the owner may read anything below a folder, which has so many entries.
func private(t *testing.T, dir string, count int) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != count {
		t.Errorf("%v: %v", entries, err)
	}
	must(t, filepath.Walk(dir, func(path string, info fs.FileInfo, err error) error {
		if err == nil && path != dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has %s", path, info.Mode())
		}
		return err
	}))
}
