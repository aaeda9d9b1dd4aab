package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/provisioner"
	"exoshift/state"
)

// executeCommand returns the exit code and what was printed.
func executeCommand(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = execute(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

func TestCommands_HaveExamples(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, below := range cmd.Commands() {
			visit(below)
		}
		if cmd.Hidden || cmd.HasSubCommands() && cmd.HasParent() {
			return
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(line, "exoshift") {
				t.Errorf("%s: an example without exoshift: %q", cmd.CommandPath(), line)
			}
		}
		if cmd.Example == "" || cmd.Short == "" {
			t.Errorf("%s has no example or no description", cmd.CommandPath())
		}
	}
	visit(newRootCommand(cli.Streams{}))
}

func TestVersion_FlagPrintsWhatTheCommandPrints(t *testing.T) {
	_, byCommand, _ := executeCommand(t, "version")
	code, byFlag, _ := executeCommand(t, "--version")
	if code != 0 || byFlag != byCommand || !strings.HasPrefix(byFlag, "exoshift ") {
		t.Errorf("--version exits with %d and prints %q, version prints %q", code, byFlag, byCommand)
	}
}

func TestFlagErrors_DescribeAndSuggest(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for line, want := range map[string]string{
		"install --answrs x":                    "unknown flag --answrs; did you mean --answers?",
		"install -x":                            "unknown flag -x",
		"install --dry-run":                     "unknown flag --dry-run; exoshift plan shows what would be created",
		"install --answers":                     "--answers needs a value",
		"rehearse --speed fast":                 "--speed fast: not a number",
		"install --wait-for-dns soon":           "--wait-for-dns soon: not a duration, e.g. 45s",
		"replay --run first":                    "--run first: not a whole number",
		"install --image-from here":             "--image-from here: must be workstation or zone",
		"install --yes=perhaps":                 "--yes perhaps: not true or false",
		"instal":                                "unknown command \"instal\"; did you mean install?",
		"rehearse --scenario late-dns,api-awaj": "unknown scenario \"api-awaj\"; did you mean api-away?",
		"status c-demo-1":                       "no cluster \"c-demo-1\" on this machine",
		"status c-demo-1 --dir x":               "c-demo-1 and --dir exclude each other",
		"status ../c-demo-1":                    "no cluster \"../c-demo-1\" on this machine",
		"restore objects a b":                   "exoshift restore objects takes ID, not 2 arguments",
		"answers validate":                      "no file: name the answers file",
		"answers validate a.yaml --answers b":   "a.yaml and --answers exclude each other",
	} {
		code, out, err := executeCommand(t, strings.Fields(line)...)
		if code != exit.Usage || !strings.Contains(err, want) || out != "" {
			t.Errorf("%s: exit code %d, printed %q, want %q", line, code, out+err, want)
		}
	}
}

func TestGroups_RefuseUnknownCommands(t *testing.T) {
	for _, group := range newRootCommand(cli.Streams{}).Commands() {
		if group.Hidden || !group.HasAvailableSubCommands() || strings.Contains(group.Use, " ") { // which takes an argument
			continue
		}
		if code, _, err := executeCommand(t, group.Name(), "nonsense"); code != exit.Usage || !strings.Contains(err, `unknown command "nonsense"`) {
			t.Errorf("%s: exit code %d, %q", group.Name(), code, err)
		}
	}
}

func TestList_ShowsClustersAndDrafts(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if code, out, _ := executeCommand(t, "list"); code != 0 || !strings.Contains(out, "No clusters and no drafts") {
		t.Errorf("without any: exit code %d, %q", code, out)
	}
	now := time.Now()
	addCluster(t, "c-installed", state.Facts{ClusterID: "c-installed", Installed: now, OpenShiftVersion: "4.20.7"})
	addCluster(t, "c-stopped", state.Facts{ClusterID: "c-stopped"})
	addCluster(t, "c-destroyed", state.Facts{ClusterID: "c-destroyed", Installed: now, Destroyed: now})
	running := addCluster(t, "c-running", state.Facts{ClusterID: "c-running"})
	unlock, err := running.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	broken := addCluster(t, "c-broken", state.Facts{})
	if err := broken.Write(state.AnswersFile, []byte("{")); err != nil {
		t.Fatal(err)
	}
	drafts, err := state.DraftsPath()
	if err != nil {
		t.Fatal(err)
	}
	draft, done, err := state.NewDraft(t.Context(), drafts)
	if err != nil {
		t.Fatal(err)
	}
	if err := draft.Save([]byte("exoscale: {zone: de-fra-1}\n")); err != nil {
		t.Fatal(err)
	}
	done()

	code, out, printed := executeCommand(t, "list", "-o", "json")
	got := map[string]string{}
	for line := range strings.Lines(out) {
		var c struct{ Type, ID, Zone, Version, State, Folder string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, err := os.Stat(c.Folder); err != nil {
			t.Error(err)
		}
		got[c.Type+" "+c.ID] = strings.Join([]string{c.Zone, c.Version, c.State}, " ")
	}
	for name, want := range map[string]string{
		"cluster c-installed": "ch-gva-2 4.20.7 installed",
		"cluster c-stopped":   "ch-gva-2 4.20.5 stopped",
		"cluster c-destroyed": "ch-gva-2 4.20.5 destroyed",
		"cluster c-running":   "ch-gva-2 4.20.5 running",
		"cluster c-broken":    "  unreadable",
		"draft ":              "de-fra-1  draft",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if code != 0 || printed != "" || len(got) != 6 {
		t.Errorf("exit code %d, %d lines, errors %q", code, len(got), printed)
	}
	if _, out, _ := executeCommand(t, "list"); !strings.Contains(out, "c-installed") || !strings.Contains(out, "unreadable") {
		t.Errorf("the table is\n%s", out)
	}
}

func TestStatus_TakesAnID(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	addCluster(t, "c-one", state.Facts{ClusterID: "c-one"})
	other := addCluster(t, "c-other", state.Facts{ClusterID: "c-other"})
	code, byID, err := executeCommand(t, "status", "c-other", "-o", "json")
	_, byFolder, _ := executeCommand(t, "status", "-d", other.Path(), "-o", "json")
	if code != 0 || byID == "" || byID != byFolder {
		t.Errorf("by its ID: exit code %d, %q %s; by its folder: %q", code, byID, err, byFolder)
	}
}

func TestMan_WritesAPageForEachCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	code, _, err := executeCommand(t, "man", dir)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, err)
	}
	for _, command := range newRootCommand(cli.Streams{}).Commands() {
		page, err := os.ReadFile(filepath.Join(dir, "exoshift-"+command.Name()+".1"))
		if command.Hidden {
			if err == nil {
				t.Errorf("%s is hidden, and has a page", command.Name())
			}
			continue
		}
		if err != nil || !bytes.Contains(page, []byte(`.SH EXAMPLE`)) && !command.HasSubCommands() {
			t.Errorf("%s: %v, %d bytes", command.Name(), err, len(page))
		}
	}
	if code, _, err := executeCommand(t, "man", filepath.Join(dir, "exoshift.1")); code != exit.Usage || !strings.Contains(err, "not a directory") {
		t.Errorf("into a file: exit code %d, %s", code, err)
	}
}

