package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/tui"
	"exoshift/wizard"
)

// withoutAnswers goes on with what is in the folder, or asks.
func withoutAnswers(ctx context.Context, o options, std streams) error {
	if folder, err := state.Open(o.dir); o.dir != "" && err == nil {
		return goOn(ctx, o, std, folder)
	}
	if !o.output.attended() {
		read, err := o.loadAnswers(std, environment) // there may be enough of them without a file
		if err != nil {
			return err
		}
		return installAs(ctx, o, std, read.answers.Spec, read.secrets)
	}
	d := &desk{options: o, std: std, hold: o.output.holder(std)}
	var err error
	if d.beginning, err = beginnings(o, std); err != nil {
		return err
	}
	return d.sit(ctx)
}

// goOn goes on with an installation, with the answers that are in force there.
func goOn(ctx context.Context, o options, std streams, folder state.Folder) error {
	facts, err := folder.Facts()
	if err != nil {
		return err
	}
	if facts.Rehearsal {
		return usageError{fmt.Errorf("%s belongs to a rehearsal, its cluster never existed; go on with: exoshift rehearse --dir %s", folder.Path(), folder.Path())}
	}
	o.dir = folder.Path()
	read, err := o.reloadAnswers(folder.Path(state.AnswersFile), std, environment)
	if err != nil {
		return err
	}
	return installAs(ctx, o, std, read.answers.Spec, read.secrets)
}

// beginnings are what the start screen offers: what was begun before comes first, as most people come back for it.
func beginnings(o options, std streams) ([]beginning, error) {
	resumable, err := draftBeginnings(o)
	if err != nil {
		return nil, err
	}
	installations := folderBeginnings(o, std)
	all := slices.Concat(resumable, installations, freshBeginnings(o, resumable), destructions(installations, o, std))
	return append(all, beginning{Option: tui.Option{ID: "leave", Title: "Leave", Help: "Nothing is changed."}}), nil
}

// freshBeginnings are what can be begun at any time. The draft of a folder that the flags name is gone on with, not
// written over.
func freshBeginnings(o options, drafts []beginning) []beginning {
	begin := func(ctx context.Context) (*conversation, error) { return realConversation(ctx, o) }
	var all []beginning
	if o.dir != "" && len(drafts) > 0 {
		begin = drafts[0].interview
	} else {
		all = append(all, beginning{
			Option:    tui.Option{ID: "new", Title: "A new cluster", Help: "Answer the questions, look at the plan, and install. Nothing is created before you say so."},
			interview: begin,
		})
	}
	return append(all, beginning{
		Option:    tui.Option{ID: "rehearse", Title: "Rehearse first", Help: "The same questions and the same installation on a simulated zone. Nothing real is touched, nothing costs."},
		interview: func(ctx context.Context) (*conversation, error) { return rehearsalConversation(ctx, usualRehearsal(o)) },
	}, beginning{
		Option: tui.Option{ID: "check", Title: "Check only", Help: "Answer the questions and have everything checked. Nothing is created."},
		interview: func(ctx context.Context) (*conversation, error) {
			c, err := begin(ctx)
			if err == nil {
				c.checkOnly = true
			}
			return c, err
		},
	})
}

func usualRehearsal(o options) rehearsal {
	o.dir = ""
	return rehearsal{options: o, speed: usualSpeed, scenario: "happy"}
}

// draftBeginnings offer to go on with each draft.
func draftBeginnings(o options) ([]beginning, error) {
	drafts, err := draftsFor(o)
	if err != nil {
		return nil, err
	}
	var all []beginning
	for _, draft := range drafts {
		all = append(all, beginning{
			Option:    tui.Option{ID: "draft:" + draft.Path(), Title: "Go on with " + describeDraft(draft, time.Now()), Help: "The answers so far are kept in " + draft.Path() + "."},
			interview: func(ctx context.Context) (*conversation, error) { return resumedConversation(ctx, o, draft) },
		})
	}
	return all, nil
}

func draftsFor(o options) ([]state.Draft, error) {
	if o.dir == "" {
		dir, err := state.DraftsPath()
		if err != nil {
			return nil, usageError{err}
		}
		return state.Drafts(dir)
	}
	path, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, usageError{err}
	}
	facts, err := state.DraftIn(path).Facts()
	if err != nil {
		return nil, err
	}
	if draft := state.DraftIn(path); draft.Exists() && !facts.Rehearsal {
		return []state.Draft{draft}, nil
	}
	return nil, nil
}

