package provisioner

import (
	"cmp"
	"slices"
	"time"
)

// PhaseView is a reached phase of the bootstrap.
type PhaseView struct {
	Phase, Text string
	At          time.Time
}

// StageView is what is known about a service of the bootstrap machine.
type StageView struct {
	Service  string
	State    string   // of its newest event: started, done or failed
	Stage    string   // of its newest event; "" for the service as a whole
	Reason   string   // failed: why
	Finished []string // stages that have ended well, in order
	At       time.Time
}

// NodeView is what is known about a node.
type NodeView struct {
	Name, Role, State, Reason string
	At                        time.Time // since when it is in this state
	Machine, Client, Serving  string    // states of its machine and of its requests for certificates
}

// CSRView is the review of a certificate signing request.
type CSRView struct{ Name, Node, Decision, Reason string }

// HasReached reports whether the cluster's bootstrap has reached a phase.
func (b *Board) HasReached(phase string) bool {
	return slices.ContainsFunc(b.Bootstrap, func(p PhaseView) bool { return p.Phase == phase })
}

func (b *Board) applyPhase(e Event) {
	if !b.HasReached(e.Phase) {
		b.Bootstrap = append(b.Bootstrap, PhaseView{Phase: e.Phase, Text: e.Text, At: e.Time})
	}
}

func (b *Board) applyEtcd(e Event) {
	b.Etcd, b.EtcdHeld = e.Members, e.Reason
	if n := len(b.EtcdTrail); n == 0 || b.EtcdTrail[n-1] != len(e.Members) {
		b.EtcdTrail, b.EtcdTimes = append(b.EtcdTrail, len(e.Members)), append(b.EtcdTimes, e.Time)
	}
}

func (b *Board) applyStage(e Event) {
	i := b.stages.indexOf(e.Name, len(b.Stages))
	seen := StageView{Service: e.Name, State: e.State, Stage: e.Text, Reason: e.Reason, At: e.Time}
	if i < len(b.Stages) {
		before := b.Stages[i]
		seen.Finished = before.Finished
		if before.State == Started && before.Stage != e.Text && e.State != Failed { // it went on
			seen.finish(before.Stage)
		}
	}
	if e.State == Done {
		seen.finish(e.Text)
	}
	b.Stages = putAt(b.Stages, i, seen)
}

// A stage is noted once: a service that failed begins at its first stage again.
func (s *StageView) finish(stage string) {
	if stage != "" && !slices.Contains(s.Finished, stage) {
		s.Finished = append(s.Finished, stage)
	}
}

func (b *Board) applyNode(e Event) {
	i := b.nodes.indexOf(e.Name, len(b.Nodes))
	seen := NodeView{
		Name: e.Name, Role: e.Role, State: e.State, Reason: e.Reason, At: e.Time,
		Machine: e.Machine, Client: e.Client, Serving: e.Serving,
	}
	if i < len(b.Nodes) {
		before := b.Nodes[i]
		if before.State == e.State {
			seen.At = before.At
		}
		seen.Role, seen.Machine = cmp.Or(e.Role, before.Role), cmp.Or(e.Machine, before.Machine) // not every source knows them
		seen.Client, seen.Serving = cmp.Or(e.Client, before.Client), cmp.Or(e.Serving, before.Serving)
	}
	b.Nodes = putAt(b.Nodes, i, seen)
}

func (b *Board) applyCSR(e Event) {
	seen := CSRView{Name: e.Name, Node: e.Node, Decision: e.Decision, Reason: e.Reason}
	b.CSRs = putAt(b.CSRs, b.csrs.indexOf(e.Name, len(b.CSRs)), seen)
}

func (b *Board) applyOperator(e Event) {
	b.Operators = putAt(b.Operators, b.operators.indexOf(e.Name, len(b.Operators)), e.withSince(b.Operators))
}

func (b *Board) applyApplication(e Event) {
	b.Applications = putAt(b.Applications, b.applications.indexOf(e.Name, len(b.Applications)), e.withSince(b.Applications))
}

func (e Event) withSince(earlier []Event) Event {
	if e.Since != nil {
		return e
	}
	e.Since = &e.Time
	i := slices.IndexFunc(earlier, func(other Event) bool { return other.Name == e.Name })
	if i >= 0 && earlier[i].State == e.State && earlier[i].Sync == e.Sync {
		e.Since = earlier[i].Since
	}
	return e
}

func (b *Board) applyDiagnosis(e Event) {
	switch e.Type {
	case TypeRepair:
		if e.State == Done {
			b.Repairs = append(b.Repairs, e)
		}
	case TypeDecision:
		b.Question = nil
		if e.State == Asked {
			b.Question = &e
		}
	default:
		b.applyFinding(e)
	}
}

func (b *Board) applyFinding(e Event) {
	i := slices.IndexFunc(b.Findings, func(found Event) bool { return found.Name == e.Name })
	switch {
	case e.State != Present && i >= 0:
		b.Findings = slices.Delete(b.Findings, i, i+1)
	case e.State == Present && i >= 0:
		b.Findings[i] = e
	case e.State == Present:
		b.Findings = append(b.Findings, e)
	}
}

type nameIndex map[string]int

func (x *nameIndex) indexOf(name string, n int) int {
	if *x == nil {
		*x = nameIndex{}
	}
	i, known := (*x)[name]
	if !known {
		i = n
		(*x)[name] = i
	}
	return i
}

func putAt[T any](list []T, at int, thing T) []T {
	if at == len(list) {
		return append(list, thing)
	}
	list[at] = thing
	return list
}
