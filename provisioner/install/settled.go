package install

import (
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// emitSettledCSR withdraws the action needed once another user has approved a skipped request.
func (i *Installation) emitSettledCSR(report provisioner.Report, request state.NodeRequest) {
	if request.State != state.RequestApproved && request.State != state.RequestIssued {
		return
	}
	if told := i.states.Get("csr/" + request.Name); told != "" && !strings.HasPrefix(told, state.Approved) {
		i.emitCSR(report, state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Approved, Reason: "by somebody else"})
	}
}
