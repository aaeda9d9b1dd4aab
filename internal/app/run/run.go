// Package run is one run of the recipe on the folder of a cluster: an installation, its preview, or the search for lost facts.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"exoshift/internal/app/changes"
	"exoshift/provisioner/handover"
	"exoshift/wizard/answersfile"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/watch"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
	"exoshift/wizard"
)

// Run is one run of the recipe on one cluster's folder.
type Run struct {
	Spec      state.Spec
	Secrets   wizard.Secrets
	Folder    state.Folder
	Net       network.Network
	Options   Options
	Original  []byte  // the answers as given; nil: those of the answers file
	Cache     string  // directory of downloads
	Speed     float64 // of a rehearsal's clock; 0 otherwise
	Locations handover.Locations
	// Scenario of a rehearsal; "" otherwise.
	Scenario string
	Agent    bootstraphost.Agent // the user's SSH agent; nil: none
	Access   *environment.Access // to Project Syn; nil: none

	Accept    func(Run) error        // writes the answers to the folder; nil: keepAnswers
	Alter     func(*install.Clients) // of an installation, for tests; nil: nothing
	Verb      string                 // what is done with an installed cluster, such as nodes add; "": it is installed
	Added     []string               // by the verb: names of nodes
	Temporary bool                   // the folder is removed after a successful run
	Private   bool                   // the folder is a copy of shared state, and is removed after each run
	OnDone    func()                 // called once the run has ended, even if its screen is still open; may be nil
}

// Options are what a person decides about one run.
type Options struct {
	Program         string // name, version and system of this program
	Answers         string // path of the answers file; "" for the answers of the folder
	WaitForDNS      time.Duration
	Installer       string   // path of an openshift-install to use; "" downloads it
	Renew           bool     // renew expired certificates
	Replaced        []string // machines that others take the place of, see install.Options
	NewKeys         []string // nodes allowed to get their first certificate for one more key
	BootstrapAccess bool     // open the bootstrap machine to our own address
	TrustToken      bool     // start machines whatever the age of the bootstrap token
	ImageFromZone   bool     // have the node image copied by a machine in the zone
	NoRepair        bool     // repair nothing that is found to be wrong
	WaitOnFailure   bool     // go on to the time limits although nothing can mend what is wrong
}

// Install installs the cluster, or resumes an earlier run. The folder must be locked.
func (r Run) Install(ctx context.Context, shown Display) error {
	if err := r.nameMachines(); err != nil {
		return err
	}
	if err := r.checkNewKeys(); err != nil {
		return err
	}
	if facts, err := r.Folder.LoadFacts(); err == nil { // ClaimFolder reports those that cannot be read
		if err := cmp.Or(clusterdir.CheckStarted(facts), clusterdir.CheckRotated(facts)); err != nil {
			return err
		}
	}
	if err := r.ClaimFolder(); err != nil {
		return err
	}
	if err := r.checkFolder(shown); err != nil {
		return err
	}
	if err := r.checkAnswers(shown); err != nil {
		return err
	}
	recipe, err := r.prepareRecipe()
	if err != nil {
		return err
	}
	records, err := openRecords(r.Folder, r.Net.Clock)
	if err != nil {
		return err
	}
	defer records.close()
	world, disconnect, err := r.OpenClients(records.journal, records.log)
	if err != nil {
		return err
	}
	defer disconnect()
	if r.Alter != nil {
		r.Alter(&world.Clients)
	}
	installation, err := install.New(r.Spec, recipe, r.Folder, world.Clients)
	if err != nil {
		return err
	}
	return r.execute(ctx, shown, installation, records)
}

// nameMachines gives the machines of groups in which removals left gaps their names.
func (r *Run) nameMachines() error {
	facts, err := r.Folder.LoadFacts()
	r.Spec = r.Spec.WithFacts(facts)
	return err
}

// checkNewKeys rejects unknown nodes, which would be ignored silently.
func (r Run) checkNewKeys() error {
	for _, name := range r.Options.NewKeys {
		if !slices.ContainsFunc(r.Spec.Nodes(), func(m state.Machine) bool { return m.Name == name }) {
			return exit.WithCode(exit.Usage, fmt.Errorf("--approve-new-key %s: the cluster has no such node", name))
		}
	}
	return nil
}

// checkFolder restores the folder's modes, and reports problems of its journal.
func (r Run) checkFolder(shown Display) error {
	if _, err := r.Folder.RestoreModes(); err != nil {
		return err
	}
	record, err := r.Folder.ReadJournal()
	for _, damage := range record.Damage {
		shown.Warn(fmt.Sprintf("%s: %s", state.JournalFile, damage))
	}
	return err
}

