package csr

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"sync"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
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

// Reviewer reviews the nodes' requests of one poll after the other, and remembers what was granted.
type Reviewer struct {
	mu         sync.Mutex
	api        *kubeapi.Client // whose requests were reviewed
	nodeCache  nodeCache
	grants     grants
	approvable []approvable // of the last review
}

// Review returns the nodes' requests for certificates and those that claim to be, sorted by creation. Those that may be approved
// are kept for the Approver.
func (r *Reviewer) Review(api *kubeapi.Client, found Evidence) []state.NodeRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.api != api {
		r.api, r.nodeCache, r.grants = api, nil, grants{}
	}
	r.grants.recordApproved(found.Requests)
	current := newReview(api.Domain(), found, r.grants)
	var requests []state.NodeRequest
	var approved []approvable
	known := nodeCache{}
	for i := range found.Requests {
		csr := &found.Requests[i]
		if !strings.HasPrefix(csr.Spec.SignerName, nodeSigners) {
			continue
		}
		request := state.NodeRequest{
			Name: csr.Name, Serving: csr.Spec.SignerName == certificatesv1.KubeletServingSignerName,
			State: toRequestState(csr), Created: csr.CreationTimestamp.Time,
		}
		switch {
		case isPending(csr):
			node, refusal := current.decide(csr)
			var undecided tooManyKeysError
			if errors.As(refusal, &undecided) {
				request.Keys = undecided.keys
			}
			if request.Node = node; refusal != nil {
				request.BlockedReason = refusal.Error()
			} else {
				approved = append(approved, current.toApprovable(csr))
			}
		case !request.Serving && csr.Spec.SignerName != certificatesv1.KubeAPIServerClientKubeletSignerName:
			continue // decided by others, about others
		default:
			request.Node = r.nodeCache.lookup(csr)
			known[csr.UID] = request.Node
		}
		requests = append(requests, request)
	}
	r.nodeCache, r.approvable = known, approved
	stable.Sort(requests, func(a, b state.NodeRequest) int {
		if order := a.Created.Compare(b.Created); order != 0 {
			return order
		}
		return strings.Compare(a.Name, b.Name)
	})
	return requests
}

// takeApprovable returns what the last review allows, once, and nothing of another cluster.
func (r *Reviewer) takeApprovable(api *kubeapi.Client) []approvable {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.api != api {
		return nil
	}
	wanted := r.approvable
	r.approvable = nil
	return wanted
}

func (r *review) toApprovable(csr *certificatesv1.CertificateSigningRequest) approvable {
	who := r.reviewed[csr.Name].requester
	found := approvable{csr: *csr, again: who.known}
	if !who.serving && !who.known {
		found.newKey = r.countKeys(r.expected[who.node])
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
