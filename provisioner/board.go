package provisioner

import (
	"slices"
	"time"
)

// Board is the state of a run folded from its events; every frontend renders it. It is not safe for concurrent use.
type Board struct {
	Steps        []StepView
	Bootstrap    []PhaseView  // phases reached, in order
	Etcd         []Member     // members last seen
	EtcdHeld     string       // why the bootstrap member is still there; "" if it is not, or unknown
	EtcdTrail    []int        // numbers of members over time, e.g. 1 2 3 4 3
	EtcdTimes    []time.Time  // since when each of them
	Nodes        []NodeView   // in the order of their first event
	CSRs         []CSRView    // reviewed, in order
	Objects      []ObjectView // in the order of their first event
	Probes       []Event      // the newest of each access path, in the order of their first event
	Stages       []StageView  // services of the bootstrap machine, in the order of their first event
	Journal      []Event      // the newest JournalLength lines of the bootstrap machine's journal
	Version      Event        // the newest
	Operators    []Event      // the newest of each operator, in the order of their first event; Since is when its state began
	Applications []Event      // the newest of each application of the catalog, in the order of their first event
	Targets      []Event      // the newest of each node that a verb adds, removes or replaces, in the order of their first event
	Pools        []Event      // the newest of each machine config pool, in the order of their first event
	Ceph         *Event       // the newest; nil: none
	Findings     []Event      // what is wrong now, in the order in which it was found
	Repairs      []Event      // what the run has repaired, in order
	Question     *Event       // what a person is asked to decide; nil: nothing
	Log          []Event      // the newest LogLength events; lines of the journal are kept apart
	Run          Event        // the newest event about the run itself
	Verb         string       // what is done with an installed cluster, such as nodes replace; "": it is being installed
	Outage       *Event       // Exoscale's API is away; nil: it answers
	Expiry       time.Time    // when the first certificates end, by the wall clock; zero: not known
	Began        time.Time    // of the first event of this run
	Now          time.Time    // of the newest event

	nodes, csrs, objects, probes, stages, operators, applications, targets, pools nameIndex
}

// LogLength is how many events a Board keeps.
const LogLength = 500

// JournalLength is how many lines of the journal a Board keeps.
const JournalLength = 200

// StepView is what is known of a step.
type StepView struct {
	ID, Title, Phase string
	Needs            []string      // IDs of earlier steps
	Usual            time.Duration // how long it usually takes; 0 if unknown
	State            string        // "" (waiting), started, done, failed or skipped
	Text             string        // the latest sentence about it
	Hint             string        // failed: what to do next; running: the action needed
	Asked            time.Time     // running: since when an action is needed; zero if none is
	Unreached        bool          // skipped because another step failed or the run was stopped
	Began, Ended     time.Time
	Wait             *Event    // what it is waiting for; nil when it is not
	Seen             time.Time // since when the wait reports the same
}

func (s PlannedStep) toView() StepView {
	return StepView{ID: s.ID, Title: s.Title, Phase: s.Phase, Needs: s.Needs, Usual: time.Duration(s.Usual * float64(time.Second))}
}

// ObjectView is a cloud object.
type ObjectView struct{ Kind, Name, ID, Action string }

// NewBoard returns a board that lists the plan's steps as waiting.
func NewBoard(plan Plan) *Board {
	b := &Board{}
	for _, step := range plan {
		b.Steps = append(b.Steps, StepView{ID: step.ID, Title: step.Title, Phase: step.Phase, Needs: step.Needs, Usual: step.Usual})
	}
	return b
}

// Fold applies an event.
func (b *Board) Fold(e Event) {
	if b.Began.IsZero() || e.Type == TypeRun && e.State == Started {
		b.Began = e.Time
	}
	b.Now = e.Time
	switch e.Type {
	case TypeStep:
		b.applyStep(e)
	case TypeWait:
		b.applyWait(e)
	case TypeObject:
		b.applyObject(e)
	case TypeDiagnosis, TypeRepair, TypeDecision:
		b.applyDiagnosis(e)
	case TypeCertificates:
		if e.Until != nil {
			b.Expiry = *e.Until
		}
	case TypeOutage:
		b.Outage = nil
		if e.State == Present {
			b.Outage = &e
		}
	case TypeRun:
		b.applyRun(e)
	default:
		b.applyCluster(e)
	}
	b.appendLog(e)
}

