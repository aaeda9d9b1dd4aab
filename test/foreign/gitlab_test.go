package foreign

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
)

// gitlabRunner is GitLab's language of pipelines, run without a GitLab.
const gitlabRunner = "gitlab-ci-local@4.70.0" // newer ones need a newer Node

// findGitLabRunner returns the path of the program, which npm installs once.
func findGitLabRunner(t *testing.T) string {
	t.Helper()
	for _, needed := range []string{"npm", "rsync", "git", "curl"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Skipf("%s, which pipelines are run with, is not installed", needed)
		}
	}
	home, err := os.UserHomeDir()
	must(t, err)
	dir := filepath.Join(home, ".cache", "exoshift-e2e", gitlabRunner)
	program := filepath.Join(dir, "node_modules", ".bin", "gitlab-ci-local")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	must(t, os.MkdirAll(dir, 0o755))
	install := exec.Command("npm", "install", "--no-fund", "--no-audit", "--prefix", dir, gitlabRunner)
	install.Env = withoutProxy()
	if said, err := install.CombinedOutput(); err != nil {
		t.Skipf("%s cannot be installed here: %v\n%s", gitlabRunner, err, said)
	}
	return program
}

// withoutProxy is the environment without the zone's.
func withoutProxy() (env []string) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasSuffix(strings.ToLower(name), "_proxy") && name != "SSL_CERT_FILE" {
			env = append(env, variable)
		}
	}
	return env
}

const pipeline = `stages: [test, deploy]
include:
  - component: $CI_SERVER_FQDN/platform/exoshift/exoshift@$CI_COMMIT_SHA
    inputs:
      cluster: c-gitlab
      answers: clusters/c-gitlab.yaml
      state: s3://fleet-gitlab/prod?endpoint=https://sos-ch-gva-2.exo.io
`

// project is a repository with the component in it, and a stand-in for GitLab's API, which keeps notes.
type project struct {
	t       *testing.T
	runner  string
	dir     string
	env     []string
	secrets []string

	mu    sync.Mutex
	notes []string
}

func newProject(t *testing.T) *project {
	p := &project{t: t, runner: findGitLabRunner(t), dir: filepath.Join(t.TempDir(), "fleet")}
	component, err := os.ReadFile("../../deploy/gitlab/exoshift.yml")
	must(t, err)
	identity, err := age.GenerateX25519Identity()
	must(t, err)
	key := filepath.Join(t.TempDir(), "identity")
	must(t, os.WriteFile(key, []byte(identity.String()), 0o600))
	for name, content := range map[string]string{
		"templates/exoshift.yml": string(component), ".gitlab-ci.yml": pipeline, ".gitignore": ".gitlab-ci-local\n",
		"clusters/c-gitlab.yaml": strings.Replace(answers, "c-foreign", "c-gitlab", 1),
	} {
		path := filepath.Join(p.dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o600))
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.notes = append(p.notes, r.Method+" "+r.URL.Path+" "+r.Header.Get("Private-Token")+" "+string(content))
		w.WriteHeader(http.StatusCreated)
	}))
	t.Cleanup(api.Close)
	p.secrets = []string{os.Getenv("EXOSCALE_API_SECRET"), "note-token", identity.String()}
	p.env = append(os.Environ(), "PATH="+filepath.Dir(opened.program)+":"+os.Getenv("PATH"), "EXOSHIFT_AGE_IDENTITY="+key, "HOME="+t.TempDir(),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.email", "GIT_CONFIG_VALUE_0=ci@example.net", "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1",
		"CI_API_V4_URL="+api.URL+"/api/v4", "EXOSHIFT_NOTE_TOKEN=note-token")
	for _, command := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "config", "user.name", "ci"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "A cluster"},
		{"git", "remote", "add", "origin", "git@gitlab.example.net:platform/exoshift.git"}, {"git", "update-ref", "refs/remotes/origin/main", "HEAD"},
		{"git", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"},
		{opened.program, "state", "init", "s3://fleet-gitlab/prod?endpoint=https://sos-ch-gva-2.exo.io", "--recipient", identity.Recipient().String(), "--yes"},
	} {
		if said, err := p.command(command...); err != nil {
			t.Fatalf("%s: %v: %s", command, err, said)
		}
	}
	return p
}

func (p *project) command(words ...string) (string, error) {
	command := exec.Command(words[0], words[1:]...)
	command.Dir, command.Env = p.dir, p.env
	said, err := command.CombinedOutput()
	return string(said), err
}

