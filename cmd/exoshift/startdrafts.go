package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/state"
	tuiwizard "exoshift/tui/wizard"
	"exoshift/wizard"
)

func listDraftOptions(o cli.Options) ([]startOption, error) {
	drafts, err := listDrafts(o)
	if err != nil {
		return nil, err
	}
	var all []startOption
	for _, draft := range drafts {
		all = append(all, startOption{
			StartOption: tuiwizard.StartOption{
				ID: "draft:" + draft.Path(), Title: formatDraftTitle(draft), Help: "The answers so far are kept in " + draft.Path() + ".", Draft: newStartDraft(draft, o.Dir == ""),
			},
			open: func(ctx context.Context) (*interview.Backend, error) { return interview.Resume(ctx, o.Request, draft) },
		})
	}
	return all, nil
}

func formatDraftTitle(draft state.Draft) string {
	return "Continue " + describeDraft(draft, time.Now())
}

// newStartDraft returns what can be done with a draft. The one in a folder of the operator's choice has that folder's name.
func newStartDraft(draft state.Draft, named bool) *tuiwizard.StartDraft {
	start := &tuiwizard.StartDraft{
		Name: draft.Name(),
		Read: func() (string, error) {
			answers, err := draft.ReadAnswers()
			return string(answers), err
		},
		Discard: func() error {
			if draft.IsLocked() {
				return fault.Newf(fault.Conflict, "discard the draft", "it is open in another window").WithHint("quit it there first")
			}
			if named {
				return draft.Discard(state.Folder{})
			}
			return draft.Discard(draft.Folder)
		},
	}
	if named {
		start.Rename = func(name string) (string, error) {
			if err := draft.Rename(name); err != nil {
				return "", err
			}
			return formatDraftTitle(draft), nil
		}
	}
	return start
}

func listDrafts(o cli.Options) ([]state.Draft, error) {
	if o.Dir == "" {
		dir, err := state.DraftsPath()
		if err != nil {
			return nil, exit.WithCode(exit.Usage, err)
		}
		return state.ListDrafts(dir)
	}
	path, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, err)
	}
	facts, err := state.OpenDraftReadOnly(path).LoadFacts()
	if err != nil {
		return nil, err
	}
	if draft := state.OpenDraftReadOnly(path); draft.Exists() && !facts.Rehearsal {
		return []state.Draft{draft}, nil
	}
	return nil, nil
}

// describeDraft returns e.g. "c-demo-1 · ch-gva-2 (3 of 6 screens, 5 min ago)".
func describeDraft(draft state.Draft, now time.Time) string {
	answers, err := interview.ReadDraft(draft)
	if err != nil {
		return "unreadable draft"
	}
	name, zone := answers.Spec.Cluster.ID, answers.Spec.Exoscale.Zone
	if name == "" {
		name = "unnamed cluster"
	}
	if given := draft.Name(); given != "" {
		name = given + ": " + name
	}
	if zone != "" {
		name += " · " + zone
	}
	done := 0
	for _, screen := range wizard.Screens() {
		if len(screen.Check(answers.Spec)) == 0 {
			done++
		}
	}
	return fmt.Sprintf("%s (%d of %d screens, %s)", console.SanitizeLine(name), done, len(wizard.Screens()), formatAge(now.Sub(draft.Saved())))
}

func formatAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
