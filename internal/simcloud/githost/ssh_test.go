package githost_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/server"

	"al.essio.dev/pkg/shellescape"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

func (l *lab) fetch(t *testing.T, path string, key ssh.Signer, hostKeys string) (map[string][]byte, string, error) {
	t.Helper()
	return githost.Fetch(t.Context(), l.client.Dial, "ssh://git@"+address+"/"+path+".git", key, hostKeys)
}

func (l *lab) known() string { return address + " " + server.FormatAuthorizedKey(l.hostKey) + "\n" }

func TestSSH_FetchesNewestFiles(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, catalog)
	l.commit(t, catalog, map[string]string{"a": "1", "b/c": "2"})
	newest := l.commit(t, catalog, map[string]string{"b/c": "3"})
	files, commit, err := l.fetch(t, catalog, l.key, "# keys\n"+l.known())
	if err != nil || commit != newest || string(files["b/c"]) != "3" || string(files["a"]) != "1" || len(files) != 2 {
		t.Fatalf("%v at %s: %v", files, commit, err)
	}
}

func TestSSH_FetchFailureReason(t *testing.T) {
	deploy, stranger := signer(t, 'd'), signer(t, 's')
	l := open(t, githost.Config{Clusters: func(id string) (githost.Cluster, bool) {
		return githost.Cluster{Tenant: tenant, Catalog: catalog, DeployKey: server.FormatAuthorizedKey(deploy) + " argocd"}, id == "c-demo-1"
	}})
	l.create(t, catalog)
	l.create(t, getProject)
	l.commit(t, catalog, map[string]string{"a": "1"})
	l.commit(t, getProject, map[string]string{"a": "1"})
	if _, _, err := l.fetch(t, catalog, deploy, l.known()); err != nil {
		t.Errorf("a deploy key and its catalog: %v", err)
	}
	l.create(t, "syn/empty")
	for name, test := range map[string]struct {
		path, hostKeys, want string
		key                  ssh.Signer
	}{
		"a deploy key and another repository": {getProject, l.known(), "could not be found or you don't have permission", deploy},
		"a key that nobody knows":             {catalog, l.known(), "unable to authenticate", stranger},
		"a repository that does not exist":    {"syn/none", l.known(), "could not be found or you don't have permission", l.key},
		"another key of the server":           {catalog, address + " " + server.FormatAuthorizedKey(stranger), "knownhosts: key mismatch", l.key},
		"no key of the server":                {catalog, "", "knownhosts: key is unknown", l.key},
		"a repository without a commit":       {"syn/empty", l.known(), "unable to resolve 'HEAD'", l.key},
		"a name with another target":          {"../../etc/passwd", l.known(), "could not be found or you don't have permission", l.key},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := l.fetch(t, test.path, test.key, test.hostKeys); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("fetch: %v", err)
			}
		})
	}
}

// onLoopback forwards connections from loopback to the SSH port.
func (l *lab) onLoopback(t *testing.T) (port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.forward(near)
		}
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port
}

func (l *lab) forward(near net.Conn) {
	defer func() { _ = near.Close() }()
	far, err := l.client.Dial(context.Background(), "tcp", address+":22")
	if err != nil {
		return
	}
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	_, _ = io.Copy(near, far)
}

