package connectivity

import (
	"context"
	"strings"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

// failingProber produces the results of a remote machine that started but could not report: the object storage was
// unreachable, which the nodes need as well. Everything else is unknown. It is a reach.Prober.
type failingProber struct{ cause error }

func (s failingProber) Probe(_ context.Context, check reach.Check) reach.Finding {
	if !strings.HasPrefix(check.Target(), "sos-") {
		return reach.Finding{Unknown: "the instance in the zone sent no results"}
	}
	return reach.Finding{
		Class: reach.TCPTimeout, Layers: reach.Layers{TCP: reach.LayerFail},
		Evidence: map[string]string{reach.EvidenceError: reach.Sanitize(s.cause.Error())},
	}
}

// buildFailedReport returns the cause, too: without a check of the object storage the report does not show the problem.
func buildFailedReport(ctx context.Context, task reach.Task, cause error, emit func(reach.Result)) (reach.Report, error) {
	hint, failed := fault.HintOf(cause), false
	report := reach.Run(ctx, task, failingProber{cause}, nil)
	for i, r := range report.Results {
		if r.Verdict == reach.Fail || r.Verdict == reach.Warn {
			report.Results[i].Hint, failed = hint, true
		}
		emit(report.Results[i])
	}
	if !failed {
		return report, cause
	}
	return report, nil
}
