package main

import (
	"cmp"
	"errors"
	"path/filepath"
	"sync/atomic"

	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

// defaultZone is asked for what every zone tells, as long as none is chosen.
const defaultZone = "ch-gva-2"

// interviewBackend is an interview with what stands behind it: the draft that it is kept in, and the world that is asked.
type interviewBackend struct {
	options     options
	draft       state.Draft
	unlock      func() // lets the draft go; nil once that is done
	answers     *wizard.Answers
	found       []wizard.Problem // see wizard.Interview
	only        []string         // see wizard.Interview
	resumed     bool             // the answers are those of a draft
	lookup      func(env string) (string, bool)
	environment zoneEnvironment
	cache       string // of downloads

	rehearsal *rehearsal  // nil: it is about a real cluster
	cleanUp   func(error) // after a rehearsal; nil: there is nothing to clean up
	checkOnly bool
	begun     bool // the folder is that of an installation now

	exported exported
	saved    atomic.Pointer[wizard.Answers]       // what was saved last; nil before that
	types    atomic.Pointer[[]state.InstanceType] // what the zone offered last
}

// newInterview returns what the screens and the prompts hold.
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
		SignIn:     c.signIn,
		LookupEnv:  c.lookup,
		Save:       c.save,
		SaveSecret: c.saveSecret,
		Estimate:   c.estimateCost,
		Check:      c.runChecks,

		CheckFromZone: c.runZoneChecks, ZoneTerms: describeZoneTerms,

		Review: c.buildReview,
		Export: c.export,
	}
}

// close lets go of everything. A draft that nothing was said in goes, too.
func (c *interviewBackend) close() error {
	err := errors.Join(c.environment.close(), c.cleanupChecks())
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

// finalAnswers returns the answers as they are after the interview.
func (c *interviewBackend) finalAnswers() *wizard.Answers {
	if said := c.saved.Load(); said != nil {
		return said
	}
	return c.answers
}

// release lets the draft go.
func (c *interviewBackend) release() {
	if c.unlock != nil {
		c.unlock()
		c.unlock = nil
	}
}

// isInPlace tells whether the draft is in the folder that will be the cluster's.
func (c *interviewBackend) isInPlace() bool { return c.options.dir != "" }

// isTemporary tells whether the folder goes with an interview in which nothing was said.
func (c *interviewBackend) isTemporary() bool { return c.rehearsal != nil && c.rehearsal.temporary }

// save keeps the draft. What was saved last is what is carried out.
func (c *interviewBackend) save(answers *wizard.Answers) error {
	c.saved.Store(answers.Copy())
	return c.draft.Save(wizard.Export(answers.Spec, answers.Origins))
}

// saveSecret writes down a secret that was typed.
func (c *interviewBackend) saveSecret(key, secret string) (reference string, err error) {
	path, err := c.draft.KeepSecret(key, secret)
	return "file:" + path, err
}

// resolveFolder returns where the cluster's folder is, or will be.
func (c *interviewBackend) resolveFolder(spec state.Spec) (string, error) {
	if c.options.dir != "" {
		return filepath.Abs(c.options.dir)
	}
	return defaultPath(cmp.Or(spec.Cluster.ID, "cluster"))
}

// estimateCost only calculates. CPUs and GPUs are counted once the zone has told its types.
func (c *interviewBackend) estimateCost(spec state.Spec) wizard.Estimate {
	var types []state.InstanceType
	if offered := c.types.Load(); offered != nil {
		types = *offered
	}
	needs := install.CountNeeds(spec, types)
	told := wizard.Estimate{Machines: needs["instance"], Needs: needs}
	cost, err := install.Estimate(spec)
	if err != nil {
		return told // the price list is a part of this program, and tested
	}
	told.Hour, told.Month, told.Date, told.Unknown = cost.Hour, cost.Month, cost.Date, cost.Unknown
	return told
}
