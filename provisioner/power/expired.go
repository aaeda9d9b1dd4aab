package power

import (
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/nodes"
)

// expiredCertificates emits that the certificates of nodes ended, which a start repairs by itself.
type expiredCertificates struct {
	evaluator *diagnosis.Evaluator
	found     string // the rule; "": nothing is found
}

func (e *expiredCertificates) emit(report provisioner.Report, seen diagnosis.Input) {
	findings := e.evaluator.Evaluate(seen)
	switch {
	case len(findings) > 0 && e.found == "":
		event := nodes.NewFindingEvent(findings[0])
		event.Disposition, event.Hint = string(diagnosis.Repair), "Nothing: this run approves them, by the rules of an installation."
		e.found = findings[0].Rule
		report(event)
	case len(findings) == 0 && e.found != "":
		report(provisioner.Event{Type: provisioner.TypeDiagnosis, Name: e.found, State: provisioner.Gone, Text: "no node waits for a certificate"})
		e.found = ""
	}
}
