package nodes

import (
	"slices"
	"sync"

	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
)

// observer diagnoses what keeps nodes from being removed, and emits it. Several nodes are removed at the same time.
type observer struct {
	clock provisioner.Clock
	spec  state.Spec

	mu        sync.Mutex // nothing is emitted while it is held
	evaluator *diagnosis.Evaluator
	obstacles map[string]obstacles // by the node that is removed
	reported  map[string]string    // by rule: what was emitted
	question  question
}

// obstacles are what keeps one node from being removed now.
type obstacles struct {
	held    []diagnosis.HeldPod
	lagging []state.ClusterNode
	ceph    []string                 // what Ceph reports
	evicted *diagnosis.WrongEviction // nil: no pool has evicted another member than it was asked to
}

func (o obstacles) isEmpty() bool {
	return len(o.held)+len(o.lagging)+len(o.ceph) == 0 && o.evicted == nil
}

func newObserver(spec state.Spec, clock provisioner.Clock) *observer {
	return &observer{spec: spec, clock: clock, evaluator: diagnosis.NewOfNodes(), obstacles: map[string]obstacles{}, reported: map[string]string{}}
}

// observe replaces what is known of the node; without an obstacle, findings end at once.
func (o *observer) observe(report provisioner.Report, node string, seen obstacles) {
	for _, event := range o.evaluate(node, seen) {
		report(event)
	}
}

func (o *observer) evaluate(node string, seen obstacles) (events []provisioner.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.obstacles, node)
	if !seen.isEmpty() {
		o.obstacles[node] = seen
	}
	var findings []diagnosis.Finding
	if len(o.obstacles) == 0 {
		o.evaluator = diagnosis.NewOfNodes()
	} else {
		findings = o.evaluator.Evaluate(o.buildInput())
	}
	for _, finding := range findings {
		if content := finding.Cause + finding.Fix; o.reported[finding.Rule] != content {
			o.reported[finding.Rule] = content
			events = append(events, newFindingEvent(finding))
		}
	}
	for rule := range o.reported {
		if !slices.ContainsFunc(findings, func(f diagnosis.Finding) bool { return f.Rule == rule }) {
			delete(o.reported, rule)
			events = append(events, provisioner.Event{Type: provisioner.TypeDiagnosis, Name: rule, State: provisioner.Gone, Text: "it does not hold the nodes up any more"})
		}
	}
	return append(events, o.question.follow(findings, o.holdsPods())...)
}

func (o *observer) holdsPods() bool {
	for _, one := range o.obstacles {
		if len(one.held) > 0 {
			return true
		}
	}
	return false
}

func (o *observer) buildInput() diagnosis.Input {
	input := diagnosis.Input{Now: o.clock.Now(), Wall: o.clock.Now(), Spec: o.spec}
	known := map[string]bool{}
	for _, one := range o.obstacles {
		input.Held = append(input.Held, one.held...)
		input.Ceph = append(input.Ceph, one.ceph...)
		if one.evicted != nil {
			input.Evicted = append(input.Evicted, *one.evicted)
		}
		for _, node := range one.lagging {
			if !known[node.Name] {
				known[node.Name] = true
				input.Lagging = append(input.Lagging, node)
			}
		}
	}
	stable.Sort(input.Held, compareHeld)
	return input
}

func compareHeld(a, b diagnosis.HeldPod) int {
	return slices.Compare([]string{a.Node, a.ID()}, []string{b.Node, b.ID()})
}

func newFindingEvent(f diagnosis.Finding) provisioner.Event {
	return provisioner.Event{
		Type: provisioner.TypeDiagnosis, Name: f.Rule, State: provisioner.Present, Text: f.Cause, Hint: f.Fix, Evidence: f.Evidence,
		Confidence: f.Confidence, Since: &f.Since, Disposition: string(f.Disposition),
	}
}
