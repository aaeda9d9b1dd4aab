package githost_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/simcloud/githost"
)

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

func TestGit_CloneAndPush(t *testing.T) {
	dir, l := needGit(t), open(t, githost.Config{})
	l.create(t, getProject)
	dir.git(t, "clone", l.url+"/"+getProject+".git", "work") // an empty one
	l.commit(t, getProject, map[string]string{"README.md": "one\n", "a/b/c.yml": "x: 1\n"})
	work := folder(filepath.Join(string(dir), "work"))
	work.git(t, "pull", "origin", "master")
	work.write(t, "README.md", "two\n")
	work.git(t, "commit", "-am", "Second")
	work.git(t, "push", "origin", "HEAD:master")
	if got := l.file(t, getProject, "README.md"); got != "two\n" {
		t.Errorf("README.md is %q", got)
	}
	l.commit(t, getProject, map[string]string{"third": "3\n"})
	work.git(t, "pull", "origin", "master")
	dir.git(t, "clone", "--depth", "1", l.url+"/"+getProject+".git", "shallow")
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

func TestGit_RefusesNonFastForward(t *testing.T) {
	dir, l := needGit(t), open(t, githost.Config{})
	l.create(t, getProject)
	l.commit(t, getProject, map[string]string{"README.md": "one\n"})
	l.commit(t, getProject, map[string]string{"README.md": "two\n"})
	dir.git(t, "clone", l.url+"/"+getProject, "work")
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
	if got := l.file(t, getProject, "README.md"); got != "two\n" {
		t.Errorf("README.md is %q", got)
	}
}
