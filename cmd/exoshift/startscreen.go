package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"al.essio.dev/pkg/shellescape"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	tuiwizard "exoshift/tui/wizard"
	"exoshift/wizard"
)

// startScreen opens interviews and applies their results.
type startScreen struct {
	flags    cli.Options
	std      cli.Streams
	frontend cli.Frontend
	options  []startOption // of the start screen; none: the interview of opening starts at once
	open     openFunc

	mu      sync.Mutex // the user may quit while an interview is being opened
	backend *interview.Backend
	closed  bool // no more interviews are opened

	openErr error // why the last interview could not be opened
}

type openFunc func(ctx context.Context) (*interview.Backend, error)

type startOption struct {
	tuiwizard.StartOption
	open openFunc                        // nil: no interview
	run  func(ctx context.Context) error // after the screen, if there is no interview; nil: nothing
}

func (d *startScreen) run(ctx context.Context) (err error) {
	var choices []tuiwizard.StartOption
	for _, one := range d.options {
		choices = append(choices, one.StartOption)
	}
	defer func() { err = errors.Join(err, d.closeInterview()) }()
	outcome, err := d.frontend(ctx, tuiwizard.Options{StartOptions: choices, Open: d.openInterview, In: d.std.In, Out: d.std.TerminalWriter(), ASCII: d.flags.ASCII, NoColor: os.Getenv("NO_COLOR") != ""})
	d.close()
	if err != nil && d.backend != nil && fault.Is(err, fault.Cancelled) {
		return cmp.Or(d.printResume(ctx), err)
	}
	if err != nil {
		return err
	}
	if d.backend == nil {
		if chosen, ok := d.findOption(outcome.Option); ok && chosen.run != nil {
			return chosen.run(ctx)
		}
		if len(choices) == 0 { // there were no other options
			return d.openErr
		}
		return nil
	}
	if !outcome.Confirmed {
		return d.printResume(ctx)
	}
	if d.backend.CheckOnly {
		fmt.Fprintln(d.std.Out, "The checks are done; nothing was created.")
		return nil
	}
	failure := d.apply(ctx)
	path, err := d.printRealUse()
	if err = errors.Join(failure, err); err != nil || path == "" {
		return err
	}
	return d.offerRealUse(ctx, path)
}

// printRealUse names the answers of a rehearsal for a real cluster, whether or not the rehearsal succeeded; "" if there was none.
func (d *startScreen) printRealUse() (path string, err error) {
	path, err = d.backend.ExportForReal()
	if err == nil && path != "" {
		fmt.Fprintf(d.std.Out, "Use these answers for a real cluster (they do not contain the rehearsal's keys):\n  %s\n", console.SanitizeLine(shellescape.QuoteCommand([]string{"exoshift", "install", "--answers", path})))
	}
	return path, err
}

// offerRealUse opens the wizard for a real cluster with the answers of a rehearsal, if the person wants that now.
func (d *startScreen) offerRealUse(ctx context.Context, path string) error {
	fmt.Fprint(d.std.Out, "Open the wizard with them now? Nothing is created before you confirm its plan. [y/N] ")
	answer, err := d.std.ReadLine(ctx)
	if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil || answer != "y" && answer != "yes" {
		return nil // the rehearsal is over: whoever does not answer has the command
	}
	if err := d.closeInterview(); err != nil {
		return err
	}
	o := d.flags
	o.Request = request.Request{Answers: path, Interactive: o.Interactive, Accessible: o.Accessible, Host: o.Host, Program: o.Program, WaitForDNS: install.DefaultWaitForDNS, BootstrapAccess: true}
	return installCluster(ctx, o, d.std)
}

// close waits for an interview that is being opened.
func (d *startScreen) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

// openInterview closes an earlier interview of this screen.
func (d *startScreen) openInterview(ctx context.Context, option string) (*wizard.Interview, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, context.Canceled
	}
	if err := d.closeInterview(); err != nil {
		return nil, err
	}
	opening := d.open
	if chosen, ok := d.findOption(option); ok {
		opening = chosen.open
	}
	if opening == nil {
		return nil, nil
	}
	var err error
	if d.backend, err = opening(ctx); err != nil {
		d.openErr = err
		return nil, err
	}
	return d.backend.NewInterview(), nil
}

