package connectivity

import (
	"errors"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/remoterun"
	"exoshift/wizard/reach"
)

func silentTask(skips ...reach.Skip) reach.Task {
	return reach.Task{Source: reach.Zone, Skips: skips, Checks: []reach.Check{
		{ID: "S", URL: "s3://sos-ch-gva-2.exo.io", Severity: reach.Must}, {ID: "Q", URL: "registry://quay.io", Severity: reach.Must},
	}}
}

func TestFailedReport_StorageUnreachable(t *testing.T) {
	cause := fault.New(fault.Timeout, "wait", remoterun.ErrNoContact).WithHint("ask them")
	count := 0
	report, err := buildFailedReport(t.Context(), silentTask(), cause, func(reach.Result) { count++ })
	if storage, other := report.Results[0], report.Results[1]; err != nil || count != 2 || storage.Verdict != reach.Fail || storage.Hint != "ask them" ||
		other.Verdict != reach.Skipped || other.IsManualSkip() {
		t.Errorf("%d told, %v, %+v", count, err, report)
	}
}

func TestFailedReport_IsNeverOK(t *testing.T) {
	known := reach.Skip{ID: "S", Reason: "we know"}
	for name, task := range map[string]reach.Task{
		"the storage is skipped":     silentTask(known),
		"the storage is not checked": {Source: reach.Zone, Checks: silentTask().Checks[1:]},
	} {
		report, err := buildFailedReport(t.Context(), task, remoterun.ErrNoContact, func(reach.Result) {})
		if !errors.Is(err, remoterun.ErrNoContact) || report.Count(reach.Fail) != 0 {
			t.Errorf("%s: %v, %+v", name, err, report)
		}
	}
}
