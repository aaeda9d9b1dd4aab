package provisioner

import (
	"sync"
	"time"
)

// Type says what an event is about.
type Type string

// The types of events; docs/events.md describes the fields of each.
const (
	TypeRun       Type = "run"       // the whole run started or finished
	TypeStep      Type = "step"      // a step started, progressed or ended
	TypeWait      Type = "wait"      // what a step is waiting for
	TypeBootstrap Type = "bootstrap" // the bootstrap reached a phase
	TypeEtcd      Type = "etcd"      // the members of etcd changed
	TypeNode      Type = "node"      // a node changed
	TypeCSR       Type = "csr"       // a certificate signing request was decided about
	TypeObject    Type = "object"    // an object of the cloud was created, found, ...

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
	State string    `json:"state,omitempty"` // run, step, node
	Text  string    `json:"text,omitempty"`  // a sentence for people
	Hint  string    `json:"hint,omitempty"`  // step failed, run finished: the next thing to do; step progress: what it waits for somebody to do

	Result   string `json:"result,omitempty"`    // run: ok, failed or interrupted
	ExitCode *int   `json:"exit_code,omitempty"` // run finished

	What  string     `json:"what,omitempty"`  // wait: what for
	Since *time.Time `json:"since,omitempty"` // wait; certificates: wall clock
	Until *time.Time `json:"until,omitempty"` // certificates: wall clock
	Limit float64    `json:"limit,omitempty"` // wait: seconds after which it gives up
	Usual float64    `json:"usual,omitempty"` // wait: seconds it usually takes
	Last  string     `json:"last,omitempty"`  // wait: what was seen last

	Members []Member `json:"members,omitempty"` // etcd
	Count   *int     `json:"count,omitempty"`   // etcd: number of members

	Name     string `json:"name,omitempty"`     // node, csr, object
	Role     string `json:"role,omitempty"`     // node
	Node     string `json:"node,omitempty"`     // csr
	Decision string `json:"decision,omitempty"` // csr: approved or left
	Reason   string `json:"reason,omitempty"`   // csr, node; step skipped: Unreached, or nothing
	Kind     string `json:"kind,omitempty"`     // object
	ID       string `json:"id,omitempty"`       // object
	Action   string `json:"action,omitempty"`   // object: created, adopted, found, updated or deleted
}

// Member is one member of etcd.
type Member struct {
	Name  string `json:"name"`
	State string `json:"state"`
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
