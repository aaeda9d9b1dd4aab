package nodes

import (
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
)

// FindingEvents emits what a run finds, once, and once more when it is over.
type FindingEvents struct {
	Evaluator *diagnosis.Evaluator
	Adapt     func(*provisioner.Event) // changes the event of a finding; nil: nothing does
	Over      string                   // the text of the event that it is over
	reported  map[string]bool          // by rule
}

// Emit evaluates what is known now.
func (f *FindingEvents) Emit(report provisioner.Report, seen diagnosis.Input) {
	found := map[string]bool{}
	for _, finding := range f.Evaluator.Evaluate(seen) {
		found[finding.Rule] = true
		if f.reported[finding.Rule] {
			continue
		}
		event := newFindingEvent(finding)
		if f.Adapt != nil {
			f.Adapt(&event)
		}
		report(event)
	}
	for rule := range f.reported {
		if !found[rule] {
			report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: rule, State: provisioner.Gone, Text: f.Over})
		}
	}
	f.reported = found
}