func (b *Board) applyCluster(e Event) {
	switch e.Type {
	case TypeBootstrap:
		b.applyPhase(e)
	case TypeEtcd:
		b.applyEtcd(e)
	case TypeNode:
		b.applyNode(e)
	case TypeCSR:
		b.applyCSR(e)
	case TypeProbe:
		b.Probes = putAt(b.Probes, b.probes.indexOf(e.Name, len(b.Probes)), e)
	case TypeStage:
		b.applyStage(e)
	case TypeJournal:
		b.Journal = append(b.Journal, e)[max(0, len(b.Journal)+1-JournalLength):]
	case TypeVersion:
		b.Version = e
	case TypeTarget:
		b.Targets = putAt(b.Targets, b.targets.indexOf(e.Name, len(b.Targets)), e)
	case TypePool:
		b.Pools = putAt(b.Pools, b.pools.indexOf(e.Name, len(b.Pools)), e)
	case TypeCeph:
		b.Ceph = &e
	case TypeOperator:
		b.applyOperator(e)
	case TypeApplication:
		b.applyApplication(e)
	}
}

// A resumed run polls again and finds again what is wrong; what the earlier run saw of the cluster is kept.
func (b *Board) applyRun(e Event) {
	b.Run, b.Outage, b.Question = e, nil, nil
	if e.State != Started {
		return
	}
	if len(e.Steps) > 0 { // a verb with steps of its own: nothing goes on from the run before
		*b = Board{Run: e, Verb: e.Verb, Log: b.Log, Began: b.Began, Now: b.Now}
		for _, step := range e.Steps {
			b.Steps = append(b.Steps, step.toView())
		}
		return
	}
	b.Verb, b.Targets, b.targets = e.Verb, nil, nameIndex{}
	b.Findings, b.Repairs = nil, nil
	for i, step := range b.Steps {
		b.Steps[i] = StepView{ID: step.ID, Title: step.Title, Phase: step.Phase, Needs: step.Needs, Usual: step.Usual}
	}
}

func (b *Board) applyStep(e Event) {
	view := b.ensureStep(e)
	if e.Text != "" {
		view.Text = e.Text
	}
	switch e.State {
	case Started:
		view.Title, view.Began = e.Text, e.Time
	case Progress:
		view.setAction(e)
		return
	default:
		view.Ended, view.Wait = e.Time, nil
	}
	view.State, view.Hint, view.Unreached, view.Asked = e.State, e.Hint, e.Reason == Unreached, time.Time{}
}

// setAction keeps the time of an action that is still needed, in other words.
func (s *StepView) setAction(e Event) {
	switch s.Hint = e.Hint; {
	case e.Hint == "":
		s.Asked = time.Time{}
	case s.Asked.IsZero():
		s.Asked = e.Time
	}
}

func (b *Board) applyWait(e Event) {
	view := b.ensureStep(e)
	if view.Wait == nil || view.Wait.Last != e.Last {
		view.Seen = e.Time
	}
	view.Wait = &e
}

func (b *Board) ensureStep(e Event) *StepView {
	for i := range b.Steps {
		if b.Steps[i].ID == e.Step {
			return &b.Steps[i]
		}
	}
	b.Steps = append(b.Steps, StepView{ID: e.Step, Title: e.Step, Phase: e.Phase})
	return &b.Steps[len(b.Steps)-1]
}

func (b *Board) applyObject(e Event) {
	seen := ObjectView{Kind: e.Kind, Name: e.Name, ID: e.ID, Action: e.Action}
	b.Objects = putAt(b.Objects, b.objects.indexOf(e.Kind+"/"+e.Name, len(b.Objects)), seen)
}

func (b *Board) appendLog(e Event) {
	if e.Type == TypeJournal {
		return
	}
	if b.Log = append(b.Log, e); len(b.Log) > 2*LogLength {
		b.Log = slices.Clone(b.Log[len(b.Log)-LogLength:])
	}
}