func TestSSH_GoGitAndDeployKey(t *testing.T) {
	deploy := signer(t, 'd')
	l := open(t, githost.Config{Clusters: func(id string) (githost.Cluster, bool) {
		return githost.Cluster{Tenant: tenant, Catalog: catalog, DeployKey: server.FormatAuthorizedKey(deploy)}, id == "c-demo-1"
	}})
	l.create(t, catalog)
	l.commit(t, catalog, map[string]string{"a": "1"})
	url := "ssh://git@127.0.0.1:" + l.onLoopback(t) + "/" + catalog + ".git"
	auth := func(key ssh.Signer) *gitssh.PublicKeys {
		return &gitssh.PublicKeys{User: "git", Signer: key, HostKeyCallbackHelper: gitssh.HostKeyCallbackHelper{HostKeyCallback: ssh.FixedHostKey(l.hostKey.PublicKey())}}
	}
	dir := t.TempDir()
	work, err := git.PlainCloneContext(t.Context(), dir, false, &git.CloneOptions{URL: url, Auth: auth(l.key), Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	change(t, work, dir, "2")
	if err := work.PushContext(t.Context(), &git.PushOptions{Auth: auth(deploy)}); err == nil {
		t.Error("a deploy key may push")
	}
	if got := l.file(t, catalog, "a"); got != "1" {
		t.Errorf("the file is %q", got)
	}
	if err := work.PushContext(t.Context(), &git.PushOptions{Auth: auth(l.key)}); err != nil || l.file(t, catalog, "a") != "2" {
		t.Errorf("push: %v", err)
	}
	l.commit(t, catalog, map[string]string{"a": "3"})
	change(t, work, dir, "mine")
	if err := work.PushContext(t.Context(), &git.PushOptions{Auth: auth(l.key)}); err == nil {
		t.Error("a push that is behind is accepted")
	}
	err = work.PushContext(t.Context(), &git.PushOptions{Auth: auth(l.key), Force: true, RefSpecs: []config.RefSpec{"+refs/heads/master:refs/heads/master"}})
	if got := l.file(t, catalog, "a"); err == nil || got != "3" {
		t.Errorf("a forced push: %v, the file is %q", err, got)
	}
}

func TestSSH_ClientClosesAfterAnswer(t *testing.T) {
	for _, service := range []string{"git-upload-pack", "git-receive-pack"} {
		t.Run(service, func(t *testing.T) { endsItsInputLast(t, service) })
	}
}

func endsItsInputLast(t *testing.T, service string) {
	t.Helper()
	l := open(t, githost.Config{})
	l.create(t, catalog)
	conn, err := l.client.Dial(t.Context(), "tcp", address+":22")
	if err != nil {
		t.Fatal(err)
	}
	clientConn, channels, requests, err := ssh.NewClientConn(conn, address, &ssh.ClientConfig{
		User: "git", Auth: []ssh.AuthMethod{ssh.PublicKeys(l.key)}, HostKeyCallback: ssh.FixedHostKey(l.hostKey.PublicKey()),
	})
	if err != nil {
		t.Fatal(err)
	}
	client := ssh.NewClient(clientConn, channels, requests)
	defer func() { _ = client.Close() }()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	input, inputErr := session.StdinPipe()
	output, outputErr := session.StdoutPipe()
	if err := errors.Join(inputErr, outputErr, session.Start(service+" '"+catalog+".git'")); err != nil {
		t.Fatal(err)
	}
	_, writeErr := io.WriteString(input, "0000") // wants and pushes nothing
	_, readErr := io.Copy(io.Discard, output)
	if err := errors.Join(writeErr, readErr, input.Close(), session.Wait()); err != nil {
		t.Errorf("end the session: %v", err)
	}
}

func change(t *testing.T, work *git.Repository, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := work.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	author := &gitobject.Signature{Name: "A", Email: "a@example.net", When: time.Unix(1, 0)}
	if _, err := tree.Commit("Change", &git.CommitOptions{All: true, Author: author}); err != nil {
		t.Fatal(err)
	}
}

func TestSSH_RealGit(t *testing.T) {
	dir := needGit(t)
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("ssh is not installed")
	}
	l := open(t, githost.Config{})
	l.create(t, getProject)
	l.commit(t, getProject, map[string]string{"a": "1"})
	t.Setenv("GIT_SSH_COMMAND", "ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i "+shellescape.Quote(l.keyFile(t)))
	url := "ssh://git@127.0.0.1:" + l.onLoopback(t) + "/" + getProject
	dir.git(t, "clone", url, "work")
	work := folder(filepath.Join(string(dir), "work"))
	for _, text := range []string{"2", "3"} {
		work.write(t, "a", text)
		work.git(t, "commit", "-am", text)
	}
	work.git(t, "push")
	l.commit(t, getProject, map[string]string{"b": "4"})
	work.git(t, "pull")
	if got := l.file(t, getProject, "a"); got != "3" {
		t.Errorf("the file is %q", got)
	}
	out, err := folder(dir).try(t, "clone", strings.Replace(url, getProject, "syn/none", 1))
	if err == nil || !strings.Contains(out, "remote: ERROR: The project you were looking for could not be found") {
		t.Errorf("a repository that does not exist: %v, %s", err, out)
	}
}

func (l *lab) keyFile(t *testing.T) string {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(privateKey('e'), "")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
