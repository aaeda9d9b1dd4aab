package reach_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/wizard/reach"
)

// probes is a prober with a finding for each check ID. Others succeed.
type probes map[string]func(ctx context.Context) reach.Finding

func (p probes) Probe(ctx context.Context, check reach.Check) reach.Finding {
	if probe := p[check.ID]; probe != nil {
		return probe(ctx)
	}
	return reach.Finding{Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK}}
}

func finds(f reach.Finding) func(context.Context) reach.Finding {
	return func(context.Context) reach.Finding { return f }
}

// after returns a finding after a time, or when the probe is stopped.
func after(d time.Duration, f reach.Finding) func(context.Context) reach.Finding {
	return func(ctx context.Context) reach.Finding {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return f
		case <-ctx.Done():
			return reach.Finding{Class: reach.TCPTimeout, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerFail}}
		}
	}
}

var dropped = reach.Finding{Class: reach.TCPTimeout, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerFail}}

// taskOf is a task of checks that have to be reached; "B<A" needs A.
func taskOf(specs ...string) reach.Task {
	task := reach.Task{Source: reach.Workstation}
	for _, spec := range specs {
		id, needs, _ := strings.Cut(spec, "<")
		check := reach.Check{ID: id, Group: "redhat", URL: "https://" + strings.ToLower(id) + ".example.net", Severity: reach.Must}
		if needs != "" {
			check.Needs = strings.Split(needs, ",")
		}
		task.Checks = append(task.Checks, check)
	}
	return task
}

// verdicts renders a report in short: "A ok, B fail, C skipped because A failed".
func verdicts(report reach.Report) string {
	words := make([]string, len(report.Results))
	for i, r := range report.Results {
		words[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s", r.ID, r.Verdict, r.Evidence[reach.EvidenceSkipped]))
	}
	return strings.Join(words, ", ")
}

func expect(t *testing.T, report reach.Report, want string) {
	t.Helper()
	if got := verdicts(report); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRun_OrderAndSingleEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		report := reach.Run(t.Context(), taskOf("A", "B", "C"), probes{
			"A": after(3*time.Second, reach.Finding{}), "B": after(2*time.Second, dropped), "C": after(time.Second, reach.Finding{}),
		}, func(r reach.Result) { lines = append(lines, r.ID) })
		expect(t, report, "A ok, B fail, C ok")
		if got := strings.Join(lines, ""); got != "CBA" {
			t.Errorf("told in the order %s", got)
		}
		if report.V != 1 || report.TookMS != 3000 || report.Started.IsZero() {
			t.Errorf("%+v", report)
		}
	})
}

func TestRun_SkipsDependents(t *testing.T) {
	failed := probes{"A": finds(dropped), "B": finds(dropped), "C": finds(dropped)}
	for name, test := range map[string]struct {
		checks []string
		probes probes
		want   string
	}{
		"one needs another":              {[]string{"A", "B<A"}, failed, "A fail, B skipped because A failed"},
		"the root is named":              {[]string{"C<B", "B<A", "A"}, failed, "C skipped because A failed, B skipped because A failed, A fail"},
		"well, although its need is not": {[]string{"A", "D<A"}, failed, "A fail, D ok"},
		"its need is well":               {[]string{"D", "A<D"}, failed, "D ok, A fail"},
		"nobody knows its need":          {[]string{"A<X"}, failed, "A fail"},
		"they need each other":           {[]string{"A<B", "B<A"}, failed, "A fail, B skipped because A failed"},
		"it needs itself":                {[]string{"A<A"}, failed, "A fail"},
		"the first of its needs":         {[]string{"C<D,B,A", "A", "B", "D"}, failed, "C skipped because B failed, A fail, B fail, D ok"},
		"only degraded": {[]string{"A", "B<A"}, probes{"A": finds(reach.Finding{Class: reach.Slow, Degraded: true}), "B": finds(dropped)},
			"A warn, B fail"},
		"asks who we are": {[]string{"A"}, probes{"A": finds(reach.Finding{Class: reach.Unauthorized})}, "A ok"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, reach.Run(t.Context(), taskOf(test.checks...), test.probes, nil), test.want)
		})
	}
}

func TestRun_ReachedDespiteFailedNeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := reach.Run(t.Context(), taskOf("A", "B<A"), probes{"A": finds(dropped), "B": after(time.Second, reach.Finding{})}, nil)
		expect(t, report, "A fail, B ok")
	})
}

func TestRun_NeedsDoNotDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := after(4*time.Second, dropped)
		report := reach.Run(t.Context(), taskOf("A", "B<A", "C<B"), probes{"A": slow, "B": slow, "C": slow}, nil)
		expect(t, report, "A fail, B skipped because A failed, C skipped because A failed")
		if report.TookMS != 4000 {
			t.Errorf("took %d ms", report.TookMS)
		}
	})
}

func TestRun_UncertainDependencyWarns(t *testing.T) {
	task := taskOf("A", "B", "C")
	task.Checks[1].Severity, task.Checks[2].Severity = reach.Should, reach.May
	report := reach.Run(t.Context(), task, probes{"A": finds(dropped), "B": finds(dropped), "C": finds(dropped)}, nil)
	expect(t, report, "A fail, B warn, C warn")
	if report.ComputeVerdict() != reach.Fail || report.Count(reach.Warn) != 2 {
		t.Errorf("worst %s", report.ComputeVerdict())
	}
}

