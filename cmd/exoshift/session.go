package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/exoscale/api"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/download"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
	"exoshift/wizard"

	"al.essio.dev/pkg/shellescape"
)

// session is one run of the recipe on one cluster's folder.
type session struct {
	spec      state.Spec
	secrets   wizard.Secrets
	folder    state.Folder
	net       network.Network
	options   options
	original  []byte  // the answers as given; nil: those of the answers file
	cache     string  // directory of downloads
	speed     float64 // of a rehearsal's clock; 0 otherwise
	locations console.RunLocations
	// scenario of a rehearsal; "" otherwise.
	scenario string
	agent    bootstraphost.Agent // the user's SSH agent; nil: none
	access   *environment.Access // to Project Syn; nil: none

	approveNewKeys func()              // of machines that wait for a decision
	accept         func(session) error // writes the answers to the folder; nil: keepAnswers

	temporary bool   // the folder is removed after a successful run
	onDone    func() // called once the run has ended, even if its screen is still open; may be nil
}

// run installs the cluster, or resumes an earlier run. The folder must be locked.
func (s session) run(ctx context.Context, std streams) error {
	if err := s.checkNewKeys(); err != nil {
		return err
	}
	if err := s.claimFolder(); err != nil {
		return err
	}
	if err := s.checkFolder(std); err != nil {
		return err
	}
	if err := checkAnswerChanges(s.folder, s.spec, std); err != nil {
		return err
	}
	recipe, err := s.prepareRecipe()
	if err != nil {
		return err
	}
	records, err := openRecords(s.folder, s.net.Clock)
	if err != nil {
		return err
	}
	defer records.close()
	world, disconnect, err := s.openClients(records.journal, records.log)
	if err != nil {
		return err
	}
	defer disconnect()
	installation, err := install.New(s.spec, recipe, s.folder, world.Clients)
	if err != nil {
		return err
	}
	return s.execute(ctx, std, installation, records)
}

// checkNewKeys rejects unknown nodes, which would be ignored silently.
func (s session) checkNewKeys() error {
	for _, name := range s.options.newKeys {
		if !slices.ContainsFunc(s.spec.Nodes(), func(m state.Machine) bool { return m.Name == name }) {
			return exit.WithCode(exit.Usage, fmt.Errorf("--%s %s: the cluster has no node of that name", newKeyName, name))
		}
	}
	return nil
}

// checkFolder restores the folder's modes, and reports problems of its journal.
func (s session) checkFolder(std streams) error {
	if _, err := s.folder.RestoreModes(); err != nil {
		return err
	}
	record, err := s.folder.ReadJournal()
	for _, damage := range record.Damage {
		fmt.Fprintf(std.err, "%s: %s\n", state.JournalFile, damage)
	}
	return err
}

// prepareRecipe accepts the first answers at once, and changed ones after the preflight has succeeded.
func (s session) prepareRecipe() (install.Options, error) {
	recipe := s.newRecipe()
	accept := s.keepAnswers
	if s.accept != nil {
		accept = func() error { return s.accept(s) }
	}
	touched, err := s.folder.HasChanges()
	switch {
	case err != nil:
		return recipe, err
	case touched:
		recipe.Accepted = accept
		return recipe, nil
	}
	return recipe, accept()
}

func (s session) keepAnswers() error {
	given, err := s.readOriginalAnswers()
	if err == nil && given != nil {
		err = s.folder.KeepAnswers(given)
	}
	if err != nil {
		return err
	}
	return s.folder.Write(state.AnswersFile, wizard.Export(s.spec, nil))
}

