package provisioner

import (
	"fmt"
	"sync"
	"time"
)

// Type is what an event is about.
type Type string

// The types of events; docs/reference/events.md describes the fields of each.
const (
	TypeRun       Type = "run"       // the whole run started or finished
	TypeStep      Type = "step"      // a step started, progressed or ended
	TypeWait      Type = "wait"      // what a step is waiting for
	TypeBootstrap Type = "bootstrap" // the bootstrap reached a phase
	TypeEtcd      Type = "etcd"      // the members of etcd changed
	TypeNode      Type = "node"      // a node changed
	TypeCSR       Type = "csr"       // a certificate signing request was reviewed
	TypeObject    Type = "object"    // an object of the cloud was created, found, ...

	TypeProbe       Type = "probe"       // the cluster was reachable, or not, by one access path
	TypeStage       Type = "stage"       // a service of the bootstrap machine entered or left a stage
	TypeJournal     Type = "journal"     // a line of the bootstrap machine's journal
	TypeVersion     Type = "version"     // how far the release is applied
	TypeOperator    Type = "operator"    // a cluster operator changed
	TypeApplication Type = "application" // a part of the cluster's catalog changed
	TypeDiagnosis   Type = "diagnosis"   // something is wrong, or no longer
	TypeRepair      Type = "repair"      // the run repairs what is wrong
	TypeDecision    Type = "decision"    // a person is asked what to do about what is wrong, or it was decided

	TypeTarget Type = "target" // a node that a verb removes or replaces went on
	TypePool   Type = "pool"   // a machine config pool changed
	TypeCeph   Type = "ceph"   // the health of the storage cluster changed

	TypeOutage       Type = "outage"       // Exoscale's API is away, or answers again
	TypeGathered     Type = "gathered"     // what may explain a failure is being kept, or was
	TypeCertificates Type = "certificates" // from when to when the cluster can be started with its first certificates
)

// States of runs and steps.
const (
	Started  = "started"
	Progress = "progress"
	Done     = "done"
	Failed   = "failed"
	Skipped  = "skipped"
	Finished = "finished"
)

// Stopped is the cause of a step that ended because the run was stopped.
const Stopped = "the run was stopped"

// States of decisions, besides Gone.
const (
	Asked   = "asked"   // a person, who has not answered
	Decided = "decided" // by a person, or because there is none
)

// States of nodes.
const (
	NodeBooting  = "Booting" // the machine runs; the node has not registered
	NodeNotReady = "NotReady"
	NodeReady    = "Ready"
	NodeRemoved  = "Removed" // it was there before
)

// States of targets, in their order.
const (
	TargetWaiting  = "waiting" // nothing was done with it
	TargetAdding   = "adding"  // the node that takes its place, or the target itself
	TargetCordoned = "cordoned"
	TargetDraining = "draining" // pods are being evicted
	TargetDrained  = "drained"
	TargetStopped  = "stopped" // its machine
	TargetRemoved  = "removed"
	TargetAdded    = "added" // it is ready
)

// States of machine config pools.
const (
	PoolUpdated  = "updated"
	PoolUpdating = "updating"
	PoolDegraded = "degraded"
)

// States of probes, diagnoses and outages.
const (
	Reached     = "ok"     // probe: it answered
	Unreachable = "failed" // probe: it did not
	Present     = "found"  // diagnosis, outage
	Gone        = "gone"   // its evidence no longer holds; the outage is over
)

// Unreached is the reason of a step that was skipped because another one failed or the run was stopped, and not
// because there was nothing to do.
const Unreached = "unreached"

