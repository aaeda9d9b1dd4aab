package interview

import (
	"context"
	"errors"
	"fmt"
	"os"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// NewLive begins an interview about a real cluster.
func NewLive(ctx context.Context, r request.Request) (*Backend, error) {
	draft, unlock, err := newDraft(ctx, r)
	if err != nil {
		return nil, err
	}
	c, err := newBackend(ctx, r, draft, unlock)
	if err == nil {
		err = checkNoDraft(draft, "install")
	}
	if err == nil {
		c.Cache, err = environment.CacheDir()
	}
	if err == nil {
		c.Answers, c.found, err = detectAnswers(r)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// newBackend returns a backend to close even if its network did not open.
func newBackend(ctx context.Context, r request.Request, draft state.Draft, unlock func()) (*Backend, error) {
	net, err := r.OpenNetwork(ctx)
	return &Backend{
		request: r, Draft: draft, Unlock: unlock, Answers: wizard.NewAnswers(), Lookup: environment.LookupEnv, Environment: environment.NewLive(net),
	}, err
}

// checkNoDraft refuses to overwrite a draft: its answers would be lost.
func checkNoDraft(draft state.Draft, verb string) error {
	if !draft.Exists() {
		return nil
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("%s has the answers of an earlier interview; continue with: exoshift %s --dir %s; or use another folder with --dir",
		draft.Path(), verb, shellescape.Quote(draft.Path())))

}

// detectAnswers returns answers from the layers and from this machine. Problems with them, and detected values that cannot be
// used, are shown on the screens.
func detectAnswers(r request.Request) (answers *wizard.Answers, unusable []wizard.Problem, err error) {
	all, err := r.MergeLayers()
	if err != nil {
		return nil, nil, err
	}
	if home, err := os.UserHomeDir(); err == nil {
		unusable = local.DetectAnswers(all.Answers, home, environment.LookupEnv)
	}
	return all.Answers, unusable, nil
}

// NewPartial begins an interview about the answers that a file leaves open.
func NewPartial(ctx context.Context, r request.Request, read layers.Loaded) (*Backend, error) {
	c, err := NewLive(ctx, r)
	if err != nil {
		return nil, err
	}
	c.Answers, c.only = read.Answers, listNeedKeys(read.Missing)
	return c, nil
}

func listNeedKeys(needs []answersfile.MissingAnswer) []string {
	var keys []string
	for _, need := range needs {
		keys = append(keys, need.Field)
	}
	return keys
}

func newDraft(ctx context.Context, r request.Request) (draft state.Draft, unlock func(), err error) {
	if r.Dir != "" {
		return lockDraft(ctx, r.Dir, false)
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
		return draft, nil, exit.WithCode(exit.Usage, fmt.Errorf("%w; use another folder with --dir", err))
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
		err = fmt.Errorf("%s belongs to a real cluster and cannot be used for a rehearsal", draft.Path())
	default:
		facts.Rehearsal = true
		return draft.SaveFacts(facts)
	}
	return exit.WithCode(exit.Usage, fmt.Errorf("%w; use another folder with --dir", err))
}

// Resume goes on with a draft.
func Resume(ctx context.Context, r request.Request, draft state.Draft) (*Backend, error) {
	draft, unlock, err := lockDraft(ctx, draft.Path(), false)
	if err != nil {
		return nil, err
	}
	c, err := newBackend(ctx, r, draft, unlock)
	if err == nil {
		c.Cache, err = environment.CacheDir()
	}
	if err == nil {
		c.Answers, err = ReadDraft(draft)
		c.resumed = true
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// NewRehearsal keeps its draft in the cluster's folder.
func NewRehearsal(ctx context.Context, r rehearsal.Rehearsal) (*Backend, error) {
	cleanUp, err := r.EnsureFolder()
	if err != nil {
		return nil, err
	}
	draft, unlock, err := lockDraft(ctx, r.Dir, true)
	if err != nil {
		cleanUp(nil)
		return nil, err
	}
	zones, err := environment.NewZoneOptions(r.Speed, r.Scenario)
	zones.Program = connectivity.OnMachine
	c := &Backend{
		request: r.Request, Draft: draft, Unlock: unlock, Answers: wizard.NewAnswers(), Lookup: environment.LookupRehearsalSecret, rehearsal: &r, cleanUp: cleanUp,
		Environment: environment.NewSimulated(zones), Cache: draft.Path(state.BinDir),
	}
	if err == nil {
		err = prefill(c)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// prefill sets the answers that a rehearsal begins with.
func prefill(c *Backend) error {
	if c.rehearsal.Loaded != nil {
		if err := checkNoDraft(c.Draft, "rehearse --interactive"); err != nil {
			return err
		}
	}
	if c.Draft.Exists() {
		var err error
		c.Answers, err = ReadDraft(c.Draft)
		c.resumed = true
		return err
	}
	if given := c.rehearsal.Loaded; given != nil {
		c.Answers, c.only = given.Answers, listNeedKeys(given.Missing)
		return nil
	}
	all, err := c.request.MergeLayers()
	if err != nil {
		return err
	}
	c.Answers = all.Answers
	_, line, err := environment.EnsureRehearsalKey(c.Draft.Folder)
	if err != nil {
		return err
	}
	return errors.Join(setUnanswered(c.Answers, pullSecretKey, "env:EXOSHIFT_PULL_SECRET"), setUnanswered(c.Answers, sshKeyKey, line))
}

const (
	pullSecretKey = "openshift.pullSecret"
	sshKeyKey     = "openshift.sshKey"
)

func setUnanswered(answers *wizard.Answers, key, text string) error {
	if answers.Origin(key) != wizard.ByDefault {
		return nil
	}
	return answers.Set(key, text, RehearsalOrigin)
}

// listSecretKeys returns the keys of the references to secrets of Exoscale and of Project Syn.
func listSecretKeys() []string {
	return []string{wizard.APIKeyKey, wizard.APISecretKey, wizard.GitTokenKey}
}

// RehearseDraft rehearses with the answers of a draft, which stays as it is. The secrets are the rehearsal's own.
func RehearseDraft(ctx context.Context, r rehearsal.Rehearsal, draft state.Draft) (*Backend, error) {
	answers, err := ReadDraft(draft)
	if err != nil {
		return nil, err
	}
	for _, key := range listSecretKeys() {
		err = errors.Join(err, answers.Clear(key))
	}
	if err = errors.Join(err, answers.Set(pullSecretKey, "env:EXOSHIFT_PULL_SECRET", RehearsalOrigin)); err != nil {
		return nil, err
	}
	r.Loaded = &layers.Loaded{Answers: answers}
	return NewRehearsal(ctx, r)
}

// RehearsalOrigin is the origin of answers that only the rehearsal has.
const RehearsalOrigin = "made for the rehearsal"

// ReadDraft allows missing answers.
func ReadDraft(draft state.Draft) (*wizard.Answers, error) {
	content, err := draft.ReadAnswers()
	if err != nil {
		return nil, fmt.Errorf("read the draft: %w", err)
	}
	return answersfile.ReadDraft(draft.Path(state.DraftFile), content), nil
}