func (s session) readOriginalAnswers() ([]byte, error) {
	if s.original != nil || s.options.answers == "" {
		return s.original, nil
	}
	given, err := fileread.Bytes(s.options.answers, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return given, nil
}

// claimFolder verifies that the folder belongs to this cluster, and that a rehearsal's is never used for a real one.
func (s session) claimFolder() error {
	facts, err := s.folder.LoadFacts()
	if err != nil {
		return err
	}
	touched, err := s.folder.HasChanges()
	if err != nil {
		return err
	}
	_, generated := s.folder.Read(state.InstallDir + "/metadata.json")
	switch {
	case facts.ClusterID == "" && (touched || generated == nil):
		return &state.DamageError{Dir: s.folder.Path(), File: state.FactsFile, Err: errors.New("it is gone, and the rest of the folder says that objects were made")}
	case facts.ClusterID == "":
		facts.ClusterID, facts.Rehearsal = s.spec.Cluster.ID, s.locations.Rehearsal
		return s.folder.SaveFacts(facts)
	case facts.ClusterID != s.spec.Cluster.ID:
		err = fmt.Errorf("%s belongs to cluster %s, the answers are for %s", s.folder.Path(), facts.ClusterID, s.spec.Cluster.ID)
	case !facts.Destroyed.IsZero():
		err = fmt.Errorf("the cluster of %s was destroyed on %s", s.folder.Path(), facts.Destroyed.Format(time.DateOnly))
	case facts.Rehearsal && !s.locations.Rehearsal:
		err = fmt.Errorf("%s belongs to a rehearsal, its cluster never existed", s.folder.Path())
	case !facts.Rehearsal && s.locations.Rehearsal:
		err = fmt.Errorf("%s belongs to a real cluster, it is not for rehearsals", s.folder.Path())
	default:
		return nil
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("%w; name another folder with --dir", err))
}

// execute records every event.
func (s session) execute(ctx context.Context, std streams, installation *install.Installation, records *records) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.approveNewKeys = installation.ApproveNewKeys
	plan := installation.Plan()
	board := provisioner.NewBoard(plan)
	face := s.options.output.newRenderer(ctx, s, plan, std, func() { stop(context.Canceled) })
	emit := provisioner.Stream(s.net.Clock, func(e provisioner.Event) {
		records.writeEvent(e)
		board.Fold(e)
		face.emit(e)
	})
	events := s.folder.Path(state.EventsFile)
	if s.temporary {
		std.startRun(s.options.output, "")
	} else {
		std.startRun(s.options.output, events)
	}
	var failure, unkept error
	shown := face.runWith(func() {
		emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "install " + s.spec.Domain()})
		failure = errors.Join(provisioner.Run(ctx, plan, emit), records.err)
		if rest := installation.CheckUnresolved(); failure == nil && rest != nil {
			failure = exit.WithCode(exit.Answers, rest)
		}
		installation.Close(ctx, emit)
		s.locations.Gathered = gatherDiagnostics(ctx, installation, failure, emit)
		emit(newFinishedEvent(failure, s.locations.Resume))
		if failure == nil {
			unkept = s.saveHandover()
		}
		if s.onDone != nil {
			s.onDone()
		}
	})
	if !s.options.output.isJSON() {
		if failure == nil && s.temporary {
			s.locations.Folder = ""
		}
		console.PrintSummary(s.options.output.wrapWriter(std.out), board, installation.Facts(), s.locations)
	}
	if failure == nil && s.temporary {
		events = ""
	}
	std.endRun(events, records.log)
	if failure != nil {
		return exit.MarkPrinted(failure)
	}
	return errors.Join(shown, unkept)
}

func newFinishedEvent(failure error, resume string) provisioner.Event {
	code := exit.Code(failure)
	event := provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok", ExitCode: &code}
	switch {
	case code == exit.Interrupted:
		event.Result, event.Text, event.Hint = "interrupted", "stopped; nothing was rolled back", "go on with: "+resume
	case failure != nil:
		event.Result, event.Text, event.Hint = "failed", failure.Error(), fault.HintOf(failure)
	}
	return event
}

func (s session) newRecipe() install.Options {
	options := install.Options{
		PullSecret: s.secrets.PullSecret, WaitForDNS: s.options.waitForDNS, Renew: s.options.renew, NewKeys: s.options.newKeys, Seal: s.secrets.APISecret,
	}
	if s.access != nil {
		options.Show = s.access.Show
	}
	return options
}