// describeDraft says what a draft is about: "c-demo-1 · ch-gva-2 (3 of 6 screens, 5 min ago)".
func describeDraft(draft state.Draft, now time.Time) string {
	answers, err := draftedAnswers(draft)
	if err != nil {
		return "a draft that cannot be read"
	}
	name, zone := answers.Spec.Cluster.ID, answers.Spec.Exoscale.Zone
	if name == "" {
		name = "a cluster without a name yet"
	}
	if zone != "" {
		name += " · " + zone
	}
	done := 0
	for _, screen := range wizard.Screens() {
		if len(screen.Faults(answers.Spec)) == 0 {
			done++
		}
	}
	return fmt.Sprintf("%s (%d of %d screens, %s)", console.Clean(name), done, len(wizard.Screens()), age(now.Sub(draft.Saved())))
}

// age says roughly how long ago something was.
func age(d time.Duration) string {
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

// draftedAnswers reads a draft, which may lack anything.
func draftedAnswers(draft state.Draft) (*wizard.Answers, error) {
	content, err := draft.Answers()
	if err != nil {
		return nil, fmt.Errorf("read the draft: %w", err)
	}
	return wizard.ReadDraft(draft.Path(state.DraftFile), content), nil
}

// folderBeginnings offer to go on with each installation in the usual place.
func folderBeginnings(o options, std streams) []beginning {
	place, err := usualPath("")
	if err != nil || o.dir != "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(place, "*", state.AnswersFile)) // its pattern is right
	var all []beginning
	for _, file := range files {
		if folder, err := state.Open(filepath.Dir(file)); err == nil {
			all = append(all, folderBeginning(o, std, folder)...)
		}
	}
	return all
}

// folderBeginning offers what makes sense with an installation; one that was destroyed, or that cannot be read, is not
// offered.
func folderBeginning(o options, std streams, folder state.Folder) []beginning {
	facts, err := folder.Facts()
	if err != nil || facts.Rehearsal || !facts.Destroyed.IsZero() {
		return nil
	}
	name := console.Clean(filepath.Base(folder.Path()))
	one := beginning{Option: tui.Option{ID: "folder:" + folder.Path()}}
	switch phase := lastPhase(folder); {
	case folder.Busy():
		one.Title, one.Help = "Watch the installation of "+name, "It is running. Leaving the screen does not stop it."
		one.follow = func(ctx context.Context) error { o.dir = folder.Path(); return status(ctx, o, std) }
	case !facts.Installed.IsZero():
		one.Title, one.Help = "Look at "+name+", which is installed", "How the installation went."
		one.follow = func(ctx context.Context) error { o.dir = folder.Path(); return status(ctx, o, std) }
	default:
		one.Title, one.Help = "Go on with the installation of "+name+phase, "The plan is shown first. What exists is found and kept."
		one.follow = func(ctx context.Context) error { return goOn(ctx, o, std, folder) }
	}
	return []beginning{one}
}

// lastPhase says where an installation was stopped, as far as its record tells.
func lastPhase(folder state.Folder) string {
	spec, err := answersInForce(folder)
	if err != nil {
		return ""
	}
	board := provisioner.NewBoard(install.Steps(spec))
	if err := recorded(folder, board.Fold); err != nil {
		return ""
	}
	for _, step := range board.Steps {
		if step.State != provisioner.Done && step.State != "" && step.State != provisioner.Skipped {
			return ", stopped in " + step.Phase
		}
	}
	return ""
}

// destructions offer to destroy what was installed, or begun.
func destructions(installations []beginning, o options, std streams) []beginning {
	var all []beginning
	for _, one := range installations {
		dir := one.ID[len("folder:"):]
		all = append(all, beginning{
			Option: tui.Option{ID: "destroy:" + dir, Title: "Destroy " + console.Clean(filepath.Base(dir)) + " …", Help: "Shows what would be deleted, and asks for the cluster's name before anything is."},
			follow: func(ctx context.Context) error {
				return demolition{options: options{dir: dir, output: o.output}}.run(ctx, std)
			},
		})
	}
	return all
}
