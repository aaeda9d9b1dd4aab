package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/syn/catalog"
	"exoshift/state"
)

const (
	gitHost   = "git.example.net"
	realGit   = "/usr/bin/git"
	clusterOf = "c-demo-1.yml"
	clusterIs = "# by hand\nparameters:\n  openshift:\n    baseDomain: 'old' # first\n"
)

// gitLab is a host with the real Git behind the real OpenSSH. Two keys are let in: one may do everything, the other may
// read only.
type gitLab struct {
	*bastionLab
	folder   string        // of the repository
	readOnly string        // private key
	otherKey ssh.PublicKey // of the host, beside its first one
}

// ecdsaKey makes a key of another kind than sshKey's.
func ecdsaKey(t *testing.T) (private string, public ssh.PublicKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	must(t, err)
	public, err = ssh.NewPublicKey(&key.PublicKey)
	must(t, err)
	return string(pem.EncodeToMemory(block)), public
}

func newGitLab(t *testing.T) (*gitLab, bool) {
	t.Helper()
	l, ok := newLab(t, gitHost+" A 203.0.113.10")
	if !ok {
		return nil, false
	}
	replace(t, "/etc/passwd", "root:x:0:0::/:/bin/sh\nsshd:x:0:0::/run/sshd:/bin/false\n")
	g := &gitLab{bastionLab: &bastionLab{lab: l}, folder: bareRepository(t, filepath.Dir(l.write("place", "")))}
	private, public := sshKey(t)
	g.runAgent(private)
	var reader ssh.PublicKey
	g.readOnly, reader = sshKey(t)
	only := l.write("only", "#!/bin/sh\ncase \"$SSH_ORIGINAL_COMMAND\" in\ngit-upload-pack\\ *) eval \"exec $SSH_ORIGINAL_COMMAND\" ;;\nesac\n"+
		"echo 'ERROR: This deploy key does not have write access to this project.' >&2\nexit 1\n")
	keys := string(ssh.MarshalAuthorizedKey(public)) + `restrict,command="` + only + `" ` + string(ssh.MarshalAuthorizedKey(reader))
	var hostKey string
	hostKey, g.hostKey = sshKey(t)
	other, otherKey := ecdsaKey(t)
	g.otherKey = otherKey
	file := l.write("other_host_key", other)
	must(t, os.Chmod(file, 0o600))
	l.runSSH(gitHost, hostKey, "HostKey "+file, "AuthorizedKeysFile "+l.write("authorized_keys", keys))
	return g, true
}

// bareRepository makes one with a commit, by the real Git, and returns its folder.
func bareRepository(t *testing.T, within string) string {
	t.Helper()
	bare, work := filepath.Join(within, "it's a $HOME.git"), t.TempDir()
	git(t, within, "init", "--bare", "--initial-branch=main", bare)
	git(t, within, "clone", bare, work)
	must(t, os.WriteFile(filepath.Join(work, clusterOf), []byte(clusterIs), 0o600))
	must(t, os.MkdirAll(filepath.Join(work, "manifests/c-demo-1"), 0o700))
	must(t, os.WriteFile(filepath.Join(work, "manifests/c-demo-1/hook.yml"), []byte("x: 1\n"), 0o600))
	git(t, work, "add", ".")
	git(t, work, "commit", "-m", "First")
	git(t, work, "push", "origin", "HEAD:main")
	return bare
}

// git runs the real Git and returns what it says.
func git(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	command := exec.Command(installed(t, realGit), append([]string{"-c", "user.name=A", "-c", "user.email=a@example.net"}, arguments...)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", arguments, err, output)
	}
	return string(output)
}

// theirs is the cluster's file in the newest commit, after Git has looked whether everything is sound.
func theirs(t *testing.T, bare string) string {
	t.Helper()
	git(t, bare, "fsck", "--full", "--strict")
	return git(t, bare, "show", "main:"+clusterOf)
}

func (g *gitLab) access() catalog.Access {
	return catalog.Access{Name: "Engineer", Email: "engineer@example.net",
		Agent: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "unix", g.agent) }}
}

func (g *gitLab) git() *catalog.Git { return catalog.NewGit(network.Host(), g.access()) }

func (g *gitLab) agentClient() agent.ExtendedAgent {
	conn, err := new(net.Dialer).DialContext(g.t.Context(), "unix", g.agent)
	must(g.t, err)
	g.t.Cleanup(func() { _ = conn.Close() })
	return agent.NewClient(conn)
}

// giveKeys gives the agent keys that nobody knows.
func (g *gitLab) giveKeys(count int) {
	to := g.agentClient()
	for range count {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		must(g.t, err)
		must(g.t, to.Add(agent.AddedKey{PrivateKey: key}))
	}
}

// repo is known by a key.
func (g *gitLab) repo(known ssh.PublicKey) state.GitRepo {
	return state.GitRepo{URL: "ssh://root@" + gitHost + strings.ReplaceAll(g.folder, " ", "%20"), HostKeys: knownhosts.Line([]string{gitHost}, known) + "\n"}
}

func setting(key string, value any) []state.YAMLEdit {
	return []state.YAMLEdit{{Path: []string{"parameters", "openshift", key}, Value: value}}
}