// clients are the clients of the recipe on the session's network, including read-only variants.
type clients struct {
	install.Clients
	cloud   *exoscale.Client
	storage *objects.Client
	vault   *vault.Client // nil: the cluster is not connected
}

func (w clients) readOnly() install.Clients {
	w.Cloud, w.Objects = w.cloud.WithPreview(), w.storage.WithPreview()
	if w.Syn != nil {
		looking := *w.Syn
		looking.Vault = w.vault.Preview()
		w.Syn = &looking
	}
	return w.Clients
}

func (s session) openClients(journal api.Journal, log func(line string)) (w clients, disconnect func(), err error) {
	zone, key, secret := s.spec.Exoscale.Zone, s.secrets.APIKey, s.secrets.APISecret
	if w.cloud, err = exoscale.New(s.net, zone, key, secret, journal); err != nil {
		return w, nil, err
	}
	if w.storage, err = objects.New(s.net, zone, key, secret, journal); err != nil {
		return w, nil, err
	}
	w.storage = w.storage.WithOwner(s.spec.Cluster.ID)
	installer := release.New(s.net, s.installerOptions(), log)
	cluster := openshift.NewCluster(s.net, s.readKubeconfig)
	host := bootstraphost.New(s.net, s.readInstallFile, s.spec.OpenShift.SSHKey, s.agent)
	w.Clients = install.Clients{
		Cloud:     w.cloud,
		Objects:   w.storage,
		Installer: installer,
		Images:    download.New(s.net, log),
		Cluster:   cluster,
		Names:     nameServers{network.NewNameServers(s.net)},
		Clock:     s.net.Clock,
		Reach:     s.newReachability(),
	}
	if s.options.bootstrapAccess {
		w.Bootstrap = host
	}
	if w.Syn = s.newSynClients(cluster); w.Syn != nil {
		w.vault = s.access.OpenVaultClient(s.net, s.spec.Syn)
	}
	return w, func() { w.cloud.Close(); w.storage.Close(); cluster.Close(); host.Close() }, nil
}

func (s session) installerOptions() release.Choice {
	return release.Choice{
		Distribution: s.spec.OpenShift.Distribution, Version: s.spec.OpenShift.Version,
		Program: s.options.installer, Cache: s.cache,
	}
}

type nameServers struct{ network.NameServers }

// LookupNameServers returns the delegation of a domain in its parent zone.
func (n nameServers) LookupNameServers(ctx context.Context, domain string) (parent string, servers []string, err error) {
	delegation, err := n.FindDelegation(ctx, domain)
	return delegation.Parent, delegation.Servers, err
}

func (s session) readKubeconfig() ([]byte, error) {
	return s.readInstallFile("auth/kubeconfig")
}

func (s session) readInstallFile(name string) ([]byte, error) {
	return s.folder.Read(state.InstallDir + "/" + name)
}

// records are the files that a run writes to the folder besides its results.
type records struct {
	journal *state.Journal
	events  *os.File
	output  *os.File // of openshift-install
	err     error    // the first write error
}

func openRecords(folder state.Folder, clock network.Clock) (*records, error) {
	journal, err := folder.OpenJournal(clock.Now)
	if err != nil {
		return nil, err
	}
	events, err := folder.Append(state.EventsFile)
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	output, err := folder.Append(state.LogFile)
	if err != nil {
		return nil, errors.Join(err, journal.Close(), events.Close())
	}
	return &records{journal: journal, events: events, output: output}, nil
}

// writeEvent is not safe for concurrent use.
func (r *records) writeEvent(e provisioner.Event) {
	if err := json.NewEncoder(r.events).Encode(e); err != nil && r.err == nil {
		r.err = fmt.Errorf("record the events: %w", err)
	}
}

func (r *records) log(line string) { fmt.Fprintln(r.output, line) }

func (r *records) close() { _ = errors.Join(r.journal.Close(), r.events.Close(), r.output.Close()) }

func (s session) newReachability() connectivity.Reachability {
	return connectivity.NewReachability(s.net, s.spec, s.secrets, s.formatCheckCommand())
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
