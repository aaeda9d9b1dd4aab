package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/simcloud"
	"exoshift/state"
	"exoshift/wizard"
)

// newLiveInterview begins an interview about a real cluster in a draft of its own, or in the folder that the flags name.
func newLiveInterview(ctx context.Context, o options) (*interviewBackend, error) {
	draft, unlock, err := newDraft(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &interviewBackend{options: o, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: lookupEnv, environment: newLiveEnvironment(o)}
	if err = checkNoDraft(draft, "install"); err == nil {
		c.cache, err = cacheFolder()
	}
	if err == nil {
		c.answers, c.found, err = o.detectAnswers()
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// checkNoDraft refuses to begin anew where a draft is: its answers would be lost.
func checkNoDraft(draft state.Draft, verb string) error {
	if !draft.Exists() {
		return nil
	}
	return usageError{fmt.Errorf("%s holds answers that were given before; go on with them: exoshift %s --dir %s; or name another folder with --dir",
		draft.Path(), verb, shellescape.Quote(draft.Path()))}
}

// detectAnswers are what need not be asked: what the layers below and above an answers file say, and what is found on
// this machine. What is wrong with them shows on the screens, and so does what was found and cannot be used.
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
		unusable = all.Answers.Detect(home, lookupEnv)
	}
	return all.Answers, unusable, nil
}

// newPartialInterview asks for what answers that are given leave open.
func newPartialInterview(ctx context.Context, o options, read loaded) (*interviewBackend, error) {
	c, err := newLiveInterview(ctx, o)
	if err != nil {
		return nil, err
	}
	c.answers, c.only = read.answers, listNeedKeys(read.needs)
	return c, nil
}

func listNeedKeys(needs []wizard.MissingAnswer) []string {
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
		return draft, nil, usageError{err}
	}
	return state.NewDraft(ctx, dir)
}

// lockDraft takes the draft of a folder for this process. That of a rehearsal is never taken for real, nor the other way
// round.
func lockDraft(ctx context.Context, dir string, rehearsal bool) (draft state.Draft, unlock func(), err error) {
	if draft, err = state.OpenDraft(dir); err != nil {
		return draft, nil, usageError{fmt.Errorf("%w; name another folder with --dir", err)}
	}
	if unlock, err = draft.Lock(ctx); err != nil {
		return draft, nil, err
	}
	if err = markRehearsal(draft, rehearsal); err != nil {
		unlock()
	}
	return draft, unlock, err
}

// markRehearsal notes in a new draft whether it is about a rehearsal, and compares with what is noted.
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
	return usageError{fmt.Errorf("%w; name another folder with --dir", err)}
}

// resumeInterview goes on with a draft.
func resumeInterview(ctx context.Context, o options, draft state.Draft) (*interviewBackend, error) {
	draft, unlock, err := lockDraft(ctx, draft.Path(), false)
	if err != nil {
		return nil, err
	}
	c := &interviewBackend{options: o, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: lookupEnv, environment: newLiveEnvironment(o)}
	c.cache, err = cacheFolder()
	if err == nil {
		c.answers, err = readDraft(draft)
		c.resumed = true
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// newRehearsalInterview begins an interview about a cluster that will never exist. Its draft is in the cluster's folder.
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
	zones, err := r.newZoneOptions()
	c := &interviewBackend{
		options: r.options, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: lookupRehearsalSecret, rehearsal: &r, cleanUp: cleanUp,
		environment: &simulatedEnvironment{options: zones}, cache: draft.Path(state.BinDir),
	}
	if err == nil {
		err = c.prefill()
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// prefill gives a rehearsal the answers that need preparation otherwise.
func (c *interviewBackend) prefill() error {
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
	_, line, err := ensureRehearsalKey(c.draft.Folder)
	if err != nil {
		return err
	}
	return errors.Join(
		c.answers.Set("openshift.pullSecret", "env:EXOSHIFT_PULL_SECRET", rehearsalOrigin),
		c.answers.Set("openshift.sshKey", line, rehearsalOrigin),
	)
}

// rehearsalOrigin is the origin of what a rehearsal brings along.
const rehearsalOrigin = "made for the rehearsal"

// newZoneOptions describes the simulated zones of an interview.
func (r rehearsal) newZoneOptions() (simcloud.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return simcloud.Options{}, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	key, _ := lookupRehearsalSecret("EXOSCALE_API_KEY")
	secret, _ := lookupRehearsalSecret("EXOSCALE_API_SECRET")
	return simcloud.Options{
		Speed: r.speed, Scenario: r.scenario, Key: key, Secret: secret, Installer: []string{self, simulatedInstallerVerb}, Program: onMachine,
	}, nil
}