// run runs a job of a pipeline that has this source, with shells in the place of containers.
func (p *project) run(source, job string, more ...string) (string, error) {
	words := []string{p.runner, "--force-shell-executor", "--shell-isolation", "--variable", "CI_PIPELINE_SOURCE=" + source}
	for _, name := range []string{"CI_API_V4_URL", "EXOSHIFT_NOTE_TOKEN"} {
		for _, variable := range p.env {
			if strings.HasPrefix(variable, name+"=") {
				words = append(words, "--variable", variable)
			}
		}
	}
	return p.command(append(append(words, more...), job)...)
}

func (p *project) artifact(job, name string) string {
	p.t.Helper()
	found, _ := filepath.Glob(filepath.Join(p.dir, ".gitlab-ci-local", "artifacts", job, "exoshift", "c-gitlab", name))
	if len(found) != 1 {
		p.t.Fatalf("job %s left %d files %s", job, len(found), name)
	}
	content, err := os.ReadFile(found[0])
	must(p.t, err)
	for _, secret := range p.secrets {
		if secret != "" && strings.Contains(string(content), secret) {
			p.t.Errorf("%s of job %s has a secret", name, job)
		}
	}
	return string(content)
}

// TestGitLab_ComponentPlansAndApplies: a plan on the merge request, the installation of that plan and of no other one, and drift.
func TestGitLab_ComponentPlansAndApplies(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole installation takes minutes")
	}
	t.Parallel()
	p := newProject(t)
	request := []string{"--variable", "CI_MERGE_REQUEST_IID=7"}
	if said, err := p.run("merge_request_event", "exoshift-check-c-gitlab", request...); err != nil {
		t.Errorf("check: %v: %s", err, said)
	}
	if report := p.artifact("exoshift-check-c-gitlab", "check.xml"); !strings.Contains(report, "<testsuite") {
		t.Errorf("the report of the check is %.300s", report)
	}
	if said, err := p.run("merge_request_event", "exoshift-plan-c-gitlab", request...); err != nil {
		t.Fatalf("plan: %v: %s", err, said)
	}
	p.mu.Lock()
	if len(p.notes) != 1 || !strings.HasPrefix(p.notes[0], "POST /api/v4/projects/") || !strings.Contains(p.notes[0], "/merge_requests/7/notes note-token body=") || !strings.Contains(p.notes[0], "to+create") && !strings.Contains(p.notes[0], "to%20create") {
		t.Errorf("the notes are %.300q", p.notes)
	}
	p.mu.Unlock()
	hash := strings.TrimSpace(p.artifact("exoshift-plan-c-gitlab", "plan.hash"))
	if len(hash) != 64 || !strings.Contains(p.artifact("exoshift-plan-c-gitlab", "plan.md"), hash) {
		t.Errorf("the plan has the hash %q", hash)
	}
	artifact := filepath.Join(p.dir, ".gitlab-ci-local/artifacts/exoshift-plan-c-gitlab/exoshift/c-gitlab/plan.hash")
	must(t, os.WriteFile(artifact, []byte(strings.Repeat("0", 64)), 0o600))
	said, err := p.run("push", "exoshift-apply-c-gitlab")
	var failed *exec.ExitError
	if !errors.As(err, &failed) || !strings.Contains(said, "the plan has changed since its approval") {
		t.Errorf("another plan is applied: %v: %s", err, said)
	}
	must(t, os.WriteFile(artifact, []byte(hash+"\n"), 0o600))
	if said, err := p.run("push", "exoshift-apply-c-gitlab"); err != nil {
		t.Fatalf("apply: %v: %s", err, said)
	}
	if said, err := p.run("schedule", "exoshift-drift-c-gitlab"); err != nil {
		t.Errorf("drift of what was installed: %v: %s", err, said)
	}
	c := open(t)
	for _, instance := range get(c.ListInstances(t.Context()))(c).Instances {
		if instance.Name == "worker-2" && instance.Labels["exoshift-cluster"] == "c-gitlab" {
			_, err := c.DeleteInstance(t.Context(), instance.ID)
			must(t, err)
		}
	}
	if said, err := p.run("schedule", "exoshift-drift-c-gitlab"); err == nil || !strings.Contains(said, "no change was expected") {
		t.Errorf("drift of a deleted machine: %v: %s", err, said)
	}
}
