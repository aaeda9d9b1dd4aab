package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
)

// largestCast is the limit of a recording, in bytes.
const largestCast = 200_000

// keepCast leaves the shell, and keeps the session as NAME.cast.
func keepCast(t *testing.T, s *Session, o Options, name, title string) {
	t.Helper()
	s.Type("exit\n")
	s.Leave(0)
	var out bytes.Buffer
	c := Cast{Width: o.Width, Height: o.Height, Longest: 2500 * time.Millisecond, Frame: 700 * time.Millisecond}
	if err := writeScreens(&out, title, c, s.drawn); err != nil {
		t.Fatal(err)
	}
	if out.Len() > largestCast {
		t.Errorf("%s has %d bytes, at most %d are allowed", name, out.Len(), largestCast)
	}
	if err := os.WriteFile(filepath.Join(*record, name+".cast"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recorded returns the place and the terminal of a recorded session, or skips the test.
func recorded(t *testing.T) (place, Options) {
	t.Helper()
	if *record == "" {
		t.Skip("make casts records them")
	}
	return shownPlace(t), Options{Width: 110, Height: 32, Timeout: 3 * time.Minute}
}

// prompting begins a shell in which the program is called as people do.
func (p place) prompting(t *testing.T, o Options) *Session {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	o.Program, o.Args, o.Dir = "/bin/bash", []string{"--norc", "--noprofile"}, p.home
	o.Env = append(p.environment(o.Env...), "PS1=$ ", "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"), "HISTFILE=")
	s := Start(t, o)
	s.ExpectMatch(`^\$`)
	return s
}

// command types a command, and waits for what it prints and the next prompt.
func command(t *testing.T, s *Session, line string, expected ...string) {
	t.Helper()
	s.slowly(line)
	s.Press("enter")
	s.Expect(expected...)
	s.WaitFor("the next prompt", func(screen Screen) bool {
		return !screen.Alternate && strings.TrimSpace(screen.Lines[screen.CursorY]) == "$"
	})
	s.Idle(time.Second)
}

// watch types the command of a rehearsal, watches it to its end, and leaves its screen.
func watch(t *testing.T, s *Session, line string, seen ...string) {
	t.Helper()
	s.slowly(line)
	s.Press("enter")
	s.Expect("RUNNING", "q quit")
	for _, text := range seen {
		s.Expect(text)
	}
	s.Expect("DONE")
	s.Idle(2 * time.Second)
	s.Press("q")
	s.WaitFor("the shell", func(screen Screen) bool { return !screen.Alternate })
	s.Idle(time.Second)
}

func TestRecordCast_Install(t *testing.T) {
	p, o := recorded(t)
	s := p.prompting(t, o)
	watch(t, s, "exoshift rehearse --speed 150")
	keepCast(t, s, o, "install", "An installation of 40 minutes, rehearsed 150 times as fast")
}

func TestRecordCast_Repair(t *testing.T) {
	p, o := recorded(t)
	s := p.prompting(t, o)
	command(t, s, "exoshift explain mcs-blocked | head -n 20", "mcs-blocked")
	watch(t, s, "exoshift rehearse --speed 150 --scenario mcs-blocked")
	keepCast(t, s, o, "repair", "A security group loses a rule: the run finds it, says why, restores it and goes on")
}

func TestRecordCast_Nodes(t *testing.T) {
	p, o := recorded(t)
	if err := os.WriteFile(filepath.Join(p.home, "demo.yaml"), fmt.Appendf(nil, fleetAnswers, "demo"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Env = p.standing(t, "--speed", "600").environment
	p.start(t, o, "install", "--answers", "demo.yaml", "--yes", "--output", "plain").Leave(0)
	s := p.prompting(t, o)
	command(t, s, "exoshift nodes list", "worker-2")
	command(t, s, "exoshift nodes add --group workers --count 1 --yes --output plain", "sizing.workers.count: 4")
	command(t, s, "clear; exoshift nodes remove worker-0 --yes --output plain", "sizing.workers.count: 3")
	command(t, s, "clear; exoshift nodes list", "worker-3")
	if screen := s.Screen(); screen.Has("worker-0") {
		t.Errorf("worker-0 is not removed:\n%s", screen)
	}
	keepCast(t, s, o, "nodes", "A node is added, and another one is drained and removed")
}

// Anna may read shared state.
const (
	anna         = "age1z3aar7xajfyp6g4he96sgdlt3v6j36n4p6pk8f8s3g05gtstm48shts93g"
	annaIdentity = "AGE-SECRET-KEY-17HYQCC8CW4835UY566ZQJXYZHN5C94A4AEY28YG69D9THH73DR8S6YEFSK\n"
)

// fleetAnswers are those of a cluster, by its stage.
const fleetAnswers = `apiVersion: exoshift/v1alpha1
kind: Cluster
cluster: {id: c-%[1]s-1, baseDomain: example.net, labels: {stage: %[1]s}}
exoscale: {zone: ch-gva-2}
openshift:
  version: 4.20.5
  pullSecret: {env: EXOSHIFT_PULL_SECRET}
  sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V demo
`

func TestRecordCast_Fleet(t *testing.T) {
	p, o := recorded(t)
	for name, content := range map[string]string{
		"anna.txt": annaIdentity, "canary.yaml": fmt.Sprintf(fleetAnswers, "canary"),
		"c-prod-1/answers.yaml": fmt.Sprintf(fleetAnswers, "prod"), "c-prod-1/facts.json": `{"schema": 1, "clusterId": "c-prod-1", "zone": "ch-gva-2"}`,
	} {
		path := filepath.Join(p.home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	shared := "file://" + filepath.Join(p.home, "fleet")
	o.Env = append(p.standing(t, "--speed", "600").environment, "EXOSHIFT_AGE_IDENTITY="+filepath.Join(p.home, "anna.txt"), "EXOSHIFT_STATE="+shared)
	for _, arguments := range [][]string{
		{"state", "init", shared, "--yes", "--recipient", anna},
		{"install", "--answers", "canary.yaml", "--yes", "--output", "plain"}, {"state", "import", "--dir", "c-prod-1"},
	} {
		p.start(t, o, arguments...).Leave(0)
	}
	o.Width = 150
	s := p.prompting(t, o)
	command(t, s, "exoshift fleet status --refresh --output plain", "stage=prod")
	command(t, s, "exoshift fleet gate --selector stage=canary; echo exit code $?", "exit code 0")
	command(t, s, "exoshift fleet gate --selector stage=prod; echo exit code $?", "exit code 5")
	keepCast(t, s, o, "fleet", "Two clusters in shared state, and the gate of a pipeline")
}

// What is drawn of the recording is what was seen, styles included.
func TestWriteScreens_SameScreen(t *testing.T) {
	t.Parallel()
	s := shell(t, `printf '\033[1;31mred\033[0m plain 日本 \033[7mreversed\033[0m\n\033[38;2;1;2;3;48;5;200mtrue\033[0m\nthird'`)
	s.Exit()
	var out bytes.Buffer
	if err := writeScreens(&out, "test", Cast{Width: 40, Height: 5, Longest: time.Second, Frame: time.Millisecond}, s.drawn); err != nil {
		t.Fatal(err)
	}
	replayed := vt10x.New(vt10x.WithSize(40, 5))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines[1:] {
		var frame [3]any
		if err := json.Unmarshal([]byte(line), &frame); err != nil {
			t.Fatal(err)
		}
		_, _ = replayed.Write([]byte(padded(frame[2].(string))))
	}
	for y := range 3 {
		for x := range 40 {
			want, got := s.emulator.Cell(x, y), replayed.Cell(x, y)
			if want.Char != got.Char && want.Char+got.Char != ' ' || want.FG != got.FG || want.BG != got.BG {
				t.Errorf("line %d, cell %d: %+v, not %+v", y, x, got, want)
			}
		}
	}
}

// The recordings in the documentation are those of this format, and small.
func TestCasts_AreSmall(t *testing.T) {
	t.Parallel()
	casts, err := filepath.Glob("../../docs/casts/*.cast")
	if err != nil || len(casts) < 4 {
		t.Fatalf("recordings: %v, %v", casts, err)
	}
	for _, name := range casts {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var header struct{ Version, Width, Height int }
		first, _, _ := bytes.Cut(content, []byte("\n"))
		if err := json.Unmarshal(first, &header); err != nil || header.Version != 2 || header.Width == 0 || len(content) > largestCast {
			t.Errorf("%s: %+v, %d bytes, %v", name, header, len(content), err)
		}
	}
}
