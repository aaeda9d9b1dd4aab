package main

import (
	"context"
	"errors"
	"fmt"

	"exoshift/provisioner/handover"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// apply does not ask for confirmation again.
func (c *interviewBackend) apply(ctx context.Context, std streams) error {
	if c.checkOnly {
		fmt.Fprintln(std.out, "The checks are done; nothing was created.")
		return nil
	}
	spec := c.finalAnswers().Spec
	secrets, faults := local.ResolveSecrets(spec, c.lookup)
	if faults = append(wizard.Check(spec), faults...); len(faults) > 0 {
		console.PrintProblems(std.err, faults)
		return exit.ErrAnswers
	}
	if c.isInPlace() {
		c.release() // the folder is locked again
	}
	if c.rehearsal != nil {
		if err := c.environment.Close(); err != nil {
			return err
		}
		return c.runRehearsal(ctx, std, spec, secrets)
	}
	return c.install(ctx, std, spec, secrets)
}

func (c *interviewBackend) install(ctx context.Context, std streams, spec state.Spec, secrets wizard.Secrets) error {
	folder, err := clusterdir.CreateFor(c.options.dir, spec)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := compareAnswers(folder, spec, std); err != nil {
		return err
	}
	o := c.options
	o.answers, o.set, o.dir = "", nil, folder.Path() // from now on the folder's answers apply
	s, err := newLiveRun(ctx, o, spec, secrets, folder)
	if err != nil {
		return err
	}
	key := s.Net.ReleaseKey
	if s.Net, err = c.environment.OpenNetwork(ctx, spec.Exoscale.Zone); err != nil {
		return err
	}
	if key != nil {
		s.Net.ReleaseKey = key
	}
	if s.Access, err = c.environment.OpenAccess(ctx, spec.Exoscale.Zone); err != nil {
		return err
	}
	s.Access.SetInteractive(true)
	touched, err := folder.HasChanges()
	if err != nil {
		return err
	}
	if touched { // the folder's answers stay until the preflight has accepted the draft, whose files are used until then
		s.Accept = func(accepted run.Run) error { return c.moveToFolder(&accepted) }
		return errors.Join(s.Install(ctx, o.newDisplay(std)), c.discard(folder))
	}
	if err := s.ClaimFolder(); err != nil {
		return err
	}
	if err := c.moveToFolder(&s); err != nil {
		return err
	}
	if err := c.discard(folder); err != nil {
		return err
	}
	return s.Install(ctx, o.newDisplay(std))
}

// moveToFolder copies the draft's files to the cluster's folder. The draft stays complete.
func (c *interviewBackend) moveToFolder(s *run.Run) error {
	moved, err := c.draft.CopySecrets(s.Folder, listPrivateFiles(s.Spec))
	if err != nil {
		return err
	}
	s.Spec = relocateFiles(s.Spec, moved)
	s.Original = answersfile.Export(s.Spec, c.finalAnswers().Origins)
	if err := s.KeepAnswers(); err != nil {
		return err
	}
	c.begun = true
	return c.exported.rewrite(answersfile.Export(s.Spec, c.finalAnswers().Origins)) // its secrets were moved
}

// discard removes a draft that was copied to a folder, and keeps any other.
func (c *interviewBackend) discard(folder state.Folder) error {
	if !c.begun {
		return nil
	}
	c.release()
	return c.draft.Discard(folder)
}

// listPrivateFiles returns the files that a Spec refers to and a draft may contain.
func listPrivateFiles(spec state.Spec) []string {
	return []string{spec.Exoscale.APIKey.File, spec.Exoscale.APISecret.File, spec.OpenShift.PullSecret.File, spec.Syn.GitToken.File, spec.OpenShift.TrustBundle}
}

func relocateFiles(spec state.Spec, moved map[string]string) state.Spec {
	for _, ref := range []*state.SecretRef{&spec.Exoscale.APIKey, &spec.Exoscale.APISecret, &spec.OpenShift.PullSecret, &spec.Syn.GitToken} {
		if to, ok := moved[ref.File]; ok {
			ref.File = to
		}
	}
	if to, ok := moved[spec.OpenShift.TrustBundle]; ok {
		spec.OpenShift.TrustBundle = to
	}
	return spec
}

func (c *interviewBackend) runRehearsal(ctx context.Context, std streams, spec state.Spec, secrets wizard.Secrets) (err error) {
	c.begun = true
	defer func() { c.cleanUp(err) }()
	folder, err := clusterdir.Create(c.rehearsal.dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	played := *c.rehearsal
	played.answers, played.set, played.agreed = "", nil, answersfile.Export(spec, c.finalAnswers().Origins)
	played.accept = func(s run.Run) error {
		if err := s.KeepAnswers(); err != nil {
			return err
		}
		return c.draft.Discard(folder)
	}
	return played.onSimulatedZone(ctx, std, spec, secrets, folder)
}

func (c *interviewBackend) formatResume() string {
	words := []string{"exoshift", "install"}
	if r := c.rehearsal; r != nil {
		words = []string{"exoshift", "rehearse", "--interactive", "--speed", fmt.Sprint(r.speed), "--scenario", r.scenario}
	}
	if c.options.dir != "" {
		words = append(words, "--dir", c.options.dir)
	}
	if c.options.output == outputAccessible {
		words = append(words, "--accessible")
	}
	return shellescape.QuoteCommand(words)
}

func newLiveRun(ctx context.Context, o options, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (s run.Run, err error) {
	net, err := o.openNetwork(ctx)
	if err != nil {
		return s, err
	}
	s = run.Run{
		Spec: spec, Secrets: secrets, Folder: folder, Net: net, Options: o.runOptions(), Agent: environment.NewSSHAgent(),
		Access:    environment.NewOwnAccess().SetInteractive(o.output.isInteractive()),
		Locations: handover.Locations{Folder: folder.Path(), Resume: resumeCommand("install", o)},
	}
	if key, err := o.readReleaseKey(); err != nil {
		return s, err
	} else if key != nil {
		s.Net.ReleaseKey = key
	}
	s.Cache, err = environment.CacheDir()
	return s, err
}
