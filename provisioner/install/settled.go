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
	i.mu.Lock()
	told := i.seen["csr/"+request.Name]
	i.mu.Unlock()
	if told != "" && !strings.HasPrefix(told, state.Approved) {
		i.emitCSR(report, state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Approved, Reason: "by somebody else"})
	}
}
