package prompt_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/console/prompt"
	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/wizard"
)

// inquires adds a lookup with a fixed result.
func (t *talk) inquires(screen wizard.Screen, title string, keys []string, reply wizard.LookupResult, err error) *talk {
	t.Lookups = append(t.Lookups, wizard.Lookup{
		ID: title, Title: title, Screen: screen, Keys: keys,
		Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
			t.asked = append(t.asked, title)
			return reply, err
		},
	})
	return t
}

func TestLookups_OncePerAnswers(t *testing.T) {
	talk := newTalk(t).settled(t).about("exoscale.zone", "cluster.displayName").
		inquires(wizard.Access, "Zones", nil, wizard.LookupResult{Summary: "2 zones", Choices: map[string][]wizard.Choice{
			"exoscale.zone": {{Value: "ch-gva-2", Note: "Geneva"}, {Value: "de-fra-1", Note: "Frankfurt"}},
		}}, nil).
		inquires(wizard.Cluster, "Names", []string{"cluster.id", "exoscale.zone"}, wizard.LookupResult{Summary: "the ID is free"}, nil)
	outcome, err := talk.types(t.Context(), "", "", ":screen 1", "2", "", "yes")
	if err != nil || !outcome.Confirmed || strings.Join(talk.asked, " ") != "Zones Names Names" {
		t.Errorf("%+v, %v, asked %q", outcome, err, talk.asked)
	}
	talk.wants(t, "Zones: looking up...", "Zones: 2 zones.", "2. de-fra-1: Frankfurt.", "[1, ch-gva-2, from answers.yaml:1]")
}

func TestLookups_ProblemsAndUnknown(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.id").
		inquires(wizard.Cluster, "Release", nil, wizard.LookupResult{}, fault.New(fault.Transient, "ask the mirror", errors.New("no route")).WithHint("look at the network"))
	talk.Lookups = append(talk.Lookups, wizard.Lookup{ID: "names", Title: "Names", Screen: wizard.Cluster, Keys: []string{"cluster.id"},
		Run: func(_ context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
			if spec.Cluster.ID == "c-taken" {
				return wizard.LookupResult{Problems: []wizard.Problem{{Field: "cluster.id", Message: "is taken", Suggestion: "c-free"}}}, nil
			}
			return wizard.LookupResult{Warnings: []wizard.Problem{{Field: "cluster.id", Message: "is short"}}}, nil
		}})
	outcome, err := talk.types(t.Context(), "c-taken", "", "yes")
	if err != nil || !outcome.Confirmed || talk.answer("cluster.id") != "c-free" {
		t.Errorf("%+v, %v\n%s", outcome, err, talk.transcript.String())
	}
	golden(t, "outside.golden", talk.transcript.Bytes())
}

func TestQuotas_ShortageStopsAtNodes(t *testing.T) {
	talk := newTalk(t).settled(t).about("sizing.workers.count").
		inquires(wizard.Nodes, "Quotas", []string{"exoscale.zone"}, wizard.LookupResult{Quotas: []wizard.Quota{{Resource: "instance", Used: 2, Limit: 16}}}, nil)
	talk.Estimate = func(spec state.Spec) wizard.Estimate {
		machines := 10 + spec.Sizing.Workers.Count
		return wizard.Estimate{Machines: machines, Hour: 1, Month: 720, Date: "2026-05-01", Needs: map[string]int{"instance": machines}}
	}
	outcome, err := talk.types(t.Context(), "6", "3", "yes")
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v\n%s", outcome, err, talk.transcript.String())
	}
	talk.wants(t, "Workers: count: ", "In total 13 machines at most", "The quotas of your organization are sufficient.")
}

func TestLookups_AdviceIsNotRequirement(t *testing.T) {
	advice := wizard.LookupResult{Warnings: []wizard.Problem{{Field: "cluster.displayName", Message: "somebody has it", Hint: "go on if that is you"}}}
	talk := newTalk(t).settled(t).about("cluster.displayName").inquires(wizard.Cluster, "Names", nil, advice, nil)
	if outcome, err := talk.types(t.Context(), "Demo", "yes"); err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	talk.wants(t, "Warning: Display name: somebody has it. Fix: go on if that is you.")
}

func TestLookups_TimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		talk := newTalk(t).settled(t).about("cluster.displayName")
		over := make(chan struct{})
		talk.Lookups = []wizard.Lookup{{ID: "deaf", Title: "Names", Screen: wizard.Cluster,
			Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
				<-over // ignores its context
				return wizard.LookupResult{}, nil
			}}}
		outcome, err := talk.types(t.Context(), "Demo", "yes")
		close(over)
		if err != nil || !outcome.Confirmed {
			t.Errorf("%+v, %v", outcome, err)
		}
		talk.wants(t, "Names: lookup timed out. This does not block the installation.")
	})
}

