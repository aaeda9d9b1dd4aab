package connectivity

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// Reachability runs the connectivity checks of the preflight; it is a preflight.Reachability.
type Reachability struct {
	net     network.Network
	spec    state.Spec
	secrets wizard.Secrets
	command string // that shows the same results
	// OnBegin is called with all checks before the first result, onResult with each result; both may be nil.
	OnBegin  func([]reach.Check)
	OnResult func(reach.Result)
	// Rehearsed is as in Subject.
	Rehearsed bool
	// Keep is called with the whole report; may be nil.
	Keep func(report []byte) error
}

// NewReachability returns the checks of a cluster. command shows the same results.
func NewReachability(net network.Network, spec state.Spec, secrets wizard.Secrets, command string) Reachability {
	return Reachability{net: net, spec: spec, secrets: secrets, command: command}
}

// Check runs all local checks.
func (r Reachability) Check(ctx context.Context, seen func(text string)) ([]state.SkippedCheck, error) {
	survey, err := NewChecker(ctx, r.net, Subject{Spec: r.spec, Secrets: r.secrets, Rehearsed: r.Rehearsed}, nil, nil)
	if err != nil {
		return nil, err
	}
	if r.OnBegin != nil {
		r.OnBegin(survey.from[reach.Workstation])
	}
	report, err := survey.Run(ctx, reach.Workstation, nil, func(result reach.Result) {
		if r.OnResult != nil {
			r.OnResult(result)
		}
		if result.Verdict == reach.Warn || result.Verdict == reach.Fail {
			seen(formatResult(result))
		}
	}, seen)
	if err != nil {
		return nil, err
	}
	if err := r.keep(report); err != nil {
		return nil, err
	}
	return survey.listSkipped(), r.toError(report)
}

func (r Reachability) keep(report reach.Report) error {
	if r.Keep == nil {
		return nil
	}
	var content bytes.Buffer
	if err := reach.WriteReport(&content, report); err != nil {
		return err
	}
	return r.Keep(content.Bytes())
}

func formatResult(r reach.Result) string {
	return fmt.Sprintf("%s %s: %s", r.ID, r.Target, r.Describe())
}

func (r Reachability) toError(report reach.Report) error {
	failed, remedy := summarizeFailures(report)
	if len(failed) == 0 {
		return nil
	}
	const most = 3
	more := ""
	if len(failed) > most {
		more = fmt.Sprintf("; and %d more", len(failed)-most)
		failed = failed[:most]
	}
	return fault.Newf(fault.Conflict, "check connectivity", "%s%s", strings.Join(failed, "; "), more).
		WithHint("%sfor details and the firewall request, run `%s`; to skip a check, add to the answers: "+
			"checks: {skip: {%s: \"<reason> until <YYYY-MM-DD>\"}}; nothing was created", remedy, r.command, findFailedID(report))
}

// summarizeFailures lists common causes, with their fix, before other failures.
func summarizeFailures(report reach.Report) (failed []string, remedy string) {
	causes, seen := reach.CommonCauses(report), map[int]bool{}
	var alone []string
	for _, result := range report.Results {
		if result.Verdict != reach.Fail {
			continue
		}
		i := slices.IndexFunc(causes, func(c reach.Cause) bool { return c.Explains(result) })
		switch {
		case i < 0:
			alone = append(alone, formatResult(result))
		case !seen[i]:
			seen[i] = true
			failed = append(failed, causes[i].String())
			remedy += causes[i].Hint + " Then "
		}
	}
	return append(failed, alone...), remedy
}

func findFailedID(report reach.Report) string {
	for _, r := range report.Results {
		if r.Verdict == reach.Fail {
			return r.ID
		}
	}
	return ""
}
