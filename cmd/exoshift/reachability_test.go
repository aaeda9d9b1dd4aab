package main

import (
	"strings"
	"testing"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/wizard/reach"
)

func TestARefusalNamesTheCommandThatShowsTheSame(t *testing.T) {
	folder, err := state.OpenReadOnly(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec := exampleSpec(t)
	there := console.RunLocations{Folder: folder.Path()}
	for want, s := range map[string]session{
		"`exoshift check --answers 'my answers.yaml'`":                                         {options: options{answers: "my answers.yaml"}, locations: there},
		"`exoshift check --answers " + shellescape.Quote(folder.Path(state.AnswersFile)) + "`": {locations: there},
		"`exoshift check --simulate --scenario cdn-blocked --answers a.yaml`":                  {scenario: "cdn-blocked", options: options{answers: "a.yaml"}},
		"`exoshift check --simulate --scenario cdn-blocked --zone ch-gva-2`":                   {scenario: "cdn-blocked", locations: there, temporary: true},
		"`exoshift check --zone ch-gva-2`; what you are sure about you can leave out":          {},
	} {
		s.spec, s.folder = spec, folder
		failed := reach.Result{ID: "NET-RH-001", Target: "quay.io:443", Verdict: reach.Fail, Class: reach.TCPTimeout}
		err := s.newReachability().toError(reach.Report{Results: []reach.Result{failed}})
		if hint := fault.HintOf(err); !strings.Contains(hint, want) || !strings.Contains(hint, "NET-RH-001") {
			t.Errorf("the hint is %q, want %s", hint, want)
		}
	}
}

func TestARefusalTellsTheOneCauseOfManyFailuresFirst(t *testing.T) {
	report := reach.Report{Results: []reach.Result{{ID: "NET-RH-009", Target: "own.example:443", Verdict: reach.Fail, Class: reach.ServerError}}}
	for _, id := range []string{"NET-RH-001", "NET-RH-002", "NET-RH-003", "NET-RH-004"} {
		report.Results = append(report.Results, reach.Result{ID: id, Target: "quay.io:443", Source: reach.Workstation, Verdict: reach.Fail, Class: reach.Captive})
	}
	err := reachability{command: "exoshift check"}.toError(report)
	if told := err.Error(); !strings.Contains(told, "one cause of 4 problems: ") || !strings.Contains(told, "; NET-RH-009 own.example:443") || strings.Contains(told, "NET-RH-001") {
		t.Error(told)
	}
	if hint := fault.HintOf(err); !strings.HasPrefix(hint, "Log in to the network") {
		t.Error(hint)
	}
}
