package connectivity

import (
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

func TestToError_CommonCauseFirst(t *testing.T) {
	report := reach.Report{Results: []reach.Result{{ID: "NET-RH-009", Target: "own.example:443", Verdict: reach.Fail, Class: reach.ServerError}}}
	for _, id := range []string{"NET-RH-001", "NET-RH-002", "NET-RH-003", "NET-RH-004"} {
		report.Results = append(report.Results, reach.Result{ID: id, Target: "quay.io:443", Source: reach.Workstation, Verdict: reach.Fail, Class: reach.Captive})
	}
	err := Reachability{command: "exoshift check"}.toError(report)
	if text := err.Error(); !strings.Contains(text, "one cause of 4 problems: ") || !strings.Contains(text, "; NET-RH-009 own.example:443") || strings.Contains(text, "NET-RH-001") {
		t.Error(text)
	}
	if hint := fault.HintOf(err); !strings.HasPrefix(hint, "Log in to the network") || !strings.Contains(hint, "run `exoshift check`; to skip a check") || !strings.Contains(hint, "NET-RH-009") {
		t.Error(hint)
	}
}