func TestLookups_CtrlCCancelsWait(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	talk.Lookups = []wizard.Lookup{{ID: "slow", Title: "Names", Screen: wizard.Cluster,
		Run: func(ctx context.Context, _ state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
			<-ctx.Done()
			return wizard.LookupResult{}, ctx.Err()
		}}}
	talk.Check = func(ctx context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		<-ctx.Done()
		return ctx.Err()
	}
	talk.interruptible = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel() // before the lookup has ended
		return ctx, cancel
	}
	outcome, err := talk.types(t.Context(), "Demo", ":quit")
	if err != nil || outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	talk.wants(t, "Names: lookup stopped. This does not block the installation.", "The checks were stopped.")
}

func TestChecks_FailedAreRepeatable(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	attempts := 0
	talk.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		attempts++
		for _, now := range []wizard.CheckState{
			{ID: "a", Title: "Zone"}, {ID: "b", Title: "Quotas"}, {ID: "c", Title: "Release"},
			{ID: "a", Title: "Zone", State: "started"}, {ID: "a", Title: "Zone", State: "started"},
			{ID: "a", Title: "Zone", State: "progress", Text: "asked twice"}, {ID: "a", Title: "Zone", State: "done"},
			{ID: "b", Title: "Quotas", State: "failed", Text: "5 instances are missing", Hint: "ask for more:\n  https://portal.example.net", Field: "cluster.displayName"},
			{ID: "c", Title: "Release", State: "skipped", Text: "the quotas failed"},
		} {
			if attempts == 1 || now.ID == "a" {
				emit(now)
			}
		}
		return map[bool]error{true: errors.New("a check failed"), false: nil}[attempts == 1]
	}
	outcome, err := talk.types(t.Context(), "", "", "yes")
	if err != nil || !outcome.Confirmed || attempts != 2 {
		t.Errorf("%+v, %v after %d attempts", outcome, err, attempts)
	}
	golden(t, "checks.golden", talk.transcript.Bytes())
}

func TestReview_FailureIsRepeatable(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	reviewed := talk.Review
	talk.Review = func(context.Context, state.Spec, wizard.Secrets) (wizard.Review, error) {
		talk.Review = reviewed
		return wizard.Review{}, fault.Newf(fault.Invalid, "read the plan", "the zone no longer has standard.huge").WithHint("choose another type")
	}
	outcome, err := talk.types(t.Context(), "", "", ":list", "YES")
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	golden(t, "review.golden", talk.transcript.Bytes())
}

func TestCheckOnly_EndsAfterChecks(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	talk.CheckOnly, talk.Rehearsal = true, true
	outcome, err := talk.types(t.Context(), "")
	if err != nil || outcome.Confirmed || strings.Contains(talk.transcript.String(), "Review") {
		t.Errorf("%+v, %v\n%s", outcome, err, talk.transcript.String())
	}
}

func TestStart_OffersChoice(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	p := prompt.Prompter{
		Options: []prompt.Option{{ID: "new", Title: "A new cluster", Help: "Questions first"}, {ID: "held", Title: "A draft"}, {ID: "leave", Title: "Leave"}},
		In:      prompt.NewLineReader(&keyboard{lines: []string{"7", "?", "<", "2", "1", "", "yes"}, shown: &talk.transcript}), Out: &talk.transcript,
		Open: func(_ context.Context, option string) (*wizard.Interview, error) {
			if option == "held" {
				return nil, fault.Newf(fault.Conflict, "open the draft", "another process has it").WithHint("end that one first")
			}
			return talk.Interview, nil
		},
	}
	outcome, err := prompt.Run(t.Context(), p)
	if err != nil || outcome != (prompt.Outcome{Option: "new", Confirmed: true}) {
		t.Errorf("%+v, %v", outcome, err)
	}
	golden(t, "start.golden", talk.transcript.Bytes())
}

func TestPrompt_NothingToAsk(t *testing.T) {
	p := prompt.Prompter{
		Options: []prompt.Option{{ID: "new", Title: "New"}, {ID: "leave", Title: "Leave"}}, In: prompt.NewLineReader(strings.NewReader("leave\n")), Out: &strings.Builder{},
		Open: func(context.Context, string) (*wizard.Interview, error) { return nil, nil },
	}
	if outcome, err := prompt.Run(t.Context(), p); err != nil || outcome != (prompt.Outcome{Option: "leave"}) {
		t.Errorf("%+v, %v", outcome, err)
	}
}

func TestReview_ReportsConfigurationChange(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	review := talk.Review
	talk.Review = func(ctx context.Context, spec state.Spec, secrets wizard.Secrets) (wizard.Review, error) {
		plan, err := review(ctx, spec, secrets)
		plan.Difference = "--- a/c-demo-1.yml\n+++ b/c-demo-1.yml\n@@ -1 +1,2 @@\n parameters:\n-  team: \x1b[1mold\n+  team: new\n"
		return plan, err
	}
	if _, err := talk.types(t.Context(), "Demo", "yes"); err != nil {
		t.Fatal(err)
	}
	talk.wants(t, "The cluster's file in the configuration of its tenant changes:\nRemoved: team: old\nAdded: team: new\n")
}
