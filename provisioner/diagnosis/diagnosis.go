// Package diagnosis says what is wrong with an installation: a rulebook of the failures that users hit most, each with
// the signature by which it is known, its cause and the one thing to do.
package diagnosis

import (
	"net/netip"
	"time"

	"exoshift/state"
)

// Confidences of a finding, the surest first.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Finding is a rule that applies.
type Finding struct {
	Rule       string // its ID
	Cause      string // one sentence
	Evidence   []string
	Fix        string // the one thing to do, in the imperative; may have several lines, commands on lines of their own
	Confidence string
	Since      time.Time // since when its signature holds, by the run's clock
}

// Input are what rules look at: everything that is known of an installation at one moment. They are gathered without
// asking anything of the machines beyond what every installation may ask.
type Input struct {
	Now           time.Time // by the run's clock
	Wall          time.Time // certificates live by it
	Spec          state.Spec
	Facts         state.Facts
	Folder        string               // path of the cluster's folder
	Snapshot      state.Snapshot       // beside a failure: what the API told last, and what the probes and the bootstrap tell now
	APIError      error                // why the API did not answer the last time; nil if it did
	BootstrapHost *state.BootstrapHost // what the bootstrap machine tells, all lines and records so far; nil if nobody could look

	PhaseTimes    map[string]time.Time // when each phase of state.Phases was reached, as far as it was
	Machines      []state.Instance     // the cluster's machines, as the cloud has them
	RootCALabels  map[string]string    // by machine: the mark of the root CA that it was given; "" for none
	MissingRules  []string             // rules of security groups that are missing, one sentence each
	Names         []Name               // the cluster's names as the zone's own servers, or public resolvers, answer for them
	ReleaseBuild  string               // of the image that the release wants its machines to boot from
	TemplateBuild string               // build of the template that they did boot from
}

// Name is a name of the cluster in DNS.
type Name struct {
	Name    string
	Wanted  []netip.Addr
	Found   []netip.Addr
	Missing bool   // the servers answer that there is no such name
	Error   string // why it could not be resolved; "" if it could
}
