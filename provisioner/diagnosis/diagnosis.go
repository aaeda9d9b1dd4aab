// Package diagnosis detects what is wrong with an installation: a rulebook of the failures that users hit most, each with
// its signature, its cause and its fix.
package diagnosis

import (
	"net/netip"
	"time"

	"exoshift/state"
	"exoshift/state/recovery"
)

// Confidences of a finding, the highest first.
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
	Fix        string // the one action, in the imperative; may have several lines, commands on lines of their own
	Confidence string
	Since      time.Time // since when its signature holds, by the run's clock

	Disposition Disposition // what the run does about it; Wait unless the confidence is high
	Restores    Part        // what a repair restores
	Blocks      Phase       // the phase that does not end because of it; "" for none
	Order       int         // which part of that phase, the earliest first
	Objects     []string    // what exactly: rules and attachments in sentences, names of records or of machines
	Changed     bool        // somebody has changed objects: a repair needs a person's consent
}

// Input is what rules evaluate: everything known of an installation at one moment. It is gathered without requests to the
// machines beyond what every installation may ask.
type Input struct {
	Now           time.Time // by the run's clock
	Wall          time.Time // the wall clock, by which certificates are valid
	Spec          state.Spec
	Facts         state.Facts
	Folder        string               // path of the cluster's folder
	Snapshot      state.Snapshot       // beside a failure: the API's last answer, and the current state of probes and bootstrap
	APIError      error                // why the API did not answer the last time; nil if it did
	BootstrapHost *state.BootstrapHost // the bootstrap machine's report, all lines and records so far; nil if it could not be read

	Accessible    bool                 // the bootstrap machine is open to this one
	PhaseTimes    map[string]time.Time // when each phase of state.Phases was reached, as far as it was
	Machines      []state.Instance     // the cluster's machines, as the Exoscale API lists them
	RootCALabels  map[string]string    // by machine: fingerprint of the root CA that it was given; "" for none
	MissingRules  []string             // rules of security groups that are missing, one sentence each
	Detached      []string             // attachments of elastic IPs that are missing, one sentence each
	Names         []Name               // the cluster's names as the zone's own servers, or public resolvers, resolve them
	ReleaseBuild  string               // of the image that the release expects its machines to boot from
	TemplateBuild string               // build of the template that they did boot from

	// Of nodes that are being removed from a cluster that runs:
	Held    []HeldPod           // pods that cannot be evicted now
	Ceph    []string            // what Ceph reports that keeps storage nodes from being changed
	Lagging []state.ClusterNode // nodes with another configuration than their pool
	Evicted []WrongEviction     // what instance pools did otherwise than they were asked to

	Unhealthy []string        // masters whose members of etcd do not answer, in a cluster that has a quorum
	Members   []recovery.Host // of etcd, as the masters themselves know them while there is no API
	Revoked   []RevokedKey    // API keys that the cluster uses and that do not exist any more

	Unreadable []UnreadableBackup // backups that were read back in vain
	// Of an update: operators that do not take the release, pools and nodes that are degraded.
	StuckOperators []StuckOperator
	DegradedPools  []string // why each of them is
	DegradedNodes  []string
}

// RevokedKey is an API key that does not exist any more, although Secrets of the cluster have it.
type RevokedKey struct {
	Name    string
	Key     string   // its ID
	Use     string   // who uses it
	Secrets []string // namespace/name
}

// WrongEviction is an eviction from an instance pool after which it has other members than it should have.
type WrongEviction struct {
	Pool  string   // its name
	Asked string   // the node whose machine it was asked to evict
	Lost  []string // nodes whose machines it destroyed instead, or beside it
	Extra []string // machines that it made in the place of what it evicted
}

// HeldPod is a pod that a node is drained of, and that cannot be evicted now.
type HeldPod struct {
	state.Pod
	Node   string
	Router bool   // it stays for the sake of the routers, and not of a budget
	Reason string // e.g. the API's about the budget
}

// Name is a name of the cluster in DNS.
type Name struct {
	Name    string
	Wanted  []netip.Addr
	Found   []netip.Addr
	Missing bool   // the servers answer that there is no such name
	Error   string // why it could not be resolved; "" if it could
}
