package main

import (
	"context"
	"errors"
	"fmt"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// apply does not ask for confirmation again.
func (c *interviewBackend) apply(ctx context.Context, std streams) error {
	if c.checkOnly {
		fmt.Fprintln(std.out, "The checks are done; nothing was created.")
		return nil
	}
	spec := c.finalAnswers().Spec
	secrets, faults := wizard.ResolveSecrets(spec, c.lookup)
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
	folder, err := openFolder(c.options.dir, spec)
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
	s, err := newLiveSession(o, spec, secrets, folder)
	if err != nil {
		return err
	}
	key := s.net.ReleaseKey
	if s.net, err = c.environment.OpenNetwork(ctx, spec.Exoscale.Zone); err != nil {
		return err
	}
	if key != nil {
		s.net.ReleaseKey = key
	}
	if s.access, err = c.environment.OpenAccess(ctx, spec.Exoscale.Zone); err != nil {
		return err
	}
	s.access.SetInteractive(true)
	touched, err := folder.HasChanges()
	if err != nil {
		return err
	}
	if touched { // the folder's answers stay until the preflight has accepted the draft, whose files are used until then
		s.accept = func(accepted session) error { return c.moveToFolder(&accepted) }
		return errors.Join(s.run(ctx, std), c.discard(folder))
	}
	if err := s.claimFolder(); err != nil {
		return err
	}
	if err := c.moveToFolder(&s); err != nil {
		return err
	}
	if err := c.discard(folder); err != nil {
		return err
	}
	return s.run(ctx, std)
}

// moveToFolder copies the draft's files to the cluster's folder. The draft stays complete.
func (c *interviewBackend) moveToFolder(s *session) error {
	moved, err := c.draft.CopySecrets(s.folder, listPrivateFiles(s.spec))
	if err != nil {
		return err
	}
	s.spec = relocateFiles(s.spec, moved)
	s.original = wizard.Export(s.spec, c.finalAnswers().Origins)
	if err := s.keepAnswers(); err != nil {
		return err
	}
	c.begun = true
	return c.exported.rewrite(wizard.Export(s.spec, c.finalAnswers().Origins)) // its secrets were moved
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
	folder, err := createFolder(c.rehearsal.dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	played := *c.rehearsal
	played.answers, played.set, played.agreed = "", nil, wizard.Export(spec, c.finalAnswers().Origins)
	played.accept = func(s session) error {
		if err := s.keepAnswers(); err != nil {
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

func newLiveSession(o options, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (s session, err error) {
	s = session{
		spec: spec, secrets: secrets, folder: folder, net: o.newNetwork(), options: o, agent: environment.NewSSHAgent(),
		access:    environment.NewOwnAccess().SetInteractive(o.output.isInteractive()),
		locations: console.RunLocations{Folder: folder.Path(), Resume: resumeCommand("install", o)},
	}
	if key, err := o.readReleaseKey(); err != nil {
		return s, err
	} else if key != nil {
		s.net.ReleaseKey = key
	}
	s.cache, err = environment.CacheDir()
	return s, err
}
