package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

func newLiveInterview(ctx context.Context, o options) (*interviewBackend, error) {
	draft, unlock, err := newDraft(ctx, o)
	if err != nil {
		return nil, err
	}
	c, err := o.newInterviewBackend(ctx, draft, unlock)
	if err == nil {
		err = checkNoDraft(draft, "install")
	}
	if err == nil {
		c.cache, err = environment.CacheDir()
	}
	if err == nil {
		c.answers, c.found, err = o.detectAnswers()
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// newInterviewBackend returns a backend to close even if its network did not open.
func (o options) newInterviewBackend(ctx context.Context, draft state.Draft, unlock func()) (*interviewBackend, error) {
	net, err := o.openNetwork(ctx)
	return &interviewBackend{
		options: o, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: environment.LookupEnv, environment: environment.NewLive(net),
	}, err
}

// checkNoDraft refuses to overwrite a draft: its answers would be lost.
func checkNoDraft(draft state.Draft, verb string) error {
	if !draft.Exists() {
		return nil
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("%s holds answers that were given before; go on with them: exoshift %s --dir %s; or name another folder with --dir",
		draft.Path(), verb, shellescape.Quote(draft.Path())))

}

// detectAnswers returns answers from the layers and from this machine. Problems with them, and detected values that cannot be
// used, are shown on the screens.
func (o options) detectAnswers() (answers *wizard.Answers, unusable []wizard.Problem, err error) {
	layers, err := o.readLayers()
	if err != nil {
		return nil, nil, err
	}
	all, err := layers.merge()
	if err != nil {
		return nil, nil, err
	}
	if home, err := os.UserHomeDir(); err == nil {
		unusable = local.DetectAnswers(all.Answers, home, environment.LookupEnv)
	}
	return all.Answers, unusable, nil
}

func newPartialInterview(ctx context.Context, o options, read loaded) (*interviewBackend, error) {
	c, err := newLiveInterview(ctx, o)
	if err != nil {
		return nil, err
	}
	c.answers, c.only = read.answers, listNeedKeys(read.needs)
	return c, nil
}

func listNeedKeys(needs []answersfile.MissingAnswer) []string {
	var keys []string
	for _, need := range needs {
		keys = append(keys, need.Field)
	}
	return keys
}

func newDraft(ctx context.Context, o options) (draft state.Draft, unlock func(), err error) {
	if o.dir != "" {
		return lockDraft(ctx, o.dir, false)
	}
	dir, err := state.DraftsPath()
	if err != nil {
		return draft, nil, exit.WithCode(exit.Usage, err)
	}
	return state.NewDraft(ctx, dir)
}

// lockDraft locks the draft of a folder. A rehearsal's draft is never used for a real cluster, nor the other way round.
func lockDraft(ctx context.Context, dir string, rehearsal bool) (draft state.Draft, unlock func(), err error) {
	if draft, err = state.OpenDraft(dir); err != nil {
		return draft, nil, exit.WithCode(exit.Usage, fmt.Errorf("%w; name another folder with --dir", err))
	}
	if unlock, err = draft.Lock(ctx); err != nil {
		return draft, nil, err
	}
	if err = markRehearsal(draft, rehearsal); err != nil {
		unlock()
	}
	return draft, unlock, err
}

// markRehearsal marks a new draft, and verifies the mark of an existing one.
func markRehearsal(draft state.Draft, rehearsal bool) error {
	facts, err := draft.LoadFacts()
	switch {
	case err != nil:
		return err
	case facts.Rehearsal == rehearsal:
		return nil
	case facts.Rehearsal:
		err = fmt.Errorf("%s belongs to a rehearsal", draft.Path())
	case draft.Exists() || facts.ClusterID != "":
		err = fmt.Errorf("%s belongs to a real cluster, it is not for rehearsals", draft.Path())
	default:
		facts.Rehearsal = true
		return draft.SaveFacts(facts)
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("%w; name another folder with --dir", err))
}

func resumeInterview(ctx context.Context, o options, draft state.Draft) (*interviewBackend, error) {
	draft, unlock, err := lockDraft(ctx, draft.Path(), false)
	if err != nil {
		return nil, err
	}
	c, err := o.newInterviewBackend(ctx, draft, unlock)
	if err == nil {
		c.cache, err = environment.CacheDir()
	}
	if err == nil {
		c.answers, err = readDraft(draft)
		c.resumed = true
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// newRehearsalInterview keeps its draft in the cluster's folder.
func newRehearsalInterview(ctx context.Context, r rehearsal) (*interviewBackend, error) {
	cleanUp, err := r.ensureFolder()
	if err != nil {
		return nil, err
	}
	draft, unlock, err := lockDraft(ctx, r.dir, true)
	if err != nil {
		cleanUp(nil)
		return nil, err
	}
	zones, err := environment.NewZoneOptions(r.speed, r.scenario)
	zones.Program = connectivity.OnMachine
	c := &interviewBackend{
		options: r.options, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: environment.LookupRehearsalSecret, rehearsal: &r, cleanUp: cleanUp,
		environment: environment.NewSimulated(zones), cache: draft.Path(state.BinDir),
	}
	if err == nil {
		err = prefill(c)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// prefill sets the answers that a rehearsal begins with.
func prefill(c *interviewBackend) error {
	if c.rehearsal.loaded != nil {
		if err := checkNoDraft(c.draft, "rehearse --interactive"); err != nil {
			return err
		}
	}
	if c.draft.Exists() {
		var err error
		c.answers, err = readDraft(c.draft)
		c.resumed = true
		return err
	}
	if given := c.rehearsal.loaded; given != nil {
		c.answers, c.only = given.answers, listNeedKeys(given.needs)
		return nil
	}
	_, line, err := environment.EnsureRehearsalKey(c.draft.Folder)
	if err != nil {
		return err
	}
	return errors.Join(
		c.answers.Set("openshift.pullSecret", "env:EXOSHIFT_PULL_SECRET", rehearsalOrigin),
		c.answers.Set("openshift.sshKey", line, rehearsalOrigin),
	)
}

const rehearsalOrigin = "made for the rehearsal"
