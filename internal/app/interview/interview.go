// Package interview is what an interview does on this machine and on services: its draft, checks, review, and what follows a yes.
package interview

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/lookup"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/app/request"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Backend is what an interview works on: its draft, its look-ups and checks, and what becomes of its result.
type Backend struct {
	request     request.Request
	Draft       state.Draft
	Unlock      func() // releases the draft; nil after that
	Answers     *wizard.Answers
	found       []wizard.Problem // see wizard.Interview
	only        []string         // see wizard.Interview
	resumed     bool             // the answers are those of a draft
	Lookup      func(env string) (string, bool)
	Environment environment.Environment
	Cache       string // of downloads

	rehearsal *rehearsal.Rehearsal // nil: it is about a real cluster
	cleanUp   func(error)          // after a rehearsal; nil: nothing to clean up
	CheckOnly bool
	begun     bool // the folder is that of an installation now

	checks   checkRuns
	exported exported
	saved    atomic.Pointer[wizard.Answers]       // what was saved last; nil before that
	types    atomic.Pointer[[]state.InstanceType] // the latest instance types of the zone
}

// NewInterview returns the interview for a renderer.
func (c *Backend) NewInterview() *wizard.Interview {
	return &wizard.Interview{
		Answers:    c.Answers,
		Only:       c.only,
		Resumed:    c.resumed,
		Rehearsal:  c.rehearsal != nil,
		CheckOnly:  c.CheckOnly,
		DraftPath:  c.Draft.Path(),
		Unusable:   c.found,
		Lookups:    c.listLookups(),
		SignIn:     c.newSynLookups().SignIn,
		LookupEnv:  c.Lookup,
		Save:       c.save,
		SaveSecret: c.saveSecret,
		Estimate:   c.estimateCost,
		Check:      c.newPreview().runChecks,

		CheckFromZone: c.newPreview().runZoneChecks, ZoneTerms: connectivity.DescribeZoneTerms,

		Review: c.buildReview,
		Export: c.export,
	}
}

func (c *Backend) listLookups() []wizard.Lookup {
	all := lookup.Services{Environment: c.Environment, Installer: c.request.Installer, InPlace: c.isInPlace(), Types: &c.types, Proof: lookup.FindInternalProof}.List()
	all = append(all, c.newSynLookups().List()...)
	for n := range all {
		all[n].Run = lookup.WithTimeout(all[n].Run)
	}
	return all
}

func (c *Backend) newSynLookups() lookup.Syn {
	return lookup.Syn{Environment: c.Environment, Simulated: c.rehearsal != nil}
}

func (c *Backend) newPreview() previewer {
	return previewer{request: c.request, environment: c.Environment, cache: c.Cache, draft: c.Draft, rehearsal: c.rehearsal, running: &c.checks}
}

// Close waits for checks, which have to be cancelled, and also removes a draft without answers.
func (c *Backend) Close() error {
	c.checks.close()
	err := errors.Join(c.Environment.Close(), c.newPreview().removeLeftovers())
	c.release()
	switch {
	case c.begun:
	case c.isTemporary() && !c.Draft.Exists():
		c.cleanUp(nil)
	case !c.Draft.Exists() && !c.isInPlace():
		err = errors.Join(err, c.Draft.Discard(state.Folder{}))
	}
	return err
}

func (c *Backend) finalAnswers() *wizard.Answers {
	if failure := c.saved.Load(); failure != nil {
		return failure
	}
	return c.Answers
}

func (c *Backend) release() {
	if c.Unlock != nil {
		c.Unlock()
		c.Unlock = nil
	}
}

// isInPlace reports whether the draft is in the folder that will be the cluster's.
func (c *Backend) isInPlace() bool { return c.request.Dir != "" }

// isTemporary reports whether the folder is removed with an interview without answers.
func (c *Backend) isTemporary() bool { return c.rehearsal != nil && c.rehearsal.Temporary }

func (c *Backend) save(answers *wizard.Answers) error {
	if err := answersfile.CheckNoSecrets(answers.Spec); err != nil {
		return fmt.Errorf("save the answers: %w", err)
	}
	c.saved.Store(answers.Copy())
	return c.Draft.Save(answersfile.Export(answers.Spec, answers.Origins))
}

func (c *Backend) saveSecret(key, secret string) (reference string, err error) {
	path, err := c.Draft.KeepSecret(key, secret)
	return "file:" + path, err
}

func (c *Backend) resolveFolder(spec state.Spec) (string, error) {
	if c.request.Dir != "" {
		return filepath.Abs(c.request.Dir)
	}
	return clusterdir.DefaultPath(cmp.Or(spec.Cluster.ID, "cluster"))
}

// estimateCost makes no API call. CPUs and GPUs are counted once a lookup has the zone's types.
func (c *Backend) estimateCost(spec state.Spec) wizard.Estimate {
	var types []state.InstanceType
	if offered := c.types.Load(); offered != nil {
		types = *offered
	}
	needs := preflight.CountNeeds(spec, types)
	estimate := wizard.Estimate{Machines: needs["instance"], Needs: needs}
	cost, err := preflight.Estimate(spec)
	if err != nil {
		return estimate // the price list is embedded, and tested
	}
	estimate.Hour, estimate.Month, estimate.Date, estimate.Unknown = cost.Hour, cost.Month, cost.Date, cost.Unknown
	return estimate
}
