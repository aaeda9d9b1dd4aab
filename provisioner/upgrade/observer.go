package upgrade

import (
	"fmt"
	"slices"

	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
	"exoshift/state/upgrade"
)

// observer has the rulebook evaluate what keeps an update.
type observer struct {
	spec      state.Spec
	clock     provisioner.Clock
	evaluator *diagnosis.Evaluator
	reported  map[string]string // by rule: what was emitted
}

func newObserver(spec state.Spec, clock provisioner.Clock) observer {
	return observer{spec: spec, clock: clock, evaluator: diagnosis.NewOfUpgrade(), reported: map[string]string{}}
}

func (o *observer) observe(report provisioner.Report, status upgrade.Status, to string) {
	input := diagnosis.Input{Now: o.clock.Now(), Wall: o.clock.Now(), Spec: o.spec}
	for _, operator := range status.Operators {
		if operator.Version != to && operator.Degraded {
			input.StuckOperators = append(input.StuckOperators, diagnosis.StuckOperator{Name: operator.Name, Message: operator.Message, Since: operator.Since})
		}
	}
	for _, pool := range status.Pools {
		if pool.Degraded {
			input.DegradedPools = append(input.DegradedPools, fmt.Sprintf("the machine config pool %s: %s", pool.Name, pool.Message))
		}
	}
	for _, node := range status.Nodes {
		if node.State == "Degraded" {
			input.DegradedNodes = append(input.DegradedNodes, node.Name)
		}
	}
	findings := o.evaluator.Evaluate(input)
	for _, finding := range findings {
		if content := finding.Cause + finding.Fix; o.reported[finding.Rule] != content {
			o.reported[finding.Rule] = content
			report(provisioner.Event{
				Type: provisioner.TypeDiagnosis, Name: finding.Rule, State: provisioner.Present, Text: finding.Cause, Hint: finding.Fix, Evidence: finding.Evidence,
				Confidence: finding.Confidence, Since: &finding.Since, Disposition: string(finding.Disposition),
			})
		}
	}
	for rule := range o.reported {
		if !slices.ContainsFunc(findings, func(f diagnosis.Finding) bool { return f.Rule == rule }) {
			delete(o.reported, rule)
			report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: rule, State: provisioner.Gone, Text: "it does not hold the update up any more"})
		}
	}
}