func TestRun_PanicFailsOwnCheck(t *testing.T) {
	report := reach.Run(t.Context(), taskOf("A", "B"), probes{"A": func(context.Context) reach.Finding { panic("boom\x1b[2J" + strings.Repeat("!", 5000)) }}, nil)
	expect(t, report, "A fail, B ok")
	if got := report.Results[0]; got.Class != reach.Malformed || !strings.Contains(got.Evidence[reach.EvidenceError], "boom") || reach.Sanitize(got.Evidence[reach.EvidenceError]) != got.Evidence[reach.EvidenceError] {
		t.Errorf("%+v", got)
	}
}

func TestRun_StopSkipsUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		report := reach.Run(ctx, taskOf("A", "B", "C<B"), probes{
			"A": after(time.Second, dropped), "B": after(time.Hour, reach.Finding{}), "C": after(time.Second, dropped),
		}, nil)
		expect(t, report, "A fail, B skipped because the run was stopped, C skipped because B was skipped")
		if !report.Results[1].IsUnfinished() || report.Results[1].IsManualSkip() || report.TookMS != 2000 {
			t.Errorf("%+v", report)
		}
	})
}

func TestRun_StopDiscardsPartialSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	report := reach.Run(ctx, taskOf("A"), probes{"A": func(context.Context) reach.Finding {
		cancel()
		return reach.Finding{Class: reach.TCPTimeout, Degraded: true} // a second finding is not awaited
	}}, nil)
	expect(t, report, "A skipped because the run was stopped")
}

func TestRun_TimeoutWithBlockedProber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var specs []string
		deaf := probes{}
		for i := range 400 {
			specs = append(specs, fmt.Sprintf("A%d", i))
			deaf[specs[i]] = func(context.Context) reach.Finding { time.Sleep(time.Hour); return reach.Finding{} }
		}
		report := reach.Run(t.Context(), taskOf(specs...), deaf, nil)
		if took := time.Duration(report.TookMS) * time.Millisecond; took > 61*time.Second {
			t.Errorf("took %s", took)
		}
		first, last := report.Results[0], report.Results[399]
		if first.Class != reach.HTTPTimeout || last.Evidence[reach.EvidenceSkipped] != "because the run timed out" {
			t.Errorf("first %+v\nlast %+v", first, last)
		}
		if report.ComputeVerdict() != reach.Fail {
			t.Errorf("worst %s", report.ComputeVerdict())
		}
		time.Sleep(2 * time.Hour) // until the probes that ignore ctx have ended
	})
}

func TestRun_UnfinishedIsNotOK(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report := reach.Run(ctx, taskOf("A", "B"), probes{"A": finds(dropped)}, nil)
	expect(t, report, "A skipped because the run was stopped, B skipped because the run was stopped")
	if report.ComputeVerdict() != reach.Warn {
		t.Errorf("worst %s", report.ComputeVerdict())
	}
}

func TestRun_LimitsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at, most atomic.Int64
		busy := probes{}
		var specs []string
		for i := range 500 {
			specs = append(specs, fmt.Sprintf("A%d", i))
			busy[specs[i]] = func(context.Context) reach.Finding {
				most.Store(max(most.Load(), at.Add(1)))
				time.Sleep(time.Second)
				at.Add(-1)
				return reach.Finding{}
			}
		}
		reach.Run(t.Context(), taskOf(specs...), busy, nil)
		if most.Load() < 100 || most.Load() > 200 {
			t.Errorf("%d at a time", most.Load())
		}
	})
}

func TestRun_SkipsUntilExpiry(t *testing.T) {
	task := taskOf("A", "B", "C<A")
	task.Skips = []reach.Skip{
		{ID: "A", Reason: "no use for it"}, {ID: "B", Reason: "ticket 4711", Until: time.Now().Add(-time.Hour)},
	}
	var asked atomic.Int64
	report := reach.Run(t.Context(), task, probes{
		"A": func(context.Context) reach.Finding { asked.Add(1); return dropped }, "B": finds(dropped), "C": finds(dropped),
	}, nil)
	expect(t, report, "A skipped no use for it, B fail, C skipped because A was skipped")
	if asked.Load() != 0 || !report.Results[0].IsManualSkip() || report.Results[0].IsUnfinished() {
		t.Errorf("%+v", report.Results[0])
	}
	if note := report.Results[1].Evidence[reach.EvidenceExpiredSkip]; !strings.HasPrefix(note, "ticket 4711 until ") {
		t.Errorf("%q", note)
	}
}

func TestRun_DuplicateIDs(t *testing.T) {
	count := 0
	report := reach.Run(t.Context(), taskOf("A", "A", "B<A"), probes{"B": finds(dropped)}, func(reach.Result) { count++ })
	expect(t, report, "A ok, A ok, B fail")
	if count != 3 {
		t.Errorf("told %d", count)
	}
}

func TestRun_NoChecks(t *testing.T) {
	if report := reach.Run(t.Context(), reach.Task{}, probes{}, nil); report.Results == nil || len(report.Results) != 0 {
		t.Errorf("%+v", report)
	}
}

func TestRun_UndeterminedIsSkipped(t *testing.T) {
	task := taskOf("A", "B<A")
	report := reach.Run(t.Context(), task, probes{
		"A": finds(reach.Finding{Unknown: "a proxy carries no UDP"}), "B": finds(reach.Finding{}),
	}, nil)
	expect(t, report, "A skipped because a proxy carries no UDP, B ok")
	if got := report.Results[0].Evidence[reach.EvidenceSkipped]; got != "because a proxy carries no UDP" {
		t.Error(got)
	}
	if worst := report.ComputeVerdict(); worst != reach.OK {
		t.Error(worst)
	}
}
