package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"exoshift/internal/app/environment"
	"exoshift/provisioner"
)

// TestMain lets the test binary act as exoshift, which the scripts call by name and the simulated mirror's openshift-install
// by its path.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == environment.InstallerVerb {
		exoshift()
	}
	testscript.Main(m, map[string]func(){"exoshift": exoshift, "client": client})
}

func exoshift() {
	os.Exit(process(os.Args[1:]))
}

// raceExit makes a program with the race detector end without its one-second delay.
const raceExit = "GORACE=atexit_sleep_ms=0"

// installerOfNow runs this program as openshift-install, at the caller's time.
func installerOfNow() []string {
	return []string{"/usr/bin/env", raceExit, os.Args[0], environment.InstallerVerb, "--now", time.Now().Format(time.RFC3339)}
}

func TestScripts(t *testing.T) { scripts(t, "../../test/script") }

func TestScripts_Long(t *testing.T) {
	long(t)
	scripts(t, "../../test/script/long")
}

func scripts(t *testing.T, dir string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			name, value, _ := strings.Cut(raceExit, "=")
			env.Setenv(name, value)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":        code,
			"until-event": untilEvent,
			"etcd-counts": etcdCounts,
			"json-lines":  jsonLines,
			"private":     private,
			"source":      source,
			"terminate":   terminate,
		},
	})
}

// code N COMMAND... runs a command that has to end with exit code N.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
}

// until-event FILE TEXT waits until a line with the text is in the file, which need not exist yet.
func untilEvent(ts *testscript.TestScript, _ bool, args []string) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	deadline := time.After(15 * time.Minute) // for slow or busy machines
	for {
		select {
		case <-look.C:
			if content, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && bytes.Contains(content, []byte(args[1])) {
				return
			}
		case <-deadline:
			ts.Fatalf("%s never held %s", args[0], args[1])
		}
	}
}

// etcd-counts FILE N... compares the sequence of member counts.
func etcdCounts(ts *testscript.TestScript, _ bool, args []string) {
	var counts []string
	for _, e := range events(ts, args[0]) {
		if e.Type != provisioner.TypeEtcd {
			continue
		}
		if e.Count == nil || *e.Count != len(e.Members) {
			ts.Fatalf("an etcd event counts wrongly: %+v", e)
		}
		if count := strconv.Itoa(*e.Count); len(counts) == 0 || counts[len(counts)-1] != count {
			counts = append(counts, count)
		}
	}
	if diff := cmp.Diff(args[1:], counts); diff != "" {
		ts.Fatalf("etcd members (-want +got):\n%s", diff)
	}
}

// json-lines FILE requires that every line is an event, numbered without a gap.
func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	for n, e := range events(ts, args[0]) {
		if e.V != provisioner.Version || e.Seq != n+1 || e.Time.IsZero() {
			ts.Fatalf("line %d is no event in order: %+v", n+1, e)
		}
	}
}

func events(ts *testscript.TestScript, file string) []provisioner.Event {
	var events []provisioner.Event
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(file)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		var e provisioner.Event
		if err := decoder.Decode(&e); err != nil {
			ts.Fatalf("not an event: %v\n%s", err, lines.Bytes())
		}
		events = append(events, e)
	}
	ts.Check(lines.Err())
	return events
}

// private DIR requires that only the owner can read files below a folder.
func private(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = fmt.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	}))
}
