package reach_test

import (
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

// elsewhere is a task for the zone in which A is required, B should be reachable, and C is skipped.
func elsewhere() reach.Task {
	task := taskOf("A", "B", "C")
	task.Source, task.Checks[1].Severity, task.Skips = reach.Zone, reach.Should, []reach.Skip{{ID: "C", Reason: "we know"}}
	return task
}

func TestSanitizeReport_KeepsValid(t *testing.T) {
	task := elsewhere()
	made := reach.Run(t.Context(), task, probes{"A": finds(dropped), "B": finds(dropped)}, nil)
	expect(t, reach.SanitizeReport(task, made), "A fail, B warn, C skipped we know")
	degraded := reach.Run(t.Context(), task, probes{"A": finds(reach.Finding{Class: reach.Slow, Degraded: true})}, nil)
	expect(t, reach.SanitizeReport(task, degraded), "A warn, B ok, C skipped we know")
}

func TestSanitizeReport_DropsForeignChecks(t *testing.T) {
	task := elsewhere()
	remote := reach.Report{TookMS: -1, Results: []reach.Result{
		{ID: "A", Verdict: reach.OK, Source: reach.Workstation, Target: "evil:1", Group: "x", Severity: reach.May, Owner: "x", Hint: "run this"},
		{ID: "A", Verdict: reach.Fail, Class: reach.Refused},
		{ID: "D", Verdict: reach.Fail, Class: reach.Refused},
	}}
	report := reach.SanitizeReport(task, remote)
	expect(t, report, "A ok, B skipped because invalid result in the remote report, C skipped because invalid result in the remote report")
	if a := report.Results[0]; a.Source != reach.Zone || a.Target != "a.example.net:443" || a.Severity != reach.Must || a.Group != "redhat" || a.Hint != "" || report.TookMS != 0 {
		t.Errorf("believed too much: %+v", a)
	}
	if report.ComputeVerdict() != reach.Warn {
		t.Errorf("what nobody told is %s", report.ComputeVerdict())
	}
}

func TestSanitizeReport_RefusesContradiction(t *testing.T) {
	task := elsewhere()
	for name, r := range map[string]reach.Result{
		"well although refused":     {Verdict: reach.OK, Class: reach.Refused},
		"failed without a class":    {Verdict: reach.Fail},
		"a class that nobody knows": {Verdict: reach.Fail, Class: "\x1b[2J"},
		"a skip of its own":         {Verdict: reach.Skipped, Evidence: map[string]string{reach.EvidenceSkipped: "we know"}},
	} {
		r.ID = "A"
		if got := reach.SanitizeReport(task, reach.Report{Results: []reach.Result{r}}).Results[0]; !got.IsUnfinished() || got.Class != "" {
			t.Errorf("%s is %+v", name, got)
		}
	}
}

func TestSanitizeReport_LimitsEvidence(t *testing.T) {
	evidence := map[string]string{reach.EvidenceError: "\x1b]0;x\x07" + strings.Repeat("y", 10_000), "bad\x1b[2Jkey": "x"}
	for range 1000 {
		evidence["k"+strings.Repeat("k", len(evidence))] = "x"
	}
	task := elsewhere()
	got := reach.SanitizeReport(task, reach.Report{Results: []reach.Result{{ID: "A", Verdict: reach.Fail, Class: reach.Refused, Evidence: evidence}}}).Results[0]
	if len(got.Evidence) > 40 || len(got.Evidence[reach.EvidenceError]) > 210 || strings.ContainsAny(got.Evidence[reach.EvidenceError]+got.Hint, "\x1b\x07") {
		t.Errorf("%d pieces, error %q", len(got.Evidence), got.Evidence[reach.EvidenceError])
	}
	for key := range got.Evidence {
		if reach.Sanitize(key) != key {
			t.Errorf("key %q", key)
		}
	}
}
