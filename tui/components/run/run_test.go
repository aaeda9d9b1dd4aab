package run

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/tuitest"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestFormatEvent_EveryType(t *testing.T) {
	code := 12
	for want, e := range map[string]provisioner.Event{
		"the run started":                             {Type: provisioner.TypeRun, State: provisioner.Started},
		"the run ended: failed, exit code 12":         {Type: provisioner.TypeRun, State: provisioner.Finished, Result: "failed", ExitCode: &code},
		"started: Do it":                              {Type: provisioner.TypeStep, State: provisioner.Started, Text: "Do it"},
		"stopped: Do it":                              {Type: provisioner.TypeStep, State: provisioner.Failed, Text: provisioner.Stopped},
		"half done (Do it)":                           {Type: provisioner.TypeStep, State: provisioner.Progress, Text: "half done"},
		"failed: Do it: no luck":                      {Type: provisioner.TypeStep, State: provisioner.Failed, Text: "no luck"},
		"a learner (Wait for etcd)":                   {Type: provisioner.TypeWait, What: "Wait for etcd", Last: "a learner"},
		"reached manifests":                           {Type: provisioner.TypeBootstrap, Phase: "manifests"},
		"2 members: bootstrap, m0 (learner)":          {Type: provisioner.TypeEtcd, Members: []provisioner.Member{{Name: "etcd-bootstrap", State: "voter"}, {Name: "m0", State: "learner"}}},
		"m0 is NotReady (no network)":                 {Type: provisioner.TypeNode, Name: "m0", State: "NotReady", Reason: "no network"},
		"approved csr-1 of m0":                        {Type: provisioner.TypeCSR, Name: "csr-1", Node: "m0", Decision: state.Approved},
		"left csr-1 of eve to you: not ours":          {Type: provisioner.TypeCSR, Name: "csr-1", Node: "eve", Decision: state.Skipped, Reason: "not ours"},
		"created anti-affinity group c-demo-1_master": {Type: provisioner.TypeObject, Action: "created", Kind: "anti-affinity-group", Name: "c-demo-1_master"},
		"api ok":                                       {Type: provisioner.TypeProbe, Name: "api", State: provisioner.Reached},
		"api does not answer: tcp: refused":            {Type: provisioner.TypeProbe, Name: "api", State: provisioner.Unreachable, Reason: "tcp: refused"},
		"bootkube failed cb-bootstrap: no pods":        {Type: provisioner.TypeStage, Name: "bootkube", State: provisioner.Failed, Text: "cb-bootstrap", Reason: "no pods"},
		"Starting etcd":                                {Type: provisioner.TypeJournal, Name: "bootkube.service", Text: "Starting etcd"},
		"installing 12%: working":                      {Type: provisioner.TypeVersion, State: "installing", Percent: &code, Text: "working"},
		"etcd is degraded: no quorum":                  {Type: provisioner.TypeOperator, Name: "etcd", State: "degraded", Reason: "no quorum"},
		"the port is closed (high)":                    {Type: provisioner.TypeDiagnosis, State: provisioner.Present, Text: "the port is closed", Confidence: "high"},
		"resolved: the port is closed":                 {Type: provisioner.TypeDiagnosis, State: provisioner.Gone, Text: "the port is closed"},
		"no data could be gathered: disk full":         {Type: provisioner.TypeGathered, State: provisioner.Failed, Text: "no data could be gathered", Reason: "disk full"},
		"an event of tomorrow says this all by itself": {Type: "tomorrow", Text: "an event of tomorrow says this all by itself"},
	} {
		if got := formatEvent(e, "Do it"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSteps_MarksSlowWait(t *testing.T) {
	since := noon.Add(-5 * time.Minute)
	step := provisioner.StepView{ID: "s", Title: "Wait for etcd", State: provisioner.Started, Began: since, Wait: &provisioner.Event{
		What: "Wait for etcd", Since: &since, Usual: 120, Limit: 1800, Last: "a learner",
	}}
	view := Status{Theme: tuitest.NewTheme(false), Board: &provisioner.Board{Steps: []provisioner.StepView{step}}, Now: noon}.View(100, 3)
	for _, text := range []string{"! WAITING FOR  etcd", "5m · slower than usual · usually 2m · limit 30m", "last seen: a learner"} {
		if !strings.Contains(view, text) {
			t.Errorf("%q is not said in\n%s", text, view)
		}
	}
}

func TestFailure_ShowsGathering(t *testing.T) {
	board := provisioner.NewBoard(nil)
	view := func() string { return Status{Theme: tuitest.NewTheme(false), Board: board, Now: noon}.View(80, 3) }
	board.Fold(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Time: noon})
	board.Fold(provisioner.Event{Type: provisioner.TypeStep, Step: "a", State: provisioner.Started, Text: "Fall", Time: noon})
	board.Fold(provisioner.Event{Type: provisioner.TypeStep, Step: "a", State: provisioner.Failed, Text: "broken", Time: noon})
	board.Fold(provisioner.Event{Type: provisioner.TypeGathered, State: provisioner.Started, Time: noon})
	if now := view(); !strings.Contains(now, "FAILED  Fall: broken") || !strings.Contains(now, "GATHERING") {
		t.Errorf("while it gathers:\n%s", now)
	}
	board.Fold(provisioner.Event{Type: provisioner.TypeGathered, State: provisioner.Done, Time: noon})
	if now := view(); strings.Contains(now, "GATHERING") {
		t.Errorf("afterwards:\n%s", now)
	}
}

func TestRun_KeepsCurrentStepAndError(t *testing.T) {
	board := &provisioner.Board{Run: provisioner.Event{State: provisioner.Started}, Steps: []provisioner.StepView{
		{ID: "a", Title: "Fall", State: provisioner.Failed, Text: "broken"},
		{ID: "b", Title: "Walk", State: provisioner.Started, Began: noon},
		{ID: "c", Title: "Run", State: provisioner.Started, Began: noon},
	}}
	for height := 2; height < 6; height++ {
		view := Status{Theme: tuitest.NewTheme(false), Board: board, Now: noon}.View(80, height)
		if !strings.Contains(view, "Fall: broken") || !strings.Contains(view, "Walk") {
			t.Errorf("with %d lines:\n%s", height, view)
		}
	}
}

func TestFilterEvents_RepeatedWaitOnce(t *testing.T) {
	wait := func(seq int, last string) provisioner.Event {
		return provisioner.Event{Seq: seq, Type: provisioner.TypeWait, Step: "s", Last: last}
	}
	p := Log{Theme: tuitest.NewTheme(false), Events: []provisioner.Event{wait(1, "a"), wait(2, "a"), wait(3, "b"), wait(4, "b"), wait(5, "a")}}
	if visible := p.filterEvents(); len(visible) != 3 {
		t.Errorf("%d events are told, want 3", len(visible))
	}
}

func TestLog_DrawsNothingInNegativeHeight(t *testing.T) {
	tuitest.CheckExact(t, Log{Theme: tuitest.NewTheme(false), Events: []provisioner.Event{{Text: "a"}, {Text: "b"}}}, 122, -3)
}

// The headline is the wait that everything else waits for, and not the one that is above it in the plan.
func TestStatus_HeadlineIsCriticalPath(t *testing.T) {
	board := provisioner.NewBoard(provisioner.Plan{
		{ID: "aside", Title: "Wait for the delegation", Usual: 10 * time.Minute},
		{ID: "facts", Title: "Verify the reported facts", Usual: time.Minute},
		{ID: "api", Title: "Wait for the API", Usual: 8 * time.Minute},
		{ID: "nodes", Title: "Wait until every node is Ready", Needs: []string{"api"}, Usual: 15 * time.Minute},
	})
	board.Fold(provisioner.Event{Time: noon, Type: provisioner.TypeRun, State: provisioner.Started})
	for _, id := range []string{"aside", "facts", "api"} {
		title := map[string]string{"aside": "Wait for the delegation", "facts": "Verify the reported facts", "api": "Wait for the API"}[id]
		board.Fold(provisioner.Event{Time: noon, Type: provisioner.TypeStep, Step: id, State: provisioner.Started, Text: title})
		board.Fold(provisioner.Event{Time: noon, Type: provisioner.TypeWait, Step: id, Last: "not yet"})
	}
	status := Status{Theme: tuitest.NewTheme(false), Board: board, Now: noon.Add(time.Minute)}
	if first := strings.Split(status.View(80, 8), "\n")[0]; !strings.Contains(first, "WAITING FOR  the API") {
		t.Errorf("the headline is %q", first)
	}
	if view := status.View(80, 12); !strings.Contains(view, "RUNNING  Verify the reported facts") {
		t.Errorf("no sentence for a step that waits without the word:\n%s", view)
	}
}
