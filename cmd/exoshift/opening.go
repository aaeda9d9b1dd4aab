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

// realConversation begins an interview about a real cluster in a draft of its own, or in the folder that the flags name.
func realConversation(ctx context.Context, o options) (*conversation, error) {
	draft, unlock, err := newDraft(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &conversation{options: o, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: environment, realm: ownReality(o)}
	if err = unspoilt(draft, "install"); err == nil {
		c.cache, err = cacheFolder()
	}
	if err == nil {
		c.answers, c.found, err = o.foundAnswers()
	}
	if err != nil {
		return nil, errors.Join(err, c.leave())
	}
	return c, nil
}

// unspoilt refuses to begin anew where a draft is: its answers would be lost.
func unspoilt(draft state.Draft, verb string) error {
	if !draft.Exists() {
		return nil
	}
	return usageError{fmt.Errorf("%s holds answers that were given before; go on with them: exoshift %s --dir %s; or name another folder with --dir",
		draft.Path(), verb, shellescape.Quote(draft.Path()))}
}

// foundAnswers are what need not be asked: what the layers below and above an answers file say, and what is found on
// this machine. What is wrong with them shows on the screens, and so does what was found and cannot be used.
func (o options) foundAnswers() (answers *wizard.Answers, unusable []wizard.Fault, err error) {
	layers, err := o.layers()
	if err != nil {
		return nil, nil, err
	}
	all, err := layers.assemble()
	if err != nil {
		return nil, nil, err
	}
	if home, err := os.UserHomeDir(); err == nil {
		unusable = all.Answers.Detect(home, environment)
	}
	return all.Answers, unusable, nil
}

// hybridConversation asks for what answers that are given leave open.
func hybridConversation(ctx context.Context, o options, read loaded) (*conversation, error) {
	c, err := realConversation(ctx, o)
	if err != nil {
		return nil, err
	}
	c.answers, c.only = read.answers, keysOfNeeds(read.needs)
	return c, nil
}

func keysOfNeeds(needs []wizard.Need) []string {
	var keys []string
	for _, need := range needs {
		keys = append(keys, need.Field)
	}
	return keys
}

func newDraft(ctx context.Context, o options) (draft state.Draft, unlock func(), err error) {
	if o.dir != "" {
		return heldDraft(ctx, o.dir, false)
	}
	dir, err := state.DraftsPath()
	if err != nil {
		return draft, nil, usageError{err}
	}
	return state.NewDraft(ctx, dir)
}

// heldDraft takes the draft of a folder for this process. That of a rehearsal is never taken for real, nor the other way
// round.
func heldDraft(ctx context.Context, dir string, rehearsal bool) (draft state.Draft, unlock func(), err error) {
	if draft, err = state.DraftAt(dir); err != nil {
		return draft, nil, usageError{fmt.Errorf("%w; name another folder with --dir", err)}
	}
	if unlock, err = draft.Lock(ctx); err != nil {
		return draft, nil, err
	}
	if err = marked(draft, rehearsal); err != nil {
		unlock()
	}
	return draft, unlock, err
}

// marked notes in a new draft whether it is about a rehearsal, and compares with what is noted.
func marked(draft state.Draft, rehearsal bool) error {
	facts, err := draft.Facts()
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

// resumedConversation goes on with a draft.
func resumedConversation(ctx context.Context, o options, draft state.Draft) (*conversation, error) {
	draft, unlock, err := heldDraft(ctx, draft.Path(), false)
	if err != nil {
		return nil, err
	}
	c := &conversation{options: o, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: environment, realm: ownReality(o)}
	c.cache, err = cacheFolder()
	if err == nil {
		c.answers, err = draftedAnswers(draft)
		c.resumed = true
	}
	if err != nil {
		return nil, errors.Join(err, c.leave())
	}
	return c, nil
}

// rehearsalConversation begins an interview about a cluster that will never exist. Its draft is in the cluster's folder.
func rehearsalConversation(ctx context.Context, r rehearsal) (*conversation, error) {
	cleanUp, err := r.chooseFolder()
	if err != nil {
		return nil, err
	}
	draft, unlock, err := heldDraft(ctx, r.dir, true)
	if err != nil {
		cleanUp(nil)
		return nil, err
	}
	zones, err := r.zones()
	c := &conversation{
		options: r.options, draft: draft, unlock: unlock, answers: wizard.NewAnswers(), lookup: rehearsalSecrets, rehearsal: &r, cleanUp: cleanUp,
		realm: &rehearsedRealm{options: zones}, cache: draft.Path(state.BinDir),
	}
	if err == nil {
		err = c.prefill()
	}
	if err != nil {
		return nil, errors.Join(err, c.leave())
	}
	return c, nil
}

// prefill gives a rehearsal the answers that need preparation otherwise.
func (c *conversation) prefill() error {
	if c.rehearsal.given != nil {
		if err := unspoilt(c.draft, "rehearse --interactive"); err != nil {
			return err
		}
	}
	if c.draft.Exists() {
		var err error
		c.answers, err = draftedAnswers(c.draft)
		c.resumed = true
		return err
	}
	if given := c.rehearsal.given; given != nil {
		c.answers, c.only = given.answers, keysOfNeeds(given.needs)
		return nil
	}
	_, line, err := ownKey(c.draft.Folder)
	if err != nil {
		return err
	}
	return errors.Join(
		c.answers.Set("openshift.pullSecret", "env:EXOSHIFT_PULL_SECRET", shipped),
		c.answers.Set("openshift.sshKey", line, shipped),
	)
}

// shipped is the origin of what a rehearsal brings along.
const shipped = "made for the rehearsal"

// zones describes the simulated zones of an interview.
func (r rehearsal) zones() (simcloud.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return simcloud.Options{}, fmt.Errorf("find this program, which stands in for openshift-install: %w", err)
	}
	key, _ := rehearsalSecrets("EXOSCALE_API_KEY")
	secret, _ := rehearsalSecrets("EXOSCALE_API_SECRET")
	return simcloud.Options{
		Speed: r.speed, Scenario: r.scenario, Key: key, Secret: secret, Installer: []string{self, simulatedInstallerVerb}, Program: onMachine,
	}, nil
}