// prepareRecipe accepts the first answers at once, and changed ones after the preflight has succeeded.
func (r Run) prepareRecipe() (install.Options, error) {
	recipe := r.NewRecipe()
	accept := r.KeepAnswers
	if r.Accept != nil {
		accept = func() error { return r.Accept(r) }
	}
	touched, err := r.Folder.HasChanges()
	switch {
	case err != nil:
		return recipe, err
	case touched:
		recipe.Accepted = accept
		return recipe, nil
	}
	return recipe, accept()
}

// KeepAnswers writes the answers to the folder: as given, and complete.
func (r Run) KeepAnswers() error {
	given, err := r.readOriginalAnswers()
	if err == nil && given != nil {
		err = r.Folder.KeepAnswers(given)
	}
	if err != nil {
		return err
	}
	return r.Folder.Write(state.AnswersFile, answersfile.Export(r.Spec, nil))
}

func (r Run) readOriginalAnswers() ([]byte, error) {
	if r.Original != nil || r.Options.Answers == "" {
		return r.Original, nil
	}
	given, err := fileread.Bytes(r.Options.Answers, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return given, nil
}

// ClaimFolder verifies that the folder belongs to this cluster, and that a rehearsal's is never used for a real one.
func (r Run) ClaimFolder() error {
	facts, err := r.Folder.LoadFacts()
	if err != nil {
		return err
	}
	touched, err := r.Folder.HasChanges()
	if err != nil {
		return err
	}
	_, generated := r.Folder.Read(state.InstallDir + "/metadata.json")
	switch {
	case facts.ClusterID == "" && (touched || generated == nil):
		return &state.DamageError{Dir: r.Folder.Path(), File: state.FactsFile, Err: errors.New("it is missing, but other files of the folder show that objects were created")}
	case facts.ClusterID == "":
		facts.ClusterID, facts.Rehearsal = r.Spec.Cluster.ID, r.Locations.Rehearsal
		return r.Folder.SaveFacts(facts)
	}
	return r.checkOwner(facts)
}

// checkOwner returns an error if the folder is another cluster's, or its cluster is gone.
func (r Run) checkOwner(facts state.Facts) (err error) {
	destroyed := facts.Destroyed.Format(time.DateOnly)
	switch {
	case r.Private && !facts.Destroyed.IsZero():
		return exit.WithCode(exit.Usage, fmt.Errorf("the cluster of shared state %s was destroyed on %s; use another cluster ID", r.Locations.State, destroyed))
	case facts.ClusterID != r.Spec.Cluster.ID:
		err = fmt.Errorf("%s belongs to cluster %s, the answers are for %s", r.Folder.Path(), facts.ClusterID, r.Spec.Cluster.ID)
	case !facts.Destroyed.IsZero():
		err = fmt.Errorf("the cluster of %s was destroyed on %s", r.Folder.Path(), destroyed)
	case facts.Rehearsal && !r.Locations.Rehearsal:
		err = fmt.Errorf("%s belongs to a rehearsal, not to a real cluster", r.Folder.Path())
	case !facts.Rehearsal && r.Locations.Rehearsal:
		err = fmt.Errorf("%s belongs to a real cluster and cannot be used for a rehearsal", r.Folder.Path())
	default:
		return nil
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("%w; use another folder with --dir", err))
}

// execute records every event.
func (r Run) execute(ctx context.Context, shown Display, installation *install.Installation, records *records) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	plan := installation.Plan()
	board := provisioner.NewBoard(plan)
	events := r.Folder.Path(state.EventsFile)
	if r.Temporary || r.Private {
		events = ""
	}
	renderer := shown.Open(ctx, View{
		Spec: r.Spec, Folder: r.Folder, Kept: !r.Temporary && !r.Private, Plan: plan, Now: r.Net.Clock.Now, Speed: r.Speed, Resume: r.Locations.Resume, Events: events,
		Stop: func() { stop(context.Canceled) }, ApproveNewKeys: installation.ApproveNewKeys, Decide: installation.Decide, Verb: r.Verb,
	})
	installation.SetAttended(renderer.IsAttended)
	emit := provisioner.Stream(r.Net.Clock, func(e provisioner.Event) {
		records.writeEvent(e)
		board.Fold(e)
		renderer.Emit(e)
	})
	added := addedNodes{names: r.Added, emit: emit}
	var failure, unkept error
	unshown := renderer.RunWith(func() {
		emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: cmp.Or(r.Verb, "install") + " " + r.Spec.Domain(), Program: r.Options.Program, Command: r.Locations.Resume, Verb: r.Verb})
		added.begin()
		installation.EmitOutages(emit)
		failure = errors.Join(provisioner.Run(ctx, plan, added.follow), records.err)
		if rest := installation.CheckUnresolved(); failure == nil && rest != nil {
			failure = exit.WithCode(exit.Answers, rest)
		}
		installation.Close(ctx, emit)
		r.Locations.Gathered = gatherDiagnostics(ctx, r.Net.Clock, installation, failure, r.formatPlace, emit)
		emit(NewFinishedEvent(failure, r.Locations.Resume))
		if failure == nil {
			unkept = r.saveHandover()
		}
		if r.OnDone != nil {
			r.OnDone()
		}
	})
	end := Outcome{Board: board, Facts: installation.Facts(), Locations: r.Locations, Log: records.log}
	if failure == nil && r.Temporary {
		end.Locations.Folder = ""
	} else if !r.Private {
		end.Events = r.Folder.Path(state.EventsFile)
	}
	shown.Close(end)
	if failure != nil {
		return exit.MarkPrinted(failure)
	}
	return errors.Join(unshown, unkept)
}

