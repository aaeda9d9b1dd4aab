package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// reachability runs the connectivity checks of the preflight; it is a preflight.Reachability.
type reachability struct {
	net     network.Network
	spec    state.Spec
	secrets wizard.Secrets
	command string // that shows the same results
	// onBegin is called with all checks before the first result, onResult with each result; both may be nil.
	onBegin  func([]reach.Check)
	onResult func(reach.Result)
}

func (s session) newReachability() reachability {
	return reachability{net: s.net, spec: s.spec, secrets: s.secrets, command: s.formatCheckCommand()}
}

// formatCheckCommand includes the flags of a rehearsal.
func (s session) formatCheckCommand() string {
	words := []string{"exoshift", "check"}
	if s.scenario != "" {
		words = append(words, "--simulate", "--scenario", s.scenario)
	}
	switch {
	case s.options.answers != "":
		words = append(words, "--answers", s.options.answers)
	case s.locations.Folder != "" && !s.temporary:
		words = append(words, "--answers", s.folder.Path(state.AnswersFile))
	default:
		words = append(words, "--zone", s.spec.Exoscale.Zone)
	}
	return shellescape.QuoteCommand(words)
}

// Check runs all local checks.
func (r reachability) Check(ctx context.Context, seen func(text string)) ([]state.SkippedCheck, error) {
	survey, err := newConnectivityCheck(ctx, r.net, checkSubject{spec: r.spec, secrets: r.secrets}, nil, nil)
	if err != nil {
		return nil, err
	}
	if r.onBegin != nil {
		r.onBegin(survey.from[reach.Workstation])
	}
	report, err := survey.run(ctx, reach.Workstation, nil, func(result reach.Result) {
		if r.onResult != nil {
			r.onResult(result)
		}
		if result.Verdict == reach.Warn || result.Verdict == reach.Fail {
			seen(formatResult(result))
		}
	}, seen)
	if err != nil {
		return nil, err
	}
	return survey.listSkipped(), r.toError(report)
}

func formatResult(r reach.Result) string {
	return fmt.Sprintf("%s %s: %s", r.ID, r.Target, r.Describe())
}

func (r reachability) toError(report reach.Report) error {
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
	return fault.Newf(fault.Conflict, "reach what the installation needs", "%s%s", strings.Join(failed, "; "), more).
		WithHint("%ssee everything, and what to ask for, with `%s`; what you are sure about you can leave out, in the answers: "+
			"checks: {skip: {%s: \"<reason> until <YYYY-MM-DD>\"}}; nothing was created", remedy, r.command, findFailedID(report))
}

// summarizeFailures lists common causes, with their fix, before other failures.
func summarizeFailures(report reach.Report) (failed []string, remedy string) {
	causes, told := reach.CommonCauses(report), map[int]bool{}
	var alone []string
	for _, result := range report.Results {
		if result.Verdict != reach.Fail {
			continue
		}
		i := slices.IndexFunc(causes, func(c reach.Cause) bool { return c.Explains(result) })
		switch {
		case i < 0:
			alone = append(alone, formatResult(result))
		case !told[i]:
			told[i] = true
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

func (s *connectivityCheck) listSkipped() []state.SkippedCheck {
	s.mu.Lock()
	defer s.mu.Unlock()
	var skipped []state.SkippedCheck
	for _, check := range s.checks {
		for _, skip := range s.skips {
			if skip.ID == check.ID && !skip.IsExpired(time.Now()) {
				skipped = append(skipped, state.SkippedCheck{ID: skip.ID, Target: check.Target(), Reason: skip.Reason, Until: skip.Until})
			}
		}
	}
	return skipped
}