// Event is one fact about a run. Its JSON form, one object a line, is an interface that other programs rely on.
type Event struct {
	V     int       `json:"v"`
	Time  time.Time `json:"time"`
	Seq   int       `json:"seq"`
	Type  Type      `json:"type"`
	Phase string    `json:"phase,omitempty"` // of the installation; for bootstrap events, of the bootstrap
	Step  string    `json:"step,omitempty"`
	State string    `json:"state,omitempty"` // run, step, node, probe, stage, version, operator, target, pool, ceph, diagnosis, repair, decision, outage, gathered
	Text  string    `json:"text,omitempty"`  // a sentence for humans
	Hint  string    `json:"hint,omitempty"`  // step failed, run finished: the next thing to do; step progress: the action needed

	Result   string        `json:"result,omitempty"`    // run: ok, failed or interrupted
	Program  string        `json:"program,omitempty"`   // run started: name, version and system of the program
	Command  string        `json:"command,omitempty"`   // run started: the command that does the same again
	Verb     string        `json:"verb,omitempty"`      // run started, on an installed cluster: what is done, such as nodes replace
	Steps    []PlannedStep `json:"steps,omitempty"`     // run started, with a verb: the steps
	ExitCode *int          `json:"exit_code,omitempty"` // run finished

	What  string     `json:"what,omitempty"`  // wait: what for
	Since *time.Time `json:"since,omitempty"` // wait; outage; certificates: wall clock
	Until *time.Time `json:"until,omitempty"` // certificates: wall clock; outage
	Limit float64    `json:"limit,omitempty"` // wait: seconds after which it gives up
	Usual float64    `json:"usual,omitempty"` // wait: seconds it usually takes
	Last  string     `json:"last,omitempty"`  // wait: what was seen last

	Members []Member `json:"members,omitempty"` // etcd
	Count   *int     `json:"count,omitempty"`   // etcd: number of members; target: pods that are left to evict
	Voters  *int     `json:"voters,omitempty"`  // etcd: number of members that vote
	Quorum  *int     `json:"quorum,omitempty"`  // etcd: how many of them are needed
	Percent *int     `json:"percent,omitempty"` // version

	Machines *int        `json:"machines,omitempty"` // pool: how many it has
	Updated  *int        `json:"updated,omitempty"`  // pool: how many of them have its configuration
	Ready    *int        `json:"ready,omitempty"`    // pool: how many of them are ready and in use
	Ceph     *CephStatus `json:"ceph,omitempty"`     // ceph

	Machine string `json:"machine,omitempty"` // node: state of its machine, in Exoscale's terms
	Client  string `json:"client,omitempty"`  // node: state of its request for a client certificate
	Serving string `json:"serving,omitempty"` // node: state of its request for a serving certificate

	Evidence    []string `json:"evidence,omitempty"`    // diagnosis, decision: what was seen; repair: what is restored
	Confidence  string   `json:"confidence,omitempty"`  // diagnosis: high, medium or low
	Blocks      string   `json:"blocks,omitempty"`      // diagnosis: the phase that does not end because of it
	Order       int      `json:"order,omitempty"`       // diagnosis: which part of that phase, the earliest first
	Disposition string   `json:"disposition,omitempty"` // diagnosis: repair, stop or wait: what the run does about it

	Name     string `json:"name,omitempty"`     // node, csr, object, operator, target, pool; probe: access path; stage: service; journal: unit; diagnosis, repair, decision: rule; gathered: path of the folder
	Role     string `json:"role,omitempty"`     // node
	Node     string `json:"node,omitempty"`     // csr; target: the node that takes its place
	Decision string `json:"decision,omitempty"` // csr: approved, left or undecided; decision: repair, stop, copy or wait
	Reason   string `json:"reason,omitempty"`   // csr, node, target (what holds its pods), pool, probe, operator, stage, repair, decision; etcd: why the bootstrap member is still there; step skipped: Unreached, or nothing
	Kind     string `json:"kind,omitempty"`     // object
	ID       string `json:"id,omitempty"`       // object
	Action   string `json:"action,omitempty"`   // object: created, adopted, found, updated or deleted
	Sync     string `json:"sync,omitempty"`     // application: Synced, OutOfSync or Unknown; its State is its health as in Argo CD
}

// Member is one member of etcd.
type Member struct {
	Name  string `json:"name"`
	State string `json:"state"`
	// Revision of its static pod; 0: none, or not known.
	Revision int `json:"revision,omitempty"`
}

// PlannedStep is a step of a verb's plan.
type PlannedStep struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Needs are the IDs of earlier steps.
	Needs []string `json:"needs,omitempty"`
	// Usual is how many seconds it usually takes; 0: unknown.
	Usual float64 `json:"usual,omitempty"`
	Phase string  `json:"phase"`
}

// CephStatus is the health of the storage cluster, beside the state of its event: HEALTH_OK, HEALTH_WARN or HEALTH_ERR.
type CephStatus struct {
	Checks      []string `json:"checks,omitempty"` // codes of what is wrong
	OSDs        int      `json:"osds"`
	OSDsUp      int      `json:"osds_up"`
	OSDsIn      int      `json:"osds_in"`
	Groups      int      `json:"groups"`       // placement groups
	GroupsClean int      `json:"groups_clean"` // of them, those with all copies where they belong
	UsedPercent int      `json:"used_percent"`
}

// NewOutageEvent is for Exoscale's API being away since a time; until is when a run gives up or, once it is over, when it answered
// again.
func NewOutageEvent(since, until time.Time, isOver bool, cause string) Event {
	if isOver {
		took := until.Sub(since).Round(time.Second)
		return Event{Type: TypeOutage, State: Gone, Since: &since, Until: &until, Text: fmt.Sprintf("the API answers again after %s", took)}
	}
	return Event{
		Type: TypeOutage, State: Present, Since: &since, Until: &until, Reason: cause,
		Text: "the API is away; calls are retried until " + until.Format(time.TimeOnly),
	}
}

// Version is the version of the event format.
const Version = 1

// Stream stamps events with version, time and sequence number and hands them on, one at a time.
func Stream(clock Clock, emit func(Event)) func(Event) {
	var mu sync.Mutex
	seq := 0
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		seq++
		e.V, e.Seq, e.Time = Version, seq, clock.Now()
		emit(e)
	}
}