func TestGit_CommitBySSH(t *testing.T) {
	g, ok := newGitLab(t)
	if !ok {
		return
	}
	repo := g.repo(g.hostKey)
	seen, err := g.git().Compare(t.Context(), repo, clusterOf, setting("baseDomain", "c-demo-1.example.net"))
	must(t, err)
	made, err := g.git().Commit(t.Context(), repo, clusterOf, setting("baseDomain", "c-demo-1.example.net"), "Domain of c-demo-1")
	must(t, err)
	if want := strings.Replace(clusterIs, "'old'", "'c-demo-1.example.net'", 1); theirs(t, g.folder) != want || seen.Unified != made.Unified {
		t.Errorf("the file is\n%s", theirs(t, g.folder))
	}
	if got := git(t, g.folder, "log", "-1", "--format=%H %an <%ae> %s", "main"); got != made.Commit+" Engineer <engineer@example.net> Domain of c-demo-1\n" {
		t.Errorf("the commit is %s", got)
	}
	dir := filepath.Join(t.TempDir(), "catalog")
	commit, err := g.git().Fetch(t.Context(), repo, dir)
	if content, missing := os.ReadFile(filepath.Join(dir, "manifests/c-demo-1/hook.yml")); err != nil || missing != nil || string(content) != "x: 1\n" || commit != made.Commit {
		t.Errorf("%s, %v, %v", commit, err, missing)
	}
}

func TestGit_ConcurrentWriters(t *testing.T) {
	g, ok := newGitLab(t)
	if !ok {
		return
	}
	var writers sync.WaitGroup
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		writers.Go(func() {
			if _, err := g.git().Commit(t.Context(), g.repo(g.hostKey), clusterOf, setting(key, key+"-value"), "Set "+key); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	content := theirs(t, g.folder)
	for _, key := range keys {
		if !strings.Contains(content, "\n    "+key+": "+key+"-value\n") {
			t.Errorf("%s is lost:\n%s", key, content)
		}
	}
	if commits := strings.Count(git(t, g.folder, "log", "--format=%h", "main"), "\n"); commits != 1+len(keys) {
		t.Errorf("%d commits", commits)
	}
}

func TestGit_RefusesOtherHostKey(t *testing.T) {
	g, ok := newGitLab(t)
	if !ok {
		return
	}
	_, other := sshKey(t)
	_, err := g.git().Commit(t.Context(), g.repo(other), clusterOf, setting("baseDomain", "x"), "Change")
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), ssh.FingerprintSHA256(other)) || !strings.Contains(err.Error(), ssh.FingerprintSHA256(g.hostKey)) {
		t.Error(err)
	}
	if _, err := g.git().Compare(t.Context(), g.repo(g.otherKey), clusterOf, nil); err != nil {
		t.Errorf("a host that is known by the other of its keys: %v", err)
	}
	unknown := g.repo(g.hostKey)
	unknown.HostKeys = ""
	if _, err := g.git().Compare(t.Context(), unknown, clusterOf, nil); !fault.Is(err, fault.Denied) {
		t.Errorf("an unknown host: %v", err)
	}
}

func TestGit_AccessDenied(t *testing.T) {
	g, ok := newGitLab(t)
	if !ok {
		return
	}
	g.runAgent(g.readOnly)
	repo, change := g.repo(g.hostKey), setting("baseDomain", "x")
	if _, err := g.git().Compare(t.Context(), repo, clusterOf, change); err != nil {
		t.Errorf("a key that may read: %v", err)
	}
	if _, err := g.git().Commit(t.Context(), repo, clusterOf, change, "Change"); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "write access") {
		t.Errorf("a key that may read only: %v", err)
	}
	stranger, _ := sshKey(t)
	g.runAgent(stranger)
	if _, err := g.git().Compare(t.Context(), repo, clusterOf, change); !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
		t.Errorf("a key that nobody knows: %v", err)
	}
	g.giveKeys(7)
	if _, err := g.git().Compare(t.Context(), repo, clusterOf, change); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "all keys") {
		t.Errorf("more keys than a server looks at: %v", err)
	}
	must(t, g.agentClient().Lock([]byte("x")))
	if _, err := g.git().Compare(t.Context(), repo, clusterOf, change); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "is locked") {
		t.Errorf("an agent that is locked: %v", err)
	}
	if theirs(t, g.folder) != clusterIs {
		t.Error("something was written")
	}
}

// hook makes the repository refuse every push.
func hook(t *testing.T, bare string) {
	t.Helper()
	text := "#!/bin/sh\necho 'GL-HOOK-ERR: You are not allowed to push code to protected branches on this project.' >&2\nexit 1\n"
	must(t, os.WriteFile(filepath.Join(bare, "hooks", "pre-receive"), []byte(text), 0o755)) //nolint:gosec // a program
}

func TestGit_ReportsHookMessage(t *testing.T) {
	g, ok := newGitLab(t)
	if !ok {
		return
	}
	hook(t, g.folder)
	_, err := g.git().Commit(t.Context(), g.repo(g.hostKey), clusterOf, setting("baseDomain", "x"), "Change")
	if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "protected branches") || strings.Contains(err.Error(), "GL-HOOK") || theirs(t, g.folder) != clusterIs {
		t.Error(err)
	}
	missing := g.repo(g.hostKey)
	missing.URL += "x"
	if _, err := g.git().Compare(t.Context(), missing, clusterOf, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("a repository that is not there: %v", err)
	}
}

func TestGit_RefusesPinnedTag(t *testing.T) {
	g, ok := newGitLab(t)
	if !ok {
		return
	}
	git(t, g.folder, "tag", "-a", "-m", "Pinned", "v1", "main")
	repo := g.repo(g.hostKey)
	repo.Revision = "v1"
	if _, err := g.git().Compare(t.Context(), repo, clusterOf, setting("baseDomain", "old")); err != nil {
		t.Errorf("nothing would change: %v", err)
	}
	_, err := g.git().Compare(t.Context(), repo, clusterOf, setting("baseDomain", "c-demo-1.example.net"))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "tags do not change") {
		t.Error(err)
	}
	if theirs(t, g.folder) != clusterIs {
		t.Error("the file was changed")
	}
}