func (d *startScreen) findOption(option string) (startOption, bool) {
	for _, one := range d.options {
		if one.ID == option {
			return one, true
		}
	}
	return startOption{}, false
}

func (d *startScreen) closeInterview() error {
	if d.backend == nil {
		return nil
	}
	err := d.backend.Close()
	d.backend = nil
	return err
}

// printResume also returns the cancellation, for the exit code.
func (d *startScreen) printResume(ctx context.Context) error {
	switch {
	case !d.backend.Draft.Exists():
		fmt.Fprintln(d.std.Out, "Nothing was created, and nothing was kept.")
	default:
		fmt.Fprintf(d.std.Out, "Nothing was created. The answers so far are kept in %s.\nResume with:\n  %s\n", console.SanitizeLine(d.backend.Draft.Path()), console.SanitizeLine(d.backend.FormatResume()))
	}
	if ctx.Err() != nil {
		return exit.MarkPrinted(context.Cause(ctx))
	}
	return nil
}

// installInteractive resumes the folder's installation, or starts an interview.
func installInteractive(ctx context.Context, o cli.Options, std cli.Streams) error {
	if folder, err := state.Open(o.Dir); o.Dir != "" && err == nil {
		return resumeInstallation(ctx, o, std, folder)
	}
	if !o.Output.IsInteractive() {
		read, err := o.LoadAnswers(std, environment.LookupEnv) // they may be complete without a file
		if err != nil {
			return err
		}
		return installAs(ctx, o, std, read.Answers.Spec, read.Secrets)
	}
	d := &startScreen{flags: o, std: std, frontend: o.Output.NewFrontend(std)}
	var err error
	if d.options, err = listStartOptions(o, std); err != nil {
		return err
	}
	return d.run(ctx)
}

func resumeInstallation(ctx context.Context, o cli.Options, std cli.Streams, folder state.Folder) error {
	facts, err := folder.LoadFacts()
	if err != nil {
		return err
	}
	if facts.Rehearsal {
		return exit.WithCode(exit.Usage, fmt.Errorf("%s belongs to a rehearsal, not to a real cluster; continue with: exoshift rehearse --dir %s", folder.Path(), folder.Path()))
	}
	o.Dir = folder.Path()
	given, err := layers.ReadFolder(folder.Path(state.AnswersFile), o.Set)
	if err != nil {
		return err
	}
	read, err := std.LoadAnswers(given, environment.LookupEnv)
	if err != nil {
		return err
	}
	return installAs(ctx, o, std, read.Answers.Spec, read.Secrets)
}

// listStartOptions puts existing drafts and installations first: they are chosen most often.
func listStartOptions(o cli.Options, std cli.Streams) ([]startOption, error) {
	resumable, err := listDraftOptions(o)
	if err != nil {
		return nil, err
	}
	installations := listFolderOptions(o, std)
	all := slices.Concat(resumable, installations, listNewOptions(o, resumable), listDestroyOptions(installations, o, std))
	return append(all, startOption{StartOption: tuiwizard.StartOption{ID: "leave", Title: "Quit", Help: "Nothing is changed."}}), nil
}

