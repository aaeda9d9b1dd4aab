package provisioner

import (
	"slices"
	"time"
)

// Board is the fold of events: what every face shows. It is not safe for concurrent use.
type Board struct {
	Steps     []StepView
	Bootstrap []PhaseView  // phases reached, in order
	Etcd      []Member     // members last seen
	EtcdTrail []int        // numbers of members over time, e.g. 1 2 3 4 3
	Nodes     []NodeView   // in the order of their first event
	CSRs      []CSRView    // decided about, in order
	Objects   []ObjectView // in the order of their first event
	Probes    []Event      // the newest of each way, in the order of their first event
	Stages    []Event      // the newest of each service of the bootstrap machine, in the order of their first event
	Journal   []Event      // the newest JournalLength lines of the bootstrap machine's journal
	Version   Event        // the newest
	Operators []Event      // the newest of each operator, in the order of their first event
	Findings  []Event      // what is wrong now, in the order in which it was found
	Log       []Event      // the newest LogLength events
	Run       Event        // the newest event about the run itself
	Expiry    time.Time    // when the first certificates end, by the wall clock; zero: not known
	Began     time.Time    // of the first event of this run
	Now       time.Time    // of the newest event
}

// LogLength is how many events a Board remembers word by word.
const LogLength = 500

// JournalLength is how many lines of the journal a Board remembers.
const JournalLength = 200

// StepView is what is known about a step.
type StepView struct {
	ID, Title, Phase string
	State            string // "" (waiting), started, done, failed or skipped
	Text             string // the latest sentence about it
	Hint             string // failed: what to do next; running: what it waits for somebody to do
	Unreached        bool   // skipped because another step failed or the run was stopped
	Began, Ended     time.Time
	Wait             *Event // what it is waiting for; nil when it is not
}

// PhaseView is a reached phase of the bootstrap.
type PhaseView struct {
	Phase, Text string
	At          time.Time
}

// NodeView is what is known about a node.
type NodeView struct {
	Name, Role, State, Reason string
	At                        time.Time // since when it is in this state
	Machine, Client, Serving  string    // states of its machine and of its requests for certificates
}

// CSRView is one decision about a certificate signing request.
type CSRView struct{ Name, Node, Decision, Reason string }

// ObjectView is an object of the cloud.
type ObjectView struct{ Kind, Name, ID, Action string }

// NewBoard returns a board that lists the plan's steps as waiting.
func NewBoard(plan Plan) *Board {
	b := &Board{}
	for _, step := range plan {
		b.Steps = append(b.Steps, StepView{ID: step.ID, Title: step.Title, Phase: step.Phase})
	}
	return b
}

// Fold takes in one event.
func (b *Board) Fold(e Event) {
	if b.Began.IsZero() || e.Type == TypeRun && e.State == Started {
		b.Began = e.Time
	}
	b.Now = e.Time
	switch e.Type {
	case TypeRun:
		b.run(e)
	case TypeStep:
		b.step(e)
	case TypeWait:
		b.view(e).Wait = &e
	case TypeBootstrap:
		b.phase(e)
	case TypeEtcd:
		b.etcd(e)
	case TypeNode:
		b.node(e)
	case TypeCSR:
		b.csr(e)
	case TypeObject:
		b.object(e)
	case TypeProbe:
		b.Probes = replace(b.Probes, e)
	case TypeStage:
		b.Stages = replace(b.Stages, e)
	case TypeJournal:
		b.Journal = append(b.Journal, e)[max(0, len(b.Journal)+1-JournalLength):]
	case TypeVersion:
		b.Version = e
	case TypeOperator:
		b.Operators = replace(b.Operators, e)
	case TypeDiagnosis:
		b.diagnosis(e)
	case TypeCertificates:
		if e.Until != nil {
			b.Expiry = *e.Until
		}
	}
	b.remember(e)
}

// run starts afresh what a resumed run looks at again; what the earlier run saw of the cluster stays.
func (b *Board) run(e Event) {
	b.Run = e
	if e.State != Started {
		return
	}
	for i, step := range b.Steps {
		b.Steps[i] = StepView{ID: step.ID, Title: step.Title, Phase: step.Phase}
	}
}

func (b *Board) step(e Event) {
	view := b.view(e)
	if e.Text != "" {
		view.Text = e.Text
	}
	switch e.State {
	case Started:
		view.Title, view.Began = e.Text, e.Time
	case Progress:
		view.Hint = e.Hint
		return
	default:
		view.Ended, view.Wait = e.Time, nil
	}
	view.State, view.Hint, view.Unreached = e.State, e.Hint, e.Reason == Unreached
}

// view returns the step of an event, which it appends if the plan did not list it.
func (b *Board) view(e Event) *StepView {
	i := slices.IndexFunc(b.Steps, func(s StepView) bool { return s.ID == e.Step })
	if i < 0 {
		b.Steps = append(b.Steps, StepView{ID: e.Step, Title: e.Step, Phase: e.Phase})
		i = len(b.Steps) - 1
	}
	return &b.Steps[i]
}

func (b *Board) phase(e Event) {
	if !slices.ContainsFunc(b.Bootstrap, func(p PhaseView) bool { return p.Phase == e.Phase }) {
		b.Bootstrap = append(b.Bootstrap, PhaseView{Phase: e.Phase, Text: e.Text, At: e.Time})
	}
}

func (b *Board) etcd(e Event) {
	b.Etcd = e.Members
	if n := len(b.EtcdTrail); n == 0 || b.EtcdTrail[n-1] != len(e.Members) {
		b.EtcdTrail = append(b.EtcdTrail, len(e.Members))
	}
}

func (b *Board) node(e Event) {
	seen := NodeView{
		Name: e.Name, Role: e.Role, State: e.State, Reason: e.Reason, At: e.Time,
		Machine: e.Machine, Client: e.Client, Serving: e.Serving,
	}
	for i, node := range b.Nodes {
		if node.Name == e.Name {
			if node.State == e.State {
				seen.At = node.At
			}
			b.Nodes[i] = seen
			return
		}
	}
	b.Nodes = append(b.Nodes, seen)
}

func (b *Board) csr(e Event) {
	seen := CSRView{Name: e.Name, Node: e.Node, Decision: e.Decision, Reason: e.Reason}
	for i, csr := range b.CSRs {
		if csr.Name == e.Name {
			b.CSRs[i] = seen
			return
		}
	}
	b.CSRs = append(b.CSRs, seen)
}

func (b *Board) object(e Event) {
	seen := ObjectView{Kind: e.Kind, Name: e.Name, ID: e.ID, Action: e.Action}
	for i, object := range b.Objects {
		if object.Kind == e.Kind && object.Name == e.Name {
			b.Objects[i] = seen
			return
		}
	}
	b.Objects = append(b.Objects, seen)
}

// diagnosis keeps what is wrong and forgets what no longer is.
func (b *Board) diagnosis(e Event) {
	if e.State == Present {
		b.Findings = replace(b.Findings, e)
		return
	}
	b.Findings = slices.DeleteFunc(b.Findings, func(found Event) bool { return found.Name == e.Name })
}

// replace puts e in the place of the event of the same name, or at the end.
func replace(events []Event, e Event) []Event {
	if i := slices.IndexFunc(events, func(other Event) bool { return other.Name == e.Name }); i >= 0 {
		events[i] = e
		return events
	}
	return append(events, e)
}

func (b *Board) remember(e Event) {
	if b.Log = append(b.Log, e); len(b.Log) > 2*LogLength {
		b.Log = slices.Clone(b.Log[len(b.Log)-LogLength:])
	}
}
