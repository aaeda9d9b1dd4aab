package foreign

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
)

// slowly is a configuration without a cloud, whose only resource is made when the file go exists.
const slowly = `terraform {
  backend "http" {}
}
resource "terraform_data" "slow" {
  provisioner "local-exec" { command = "touch started; while [ ! -e go ]; do sleep 0.1; done" }
}
`

// gitlabProject is one that the zone's GitLab has.
const gitlabProject = "syn/tenants/t-quiet-harbour-4711"

// lockers are Terraform, with its state in the zone's GitLab, and exoshift, with the lock of a cluster at the same place.
type lockers struct {
	*testing.T
	dir string
	env []string
}

func newLockers(t *testing.T) *lockers {
	t.Helper()
	if _, err := exec.LookPath("terraform"); err != nil {
		t.Skip("terraform is not installed here")
	}
	l := &lockers{T: t, dir: t.TempDir()}
	identity, err := age.GenerateX25519Identity()
	must(t, err)
	for name, content := range map[string]string{"main.tf": slowly, "identity": identity.String(), "answers.yaml": strings.Replace(answers, "c-foreign", "c-lock", 1)} {
		must(t, os.WriteFile(filepath.Join(l.dir, name), []byte(content), 0o600))
	}
	at := "https://git.vshn.net/api/v4/projects/" + url.PathEscape(gitlabProject) + "/terraform/state/exoshift-c-lock"
	l.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1", "TF_HTTP_ADDRESS="+at, "TF_HTTP_LOCK_ADDRESS="+at+"/lock",
		"TF_HTTP_UNLOCK_ADDRESS="+at+"/lock", "TF_HTTP_LOCK_METHOD=POST", "TF_HTTP_UNLOCK_METHOD=DELETE", "TF_HTTP_USERNAME=engineer",
		"TF_HTTP_PASSWORD="+os.Getenv("GITLAB_TOKEN"), "GITLAB_HOST=git.vshn.net", "EXOSHIFT_AGE_IDENTITY="+filepath.Join(l.dir, "identity"),
		"EXOSHIFT_STATE=file://"+filepath.Join(l.dir, "shared"), "XDG_STATE_HOME="+filepath.Join(l.dir, "home"))
	l.run(opened.program, "state", "init", "file://"+filepath.Join(l.dir, "shared"), "--lock", "gitlab:"+gitlabProject, "--recipient", identity.Recipient().String(), "--yes")
	l.run("terraform", "init", "-no-color")
	return l
}

func (l *lockers) command(words ...string) *exec.Cmd {
	command := exec.CommandContext(l.Context(), words[0], words[1:]...)
	command.Dir, command.Env = l.dir, l.env
	return command
}

func (l *lockers) run(words ...string) string {
	l.Helper()
	said, err := l.command(words...).CombinedOutput()
	if err != nil {
		l.Fatalf("%s: %v: %s", strings.Join(words, " "), err, said)
	}
	return string(said)
}

// background starts a command; what it says is sent when it ends.
func (l *lockers) background(words ...string) (command *exec.Cmd, ended chan string) {
	l.Helper()
	command, ended = l.command(words...), make(chan string, 1)
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	must(l.T, command.Start())
	go func() {
		_ = command.Wait() // it says how it ended
		ended <- said.String()
	}()
	return command, ended
}

// await waits until something is so while a command runs.
func (l *lockers) await(ended <-chan string, holds func() bool) {
	l.Helper()
	for !holds() {
		select {
		case said := <-ended:
			l.Fatalf("it ended: %s", said)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestTerraform_SharesGitLabLock: Terraform's own client of the protocol finds the lock of a run, and a run finds Terraform's.
func TestTerraform_SharesGitLabLock(t *testing.T) {
	t.Parallel()
	l := newLockers(t)
	apply := []string{"terraform", "apply", "-auto-approve", "-no-color"}

	_, ended := l.background(apply...)
	l.await(ended, func() bool {
		_, err := os.Stat(filepath.Join(l.dir, "started"))
		return err == nil
	})
	install := []string{opened.program, "install", "--answers", "answers.yaml", "--yes", "--output", "plain"}
	said, err := l.command(install...).CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 16 || !strings.Contains(string(said), "engineer") {
		t.Errorf("a run works beside terraform: %v: %s", err, said)
	}
	must(t, os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600))
	if said := <-ended; !strings.Contains(said, "1 added") {
		t.Errorf("terraform: %s", said)
	}
	if said := l.run("terraform", "state", "list"); said != "terraform_data.slow\n" {
		t.Errorf("the state has %q", said)
	}

	run, ended := l.background(install...)
	l.await(ended, func() bool {
		return strings.Contains(l.run(opened.program, "state", "list", "--output", "json"), `"locked":true`)
	})
	l.await(ended, func() bool { // before its first event, it has nothing to be resumed
		events, err := filepath.Glob(filepath.Join(l.dir, "home", "exoshift", ".shared", "work", "*", "events.jsonl"))
		if err != nil || len(events) != 1 {
			return false
		}
		content, err := os.ReadFile(events[0])
		return err == nil && len(content) > 0
	})
	refused, err := l.command(apply...).CombinedOutput()
	if err == nil || !strings.Contains(string(refused), "Error acquiring the state lock") || !strings.Contains(string(refused), "|install|") {
		t.Errorf("terraform works beside a run: %v: %s", err, refused)
	}
	must(t, run.Process.Signal(os.Interrupt))
	if said := <-ended; !strings.Contains(said, "exoshift install") {
		t.Errorf("the run ended without a word how to resume it: %s", said)
	}
	l.run("terraform", "plan", "-no-color")
	l.run(opened.program, "destroy", "c-lock", "--confirm-destroy", "c-lock", "--output", "plain")
}
