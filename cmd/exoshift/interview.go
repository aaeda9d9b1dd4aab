package main

import (
	"cmp"
	"errors"
	"path/filepath"
	"sync/atomic"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// defaultZone is queried for zone-independent data, as long as none is chosen.
const defaultZone = "ch-gva-2"

type interviewBackend struct {
	options     options
	draft       state.Draft
	unlock      func() // releases the draft; nil after that
	answers     *wizard.Answers
	found       []wizard.Problem // see wizard.Interview
	only        []string         // see wizard.Interview
	resumed     bool             // the answers are those of a draft
	lookup      func(env string) (string, bool)
	environment environment.Environment
	cache       string // of downloads

	rehearsal *rehearsal  // nil: it is about a real cluster
	cleanUp   func(error) // after a rehearsal; nil: nothing to clean up
	checkOnly bool
	begun     bool // the folder is that of an installation now

	exported exported
	saved    atomic.Pointer[wizard.Answers]       // what was saved last; nil before that
	types    atomic.Pointer[[]state.InstanceType] // the latest instance types of the zone
}

func (c *interviewBackend) newInterview() *wizard.Interview {
	return &wizard.Interview{
		Answers:    c.answers,
		Only:       c.only,
		Resumed:    c.resumed,
		Rehearsal:  c.rehearsal != nil,
		CheckOnly:  c.checkOnly,
		DraftPath:  c.draft.Path(),
		Unusable:   c.found,
		Lookups:    c.listLookups(),
		SignIn:     c.newSynLookups().signIn,
		LookupEnv:  c.lookup,
		Save:       c.save,
		SaveSecret: c.saveSecret,
		Estimate:   c.estimateCost,
		Check:      c.newPreview().runChecks,

		CheckFromZone: c.newPreview().runZoneChecks, ZoneTerms: connectivity.DescribeZoneTerms,

		Review: c.buildReview,
		Export: c.export,
	}
}

func (c *interviewBackend) listLookups() []wizard.Lookup {
	all := lookups{environment: c.environment, installer: c.options.installer, inPlace: c.isInPlace(), types: &c.types, proof: findInternalProof}.list()
	all = append(all, c.newSynLookups().list()...)
	for n := range all {
		all[n].Run = withTimeout(all[n].Run)
	}
	return all
}

func (c *interviewBackend) newSynLookups() synLookups {
	return synLookups{environment: c.environment, simulated: c.rehearsal != nil}
}

func (c *interviewBackend) newPreview() interviewPreview {
	return interviewPreview{options: c.options, environment: c.environment, cache: c.cache, draft: c.draft, rehearsal: c.rehearsal}
}

// close also removes a draft without answers.
func (c *interviewBackend) close() error {
	err := errors.Join(c.environment.Close(), c.newPreview().removeLeftovers())
	c.release()
	switch {
	case c.begun:
	case c.isTemporary() && !c.draft.Exists():
		c.cleanUp(nil)
	case !c.draft.Exists() && !c.isInPlace():
		err = errors.Join(err, c.draft.Discard(state.Folder{}))
	}
	return err
}

func (c *interviewBackend) finalAnswers() *wizard.Answers {
	if said := c.saved.Load(); said != nil {
		return said
	}
	return c.answers
}

func (c *interviewBackend) release() {
	if c.unlock != nil {
		c.unlock()
		c.unlock = nil
	}
}

// isInPlace reports whether the draft is in the folder that will be the cluster's.
func (c *interviewBackend) isInPlace() bool { return c.options.dir != "" }

// isTemporary reports whether the folder is removed with an interview without answers.
func (c *interviewBackend) isTemporary() bool { return c.rehearsal != nil && c.rehearsal.temporary }

func (c *interviewBackend) save(answers *wizard.Answers) error {
	c.saved.Store(answers.Copy())
	return c.draft.Save(answersfile.Export(answers.Spec, answers.Origins))
}

func (c *interviewBackend) saveSecret(key, secret string) (reference string, err error) {
	path, err := c.draft.KeepSecret(key, secret)
	return "file:" + path, err
}

func (c *interviewBackend) resolveFolder(spec state.Spec) (string, error) {
	if c.options.dir != "" {
		return filepath.Abs(c.options.dir)
	}
	return clusterdir.DefaultPath(cmp.Or(spec.Cluster.ID, "cluster"))
}

// estimateCost makes no API call. CPUs and GPUs are counted once a lookup has the zone's types.
func (c *interviewBackend) estimateCost(spec state.Spec) wizard.Estimate {
	var types []state.InstanceType
	if offered := c.types.Load(); offered != nil {
		types = *offered
	}
	needs := preflight.CountNeeds(spec, types)
	told := wizard.Estimate{Machines: needs["instance"], Needs: needs}
	cost, err := preflight.Estimate(spec)
	if err != nil {
		return told // the price list is embedded, and tested
	}
	told.Hour, told.Month, told.Date, told.Unknown = cost.Hour, cost.Month, cost.Date, cost.Unknown
	return told
}
