package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
)

// makespanLimit is the maximum duration of an installation, relative to the critical path of its plan.
const makespanLimit = 1.05

// impatient polls every second, so that waits end as soon as possible.
type impatient struct{ provisioner.Clock }

func (c impatient) Sleep(ctx context.Context, d time.Duration) error {
	return c.Clock.Sleep(ctx, min(d, time.Second))
}

// timeline records when the steps of a run were running.
type timeline struct {
	plan         provisioner.Plan
	began, ended map[string]time.Time
	created      map[string]time.Time // time of the event, by machine
	progress     []string             // of machines that start
	first, last  time.Time
}

func (l timeline) makespan() time.Duration { return l.last.Sub(l.first) }

// criticalPath returns the longest chain of dependent steps, and its duration.
func (l timeline) criticalPath() (chain []string, length time.Duration) {
	type path struct {
		steps  []string
		length time.Duration
	}
	paths := map[string]path{}
	var longest path
	for _, step := range l.plan { // dependencies come first
		var before path
		for _, need := range step.Needs {
			if paths[need].length >= before.length {
				before = paths[need]
			}
		}
		here := path{append(slices.Clone(before.steps), step.ID), before.length + l.ended[step.ID].Sub(l.began[step.ID])}
		paths[step.ID] = here
		if here.length >= longest.length {
			longest = here
		}
	}
	return longest.steps, longest.length
}

// String draws a Gantt chart.
func (l timeline) String() string {
	const width = 60
	var out strings.Builder
	for _, step := range l.plan {
		from, to := l.began[step.ID].Sub(l.first), l.ended[step.ID].Sub(l.first)
		left := int(width * from / max(1, l.makespan()))
		bar := strings.Repeat(" ", left) + strings.Repeat("=", max(1, int(width*to/max(1, l.makespan()))-left))
		fmt.Fprintf(&out, "%-22s %7s %7s  %s\n", step.ID, from.Round(time.Second), to.Round(time.Second), bar)
	}
	return out.String()
}

// timed installs the default cluster and returns its timeline.
func timed(t *testing.T, alter func(*install.Clients)) timeline {
	t.Helper()
	var l timeline
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		out, err := played(t, s, alter)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		l = readTimeline(t, install.Steps(s.Spec), out)
	})
	return l
}

func readTimeline(t *testing.T, plan provisioner.Plan, out string) timeline {
	t.Helper()
	l := timeline{plan: plan, began: map[string]time.Time{}, ended: map[string]time.Time{}, created: map[string]time.Time{}}
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var e provisioner.Event
		if err := decoder.Decode(&e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Type == provisioner.TypeRun && e.State == provisioner.Started:
			l.first = e.Time
		case e.Type == provisioner.TypeRun:
			l.last = e.Time
		case e.Type == provisioner.TypeObject && e.Kind == "instance" && e.Action == "created":
			l.created[e.Name] = e.Time
		case e.Type == provisioner.TypeWait && e.Step == "compute-machines":
			l.progress = append(l.progress, e.Last)
		case e.Type == provisioner.TypeStep && e.State == provisioner.Started:
			l.began[e.Step] = e.Time
		case e.Type == provisioner.TypeStep && e.State != provisioner.Progress:
			l.ended[e.Step] = e.Time
		}
	}
	return l
}

// The critical path is measured on the same zone with a one-second poll interval: only the latencies of the zone and of the
// cluster remain. The installation with its usual intervals may be only slightly slower.
func TestInstall_NearCriticalPath(t *testing.T) {
	long(t)
	usual := timed(t, func(*install.Clients) {})
	ideal := timed(t, func(world *install.Clients) { world.Clock = impatient{world.Clock} })
	chain, length := ideal.criticalPath()
	ratio := usual.makespan().Seconds() / length.Seconds()
	t.Logf("makespan %s, critical path %s, ratio %.3f: %s\n%s", usual.makespan(), length, ratio, strings.Join(chain, " > "), usual)
	if ratio > makespanLimit {
		t.Errorf("the installation takes %.3f times as long as its critical path, the limit is %g", ratio, makespanLimit)
	}
	usual.checkTogether(t)
}

// checkTogether checks that machines are created concurrently: steps after bootstrap wait for none of bootstrap's actions,
// except for the image.
func (l timeline) checkTogether(t *testing.T) {
	t.Helper()
	bootstrap := l.created["bootstrap"]
	if bootstrap.IsZero() || len(l.created) < 10 {
		t.Fatalf("only %d machines were told of", len(l.created))
	}
	for name, at := range l.created {
		if at.Sub(bootstrap) > time.Minute {
			t.Errorf("%s came %s after bootstrap", name, at.Sub(bootstrap))
		}
	}
	if len(l.progress) == 0 {
		t.Error("nothing was told of the machines that start")
	}
	if late := l.began["bootstrap-machine"].Sub(l.ended["image"]); late != 0 {
		t.Errorf("bootstrap started %s after its image was there", late)
	}
}

// BenchmarkMakespan reports the measurement of the test above.
func BenchmarkMakespan(b *testing.B) {
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), os.Args[0], "-test.v", "-test.run=^TestInstall_NearCriticalPath$").CombinedOutput()
		if err != nil {
			b.Errorf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if _, text, found := strings.Cut(line, "makespan "); found {
				b.Log("makespan " + strings.TrimSpace(text))
			}
		}
	}
}
