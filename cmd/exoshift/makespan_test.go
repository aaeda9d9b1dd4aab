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

	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
)

// makespanLimit is how much longer an installation may take than the longest chain of its plan.
const makespanLimit = 1.05

// impatient is a clock by which the program asks every second, so that its waits end as soon as they can.
type impatient struct{ provisioner.Clock }

func (c impatient) Sleep(ctx context.Context, d time.Duration) error {
	return c.Clock.Sleep(ctx, min(d, time.Second))
}

// timeline is when the steps of a run were under way.
type timeline struct {
	plan         provisioner.Plan
	began, ended map[string]time.Time
	created      map[string]time.Time // machines, when they were told of
	first, last  time.Time
}

func (l timeline) makespan() time.Duration { return l.last.Sub(l.first) }

// criticalPath returns the longest chain of steps that need each other, and how long it is.
func (l timeline) criticalPath() (chain []string, length time.Duration) {
	type path struct {
		steps  []string
		length time.Duration
	}
	paths := map[string]path{}
	var longest path
	for _, step := range l.plan { // a step needs only steps above it
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

// String draws the steps below each other.
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

// timed installs the usual cluster and returns when its steps were under way.
func timed(t *testing.T, alter func(*install.Clients)) timeline {
	t.Helper()
	var l timeline
	virtually(t, "happy", func(t *testing.T, s session, _ *simcloud.Zone) {
		out, err := played(t, s, alter)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		l = readTimeline(t, install.Steps(s.spec), out)
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
		case e.Type == provisioner.TypeStep && e.State == provisioner.Started:
			l.began[e.Step] = e.Time
		case e.Type == provisioner.TypeStep && e.State != provisioner.Progress:
			l.ended[e.Step] = e.Time
		}
	}
	return l
}

// The critical path is measured on the same zone with a program that asks every second: the latencies of the zone
// and of the cluster remain, and nothing is lost between them. The installation as it is may hardly take longer.
func TestAnInstallationTakesHardlyLongerThanItsCriticalPath(t *testing.T) {
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

// checkTogether checks that machines are made beside each other: whoever comes after bootstrap waits for nothing that
// bootstrap does. Nothing but the image may hold it back.
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
	if late := l.began["bootstrap-machine"].Sub(l.ended["image"]); late != 0 {
		t.Errorf("bootstrap started %s after its image was there", late)
	}
}

// BenchmarkMakespan tells what the test above has measured.
func BenchmarkMakespan(b *testing.B) {
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), os.Args[0], "-test.v", "-test.run=^TestAnInstallationTakesHardlyLonger").CombinedOutput()
		if err != nil {
			b.Errorf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if _, told, found := strings.Cut(line, "makespan "); found {
				b.Log("makespan " + strings.TrimSpace(told))
			}
		}
	}
}
