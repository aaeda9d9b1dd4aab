package openshift

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"slices"
	"strings"

	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// nodeCache holds the nodes of decided requests: parsing a thousand requests again would be most of the work of a poll.
type nodeCache map[types.UID]string

// nodeSigners is the prefix of Kubernetes' own signers. Others, such as that of the pod network, have their own approvers.
const nodeSigners = "kubernetes.io/"

type approvable struct {
	csr    certificatesv1.CertificateSigningRequest
	newKey int  // which of its machine's keys beyond the first one it is for; 0: none
	again  bool // its key was granted a certificate before
}

// reviewRequests returns the nodes' requests for certificates and those that claim to be, sorted by creation, and those that may
// be approved.
func (m *history) reviewRequests(domain string, found snapshot) ([]state.NodeRequest, []approvable) {
	m.grants.recordApproved(found.requests)
	admission := newCSRReview(domain, found, m.grants)
	var told []state.NodeRequest
	var approved []approvable
	known := nodeCache{}
	for i := range found.requests {
		csr := &found.requests[i]
		if !strings.HasPrefix(csr.Spec.SignerName, nodeSigners) {
			continue
		}
		request := state.NodeRequest{
			Name: csr.Name, Serving: csr.Spec.SignerName == certificatesv1.KubeletServingSignerName,
			State: toRequestState(csr), Created: csr.CreationTimestamp.Time,
		}
		switch {
		case isPending(csr):
			node, refusal := admission.review(csr)
			var undecided tooManyKeysError
			if errors.As(refusal, &undecided) {
				request.Keys = undecided.keys
			}
			if request.Node = node; refusal != nil {
				request.BlockedReason = refusal.Error()
			} else {
				approved = append(approved, admission.toApprovable(csr))
			}
		case !request.Serving && csr.Spec.SignerName != certificatesv1.KubeAPIServerClientKubeletSignerName:
			continue // decided by others, about others
		default:
			request.Node = m.nodeCache.lookup(csr)
			known[csr.UID] = request.Node
		}
		told = append(told, request)
	}
	m.nodeCache = known
	slices.SortStableFunc(told, func(a, b state.NodeRequest) int {
		if order := a.Created.Compare(b.Created); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	return told, approved
}

func (a *csrReview) toApprovable(csr *certificatesv1.CertificateSigningRequest) approvable {
	who := a.reviewed[csr.Name].requester
	found := approvable{csr: *csr, again: who.known}
	if !who.serving && !who.known {
		found.newKey = a.countKeys(a.expected[who.node])
	}
	return found
}

func toRequestState(csr *certificatesv1.CertificateSigningRequest) string {
	switch {
	case hasDecision(csr, certificatesv1.CertificateDenied):
		return state.RequestDenied
	case hasDecision(csr, certificatesv1.CertificateFailed):
		return state.RequestFailed
	case len(csr.Status.Certificate) > 0:
		return state.RequestIssued
	case hasDecision(csr, certificatesv1.CertificateApproved):
		return state.RequestApproved
	}
	return state.RequestPending
}

func (a nodeCache) lookup(csr *certificatesv1.CertificateSigningRequest) string {
	if node, known := a[csr.UID]; known && csr.UID != "" {
		return node
	}
	return parseRequestNode(csr)
}

// parseRequestNode returns the node of a decided request, "" if unknown. It verifies nothing: the approver did.
func parseRequestNode(csr *certificatesv1.CertificateSigningRequest) string {
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
	node, err := parseNodeName(certificate)
	if err != nil {
		return ""
	}
	return node
}
