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

// conversation is an interview with what stands behind it: the draft that it is kept in, and the world that is asked.
type conversation struct {
	options options
	draft   state.Draft
	unlock  func() // lets the draft go; nil once that is done
	answers *wizard.Answers
	found   []wizard.Fault // see wizard.Interview
	only    []string       // see wizard.Interview
	resumed bool           // the answers are those of a draft
	lookup  func(env string) (string, bool)
	realm   realm
	cache   string // of downloads

	rehearsal *rehearsal  // nil: it is about a real cluster
	cleanUp   func(error) // after a rehearsal; nil: there is nothing to clean up
	checkOnly bool
	begun     bool // the folder is that of an installation now

	exported exported
	said     atomic.Pointer[wizard.Answers]       // what was saved last; nil before that
	types    atomic.Pointer[[]state.InstanceType] // what the zone offered last
}

// interview returns what the screens and the prompts hold.
func (c *conversation) interview() *wizard.Interview {
	return &wizard.Interview{
		Answers:   c.answers,
		Only:      c.only,
		Resumed:   c.resumed,
		Rehearsal: c.rehearsal != nil,
		CheckOnly: c.checkOnly,
		Place:     c.draft.Path(),
		Found:     c.found,
		Inquiries: c.inquiries(),
		SignIn:    c.signIn,
		Lookup:    c.lookup,
		Save:      c.save,
		Keep:      c.keep,
		Estimate:  c.estimate,
		Check:     c.check,

		CheckFromZone: c.checkFromZone, ZoneTerms: zoneTerms,

		Review: c.review,
		Export: c.export,
	}
}

// leave lets go of everything. A draft that nothing was said in goes, too.
func (c *conversation) leave() error {
	err := errors.Join(c.realm.close(), c.sweep())
	c.release()
	switch {
	case c.begun:
	case c.temporary() && !c.draft.Exists():
		c.cleanUp(nil)
	case !c.draft.Exists() && !c.inPlace():
		err = errors.Join(err, c.draft.Discard(state.Folder{}))
	}
	return err
}

// decided returns the answers as they are after the interview.
func (c *conversation) decided() *wizard.Answers {
	if said := c.said.Load(); said != nil {
		return said
	}
	return c.answers
}

// release lets the draft go.
func (c *conversation) release() {
	if c.unlock != nil {
		c.unlock()
		c.unlock = nil
	}
}

// inPlace tells whether the draft is in the folder that will be the cluster's.
func (c *conversation) inPlace() bool { return c.options.dir != "" }

// temporary tells whether the folder goes with an interview in which nothing was said.
func (c *conversation) temporary() bool { return c.rehearsal != nil && c.rehearsal.temporary }

// save keeps the draft. What was saved last is what is carried out.
func (c *conversation) save(answers *wizard.Answers) error {
	c.said.Store(answers.Copy())
	return c.draft.Save(wizard.Export(answers.Spec, answers.Origins))
}

// keep writes down a secret that was typed.
func (c *conversation) keep(key, secret string) (reference string, err error) {
	path, err := c.draft.KeepSecret(key, secret)
	return "file:" + path, err
}

// folderPath returns where the cluster's folder is, or will be.
func (c *conversation) folderPath(spec state.Spec) (string, error) {
	if c.options.dir != "" {
		return filepath.Abs(c.options.dir)
	}
	return usualPath(cmp.Or(spec.Cluster.ID, "cluster"))
}

// estimate only calculates. CPUs and GPUs are counted once the zone has told its types.
func (c *conversation) estimate(spec state.Spec) wizard.Estimate {
	var types []state.InstanceType
	if offered := c.types.Load(); offered != nil {
		types = *offered
	}
	needs := install.Needs(spec, types)
	told := wizard.Estimate{Machines: needs["instance"], Needs: needs}
	cost, err := install.Estimate(spec)
	if err != nil {
		return told // the price list is a part of this program, and tested
	}
	told.Hour, told.Month, told.Date, told.Unknown = cost.Hour, cost.Month, cost.Date, cost.Unknown
	return told
}