// formatPlace returns where a file of the folder will be when the run has ended: a private copy is gone then, and shared state has it.
func (r Run) formatPlace(path string) string {
	name, err := filepath.Rel(r.Folder.Path(), path)
	if !r.Private || err != nil {
		return path
	}
	return filepath.ToSlash(name) + " of shared state " + r.Locations.State
}

// Apply carries out the recipe as one step of another run, which has locked the folder and put the answers in force: they are those of
// the Run. The journal and the report are the other run's.
func (r Run) Apply(ctx context.Context, journal state.Recorder, report provisioner.Report) error {
	if err := r.nameMachines(); err != nil {
		return err
	}
	world, disconnect, err := r.OpenClients(journal, func(string) {})
	if err != nil {
		return err
	}
	defer disconnect()
	if r.Alter != nil {
		r.Alter(&world.Clients)
	}
	installation, err := install.New(r.Spec, r.NewRecipe(), r.Folder, world.Clients)
	if err != nil {
		return err
	}
	forward := func(e provisioner.Event) { forwardApplied(report, e) }
	err = provisioner.Run(ctx, installation.Plan(), forward)
	installation.Close(ctx, forward)
	return err
}

// forwardApplied leaves out what was found as it has to be, and what only an installation tells.
func forwardApplied(report provisioner.Report, e provisioner.Event) {
	e.Step, e.Phase = "", ""
	switch e.Type {
	case provisioner.TypeStep:
		if e.State == provisioner.Started {
			report.EmitProgress(e.Text)
		}
	case provisioner.TypeObject:
		if e.Action != string(state.Found) {
			report(e)
		}
	case provisioner.TypeWait, provisioner.TypeNode, provisioner.TypeCSR, provisioner.TypeDiagnosis, provisioner.TypeRepair:
		report(e)
	}
}

// NewFinishedEvent returns the last event of a run. resume is the command that goes on with it.
func NewFinishedEvent(failure error, resume string) provisioner.Event {
	code := exit.Code(failure)
	event := provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok", ExitCode: &code}
	switch {
	case code == exit.Interrupted:
		event.Result, event.Text, event.Hint = "interrupted", "stopped; all resources are kept", "resume with: "+resume
	case failure != nil:
		event.Result, event.Text, event.Hint = "failed", failure.Error(), fault.HintOf(failure)
	}
	return event
}

// NewRecipe returns the options of the recipe.
func (r Run) NewRecipe() install.Options {
	options := install.Options{
		PullSecret: r.Secrets.PullSecret, WaitForDNS: r.Options.WaitForDNS, Renew: r.Options.Renew, Replaced: r.Options.Replaced, NewKeys: r.Options.NewKeys, Seal: r.Secrets.APISecret,
		TrustToken: r.Options.TrustToken, ImageFromZone: r.Options.ImageFromZone,
		Response: watch.Response{NoRepair: r.Options.NoRepair, WaitOnFailure: r.Options.WaitOnFailure},
	}
	if r.Locations.Resume != "" {
		options.ImageFromZoneCommand = r.Locations.Resume + " --image-from zone"
	}
	if r.Access != nil {
		options.Show = r.Access.Show
	}
	return options
}

func (r *Run) saveHandover() error {
	report, err := clusterdir.BuildHandover(r.Folder, r.Spec, !r.Temporary && !r.Private)
	if r.Locations.Handover = report; r.Original != nil && r.Locations.Rehearsal {
		r.Locations.Handover.Later = handover.Section{} // whoever answered the questions is offered that with these answers
	}
	if r.Temporary || err != nil {
		return err
	}
	return r.Folder.Write(state.HandoverFile, report.RenderMarkdown())
}

func (r Run) checkAnswers(shown Display) error {
	answers, err := changes.Compare(r.Folder, r.Spec)
	if err != nil {
		return err
	}
	if err = changes.CheckRefused(answers); err != nil {
		shown.ShowAnswers(answers)
	}
	return err
}
