package openshift

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"

	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// askers are the nodes that decided requests are for: to read a thousand requests anew in each look is most of its work.
type askers map[types.UID]string

// nodeSigners is how the names of Kubernetes' own signers begin. Others, such as that of the pod network, have approvers
// of their own.
const nodeSigners = "kubernetes.io/"

// judgeRequests returns the nodes' requests for certificates and what claims to be one, sorted by creation, and those
// that may be approved.
func (m *memory) judgeRequests(domain string, found evidence) ([]state.NodeRequest, []certificatesv1.CertificateSigningRequest) {
	admission := newAdmission(domain, found.expected, found.nodes, found.requests)
	var told []state.NodeRequest
	var approvable []certificatesv1.CertificateSigningRequest
	known := askers{}
	for i := range found.requests {
		csr := &found.requests[i]
		if !strings.HasPrefix(csr.Spec.SignerName, nodeSigners) {
			continue
		}
		request := state.NodeRequest{
			Name: csr.Name, Serving: csr.Spec.SignerName == certificatesv1.KubeletServingSignerName,
			State: requestState(csr), Created: csr.CreationTimestamp.Time,
		}
		switch {
		case pending(csr):
			node, refusal := admission.judge(csr)
			if request.Node = node; refusal != nil {
				request.Refusal = refusal.Error()
			} else {
				approvable = append(approvable, *csr)
			}
		case !request.Serving && csr.Spec.SignerName != certificatesv1.KubeAPIServerClientKubeletSignerName:
			continue // decided by others, about others
		default:
			request.Node = m.askers.node(csr)
			known[csr.UID] = request.Node
		}
		told = append(told, request)
	}
	m.askers = known
	slices.SortStableFunc(told, func(a, b state.NodeRequest) int {
		if order := a.Created.Compare(b.Created); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	return told, approvable
}

func requestState(csr *certificatesv1.CertificateSigningRequest) string {
	switch {
	case decided(csr, certificatesv1.CertificateDenied):
		return state.RequestDenied
	case decided(csr, certificatesv1.CertificateFailed):
		return state.RequestFailed
	case len(csr.Status.Certificate) > 0:
		return state.RequestIssued
	case decided(csr, certificatesv1.CertificateApproved):
		return state.RequestApproved
	}
	return state.RequestPending
}

func (a askers) node(csr *certificatesv1.CertificateSigningRequest) string {
	if node, known := a[csr.UID]; known && csr.UID != "" {
		return node
	}
	return nodeAsking(csr)
}

// nodeAsking returns the node that a request was decided for, "" if it cannot be told. Whoever decided has verified it:
// it is only read here.
func nodeAsking(csr *certificatesv1.CertificateSigningRequest) string {
	if node, itself := strings.CutPrefix(csr.Spec.Username, nodePrefix); itself && len(validation.IsDNS1123Subdomain(node)) == 0 {
		return node
	}
	block, _ := pem.Decode(csr.Spec.Request)
	if block == nil {
		return ""
	}
	certificate, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return ""
	}
	node, err := nodeNameIn(certificate)
	if err != nil {
		return ""
	}
	return node
}