func TestRehearse_ListsScenarios(t *testing.T) {
	code, out, _ := executeCommand(t, "rehearse", "--list-scenarios")
	if code != 0 || !strings.Contains(out, "\napi-away") || !strings.Contains(out, "the API is away for five minutes") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

// addCluster makes the folder of a cluster in its usual place.
func addCluster(t *testing.T, id string, facts state.Facts) state.Folder {
	t.Helper()
	path, err := state.DefaultPath(id)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := state.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	answers := "apiVersion: exoshift/v1alpha1\nkind: Cluster\ncluster: {id: " + id + ", baseDomain: example.net}\nexoscale: {zone: ch-gva-2}\nopenshift: {version: 4.20.5, pullSecret: {env: PULL_SECRET}, sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHTW2FirIf3boJALaIC0o0MJFWD+xaffbiYDCE3sAxjt}\n"
	if err := folder.Write(state.AnswersFile, []byte(answers)); err != nil {
		t.Fatal(err)
	}
	if err := folder.SaveFacts(facts); err != nil {
		t.Fatal(err)
	}
	return folder
}

// addEvents gives a cluster a run that neither ended nor goes on.
func addEvents(t *testing.T, folder state.Folder, command string) {
	t.Helper()
	began := time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC)
	var events bytes.Buffer
	for _, event := range []provisioner.Event{
		{Seq: 1, Time: began, Type: provisioner.TypeRun, State: provisioner.Started, Command: command},
		{Seq: 2, Time: began.Add(7 * time.Minute), Type: provisioner.TypeStep, Step: "credentials", State: provisioner.Started},
	} {
		if err := json.NewEncoder(&events).Encode(event); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.Write(state.EventsFile, events.Bytes()); err != nil {
		t.Fatal(err)
	}
}

func TestStatus_OfAKilledRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	folder := addCluster(t, "c-killed", state.Facts{ClusterID: "c-killed"})
	addEvents(t, folder, "exoshift rehearse --dir /state/c-killed")
	code, out, err := executeCommand(t, "status", "c-killed")
	first, rest, _ := strings.Cut(out, "\n")
	if code != 0 || first != "Cluster c-killed: not running, the last run was killed after 7m" {
		t.Errorf("exit code %d, the first line is %q, %s", code, first, err)
	}
	if !strings.HasSuffix(rest, "No run is active: the last one was killed. Resume with:\n  exoshift rehearse --dir /state/c-killed\n") {
		t.Errorf("it ends with %q", rest)
	}
	unlock, failure := folder.Lock(t.Context())
	if failure != nil {
		t.Fatal(failure)
	}
	defer unlock()
	if _, out, _ := executeCommand(t, "status", "c-killed"); !strings.HasPrefix(out, "Cluster c-killed: running for 7m\n") || strings.Contains(out, "killed.") {
		t.Errorf("while it runs:\n%s", out)
	}
}

func TestNodes_OfAnUnfinishedCluster(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	rehearsed := addCluster(t, "c-rehearsed", state.Facts{ClusterID: "c-rehearsed", Rehearsal: true})
	addCluster(t, "c-real", state.Facts{ClusterID: "c-real"})
	for id, want := range map[string]string{"c-rehearsed": "exoshift rehearse --dir " + shellescape.Quote(rehearsed.Path()), "c-real": "exoshift install"} {
		for _, line := range [][]string{{"nodes", "remove", id, "worker-0", "--yes"}, {"nodes", "list", id}} {
			if code, _, err := executeCommand(t, line...); code != exit.Usage || !strings.Contains(err, "is not installed yet: end that first with "+want+"\n") {
				t.Errorf("%q: exit code %d, %s", line, code, err)
			}
		}
	}
}
