package githost_test

import (
	"context"
	"crypto/ed25519"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"

	"golang.org/x/crypto/ssh"
)

const (
	tenant  = "t-quiet-harbour-4711"
	project = "syn/tenants/" + tenant
	catalog = "syn/cluster-catalogs/c-demo-1"
)

// lab is a Git host with its web site on loopback and its SSH port on a network in memory.
type lab struct {
	*githost.Host
	url     string // with a token that may do everything
	base    string // without one
	network *fabric.Fabric
	key     ssh.Signer // of an engineer
	hostKey ssh.Signer
}

func signer(t *testing.T, seed byte) ssh.Signer {
	t.Helper()
	made, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize))))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func open(t *testing.T, config githost.Config) *lab {
	t.Helper()
	if config.DB == nil {
		config.DB = store.Memory()
	}
	config.Host, config.HostKey = "git.vshn.net", signer(t, 'h')
	host, err := githost.New(config)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(host.Web())
	t.Cleanup(web.Close)
	l := &lab{Host: host, base: web.URL, key: signer(t, 'e'), hostKey: config.HostKey}
	l.url = strings.Replace(web.URL, "://", "://oauth2:"+host.IssueToken()+"@", 1)
	if err := host.AddKey(server.AuthorizedKey(l.key)); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lab) create(t *testing.T, name string) {
	t.Helper()
	if err := l.Create(name); err != nil {
		t.Fatal(err)
	}
}

func (l *lab) commit(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	contents := map[string][]byte{}
	for path, text := range files {
		contents[path] = []byte(text)
	}
	hash, err := l.Commit(name, "Change", contents)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func (l *lab) file(t *testing.T, name, path string) string {
	t.Helper()
	files, _, err := l.Files(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(files[path])
}

var _ = context.Background
var _ net.Conn
var _ network.Clock

// folder is a working copy of the real Git.
type folder string

func (f folder) try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.net"}, args...)...)
	command.Dir = string(f)
	command.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C")
	out, err := command.CombinedOutput()
	return string(out), err
}

func (f folder) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := f.try(t, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (f folder) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(f), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func needGit(t *testing.T) folder {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	return folder(t.TempDir())
}

func TestTheRealGitClonesChangesAndPushes(t *testing.T) {
	dir, l := needGit(t), open(t, githost.Config{})
	l.create(t, project)
	dir.git(t, "clone", l.url+"/"+project+".git", "work") // an empty one
	l.commit(t, project, map[string]string{"README.md": "one\n", "a/b/c.yml": "x: 1\n"})
	work := folder(filepath.Join(string(dir), "work"))
	work.git(t, "pull", "origin", "master")
	work.write(t, "README.md", "two\n")
	work.git(t, "commit", "-am", "Second")
	work.git(t, "push", "origin", "HEAD:master")
	if got := l.file(t, project, "README.md"); got != "two\n" {
		t.Errorf("README.md is %q", got)
	}
	l.commit(t, project, map[string]string{"third": "3\n"})
	work.git(t, "pull", "origin", "master")
	dir.git(t, "clone", "--depth", "1", l.url+"/"+project+".git", "shallow")
	shallow := folder(filepath.Join(string(dir), "shallow"))
	if got := strings.Count(shallow.git(t, "log", "--format=%h"), "\n"); got != 1 {
		t.Errorf("the shallow clone has %d commits", got)
	}
	shallow.write(t, "fourth", "4\n")
	shallow.git(t, "add", "fourth")
	shallow.git(t, "commit", "-m", "Fourth")
	shallow.git(t, "push", "origin", "HEAD")
	shallow.git(t, "fetch", "--unshallow")
	if got := strings.Count(shallow.git(t, "log", "--format=%h"), "\n"); got != 4 {
		t.Errorf("the deepened clone has %d commits", got)
	}
	shallow.git(t, "fsck", "--full", "--strict")
}

func TestNobodyIsOverwrittenOnTheDefaultBranch(t *testing.T) {
	dir, l := needGit(t), open(t, githost.Config{})
	l.create(t, project)
	l.commit(t, project, map[string]string{"README.md": "one\n"})
	l.commit(t, project, map[string]string{"README.md": "two\n"})
	dir.git(t, "clone", l.url+"/"+project, "work")
	work := folder(filepath.Join(string(dir), "work"))
	work.git(t, "reset", "--hard", "HEAD~1")
	work.write(t, "other", "mine\n")
	work.git(t, "add", "other")
	work.git(t, "commit", "-m", "Mine")
	if out, err := work.try(t, "push", "origin", "HEAD:master"); err == nil || !strings.Contains(out, "non-fast-forward") {
		t.Errorf("a push that is behind: %v, %s", err, out)
	}
	out, err := work.try(t, "push", "--force", "origin", "HEAD:master")
	if want := "remote: GitLab: You are not allowed to force push code to a protected branch on this project."; err == nil || !strings.Contains(out, want) {
		t.Errorf("a forced push: %v, %s", err, out)
	}
	work.git(t, "push", "origin", "HEAD:refs/heads/mine")
	work.git(t, "push", "origin", ":refs/heads/mine")
	if got := l.file(t, project, "README.md"); got != "two\n" {
		t.Errorf("README.md is %q", got)
	}
}