// listNewOptions resumes the draft of the folder of the flags instead of overwriting it.
func listNewOptions(o cli.Options, drafts []startOption) []startOption {
	begin := func(ctx context.Context) (*interview.Backend, error) { return interview.NewLive(ctx, o.Request) }
	var all []startOption
	if o.Dir != "" && len(drafts) > 0 {
		begin = drafts[0].open
	} else {
		all = append(all, startOption{
			StartOption: tuiwizard.StartOption{ID: "new", Title: "A new cluster", Help: "Asks for the settings, shows the plan and its cost, and installs the cluster. Nothing is created before you confirm."},
			open:        begin,
		})
	}
	return append(all, startOption{
		StartOption: tuiwizard.StartOption{ID: "rehearse", Title: "Rehearse first", Help: "The same questions and the same installation on a simulated zone: no real resources, no cost."},
		open: func(ctx context.Context) (*interview.Backend, error) {
			if started, err := listDrafts(o); err == nil && len(started) > 0 {
				return interview.RehearseDraft(ctx, newDefaultRehearsal(o.Request), started[0])
			}
			return interview.NewRehearsal(ctx, newDefaultRehearsal(o.Request))
		},
	}, startOption{
		StartOption: tuiwizard.StartOption{ID: "check", Title: "Check only", Help: "Asks for the settings and checks all requirements. Nothing is created."},
		open: func(ctx context.Context) (*interview.Backend, error) {
			c, err := begin(ctx)
			if err == nil {
				c.CheckOnly = true
			}
			return c, err
		},
	})
}

func newDefaultRehearsal(r request.Request) rehearsal.Rehearsal {
	r.Dir, r.State = "", nil
	return rehearsal.Rehearsal{Request: r, Speed: environment.DefaultSpeed, Scenario: "happy"}
}

func listFolderOptions(o cli.Options, std cli.Streams) []startOption {
	if o.Dir != "" {
		return nil
	}
	folders, err := clusterdir.ListFolders()
	if err != nil {
		return nil
	}
	var all []startOption
	for _, folder := range folders {
		all = append(all, newFolderOptions(o, std, folder)...)
	}
	return all
}

// newFolderOptions omits an installation that was destroyed or cannot be read.
func newFolderOptions(o cli.Options, std cli.Streams, folder state.Folder) []startOption {
	facts, err := folder.LoadFacts()
	if err != nil || facts.Rehearsal || !facts.Destroyed.IsZero() {
		return nil
	}
	name := console.SanitizeLine(filepath.Base(folder.Path()))
	one := startOption{StartOption: tuiwizard.StartOption{ID: "folder:" + folder.Path()}}
	switch phase := findStoppedPhase(folder); {
	case folder.IsLocked():
		one.Title, one.Help = "Watch the installation of "+name, "It is running. Leaving the screen does not stop it."
		one.run = func(ctx context.Context) error { o.Dir = folder.Path(); return runStatus(ctx, o, std) }
	case !facts.Installed.IsZero():
		one.Title, one.Help = "Show "+name+", which is installed", "How the installation went."
		one.run = func(ctx context.Context) error { o.Dir = folder.Path(); return runStatus(ctx, o, std) }
	default:
		one.Title, one.Help = "Resume the installation of "+name+phase, "The plan is shown first. Existing resources are kept."
		one.run = func(ctx context.Context) error { return resumeInstallation(ctx, o, std, folder) }
	}
	return []startOption{one}
}

// findStoppedPhase returns the phase in which an installation stopped, according to its events.
func findStoppedPhase(folder state.Folder) string {
	spec, err := clusterdir.ReadAnswers(folder)
	if err != nil {
		return ""
	}
	board := provisioner.NewBoard(install.Steps(spec))
	if err := clusterdir.ReadEvents(folder, board.Fold); err != nil {
		return ""
	}
	for _, step := range board.Steps {
		if step.State != provisioner.Done && step.State != "" && step.State != provisioner.Skipped {
			return ", stopped in " + step.Phase
		}
	}
	return ""
}

func listDestroyOptions(installations []startOption, o cli.Options, std cli.Streams) []startOption {
	var all []startOption
	for _, one := range installations {
		dir := one.ID[len("folder:"):]
		all = append(all, startOption{
			StartOption: tuiwizard.StartOption{ID: "destroy:" + dir, Title: "Destroy " + console.SanitizeLine(filepath.Base(dir)) + " …", Help: "Shows what would be deleted. Nothing is deleted before you type the cluster ID."},
			run: func(ctx context.Context) error {
				return destroyFlags{Options: cli.NewOptions(request.Request{Dir: dir}, o.Output)}.run(ctx, std)
			},
		})
	}
	return all
}
