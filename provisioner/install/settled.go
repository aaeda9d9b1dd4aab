package install

import (
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// tellSettled takes back that a request was left to the operator once somebody else has approved it.
func (i *Installation) tellSettled(report provisioner.Report, request state.NodeRequest) {
	if request.State != state.RequestApproved && request.State != state.RequestIssued {
		return
	}
	i.mu.Lock()
	left := strings.HasPrefix(i.seen["csr/"+request.Name], state.Left)
	i.mu.Unlock()
	if left {
		i.tellCSR(report, state.CSRDecision{Name: request.Name, Node: request.Node, Decision: state.Approved, Reason: "by somebody else"})
	}
}
