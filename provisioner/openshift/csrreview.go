package openshift

import (
	"cmp"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
)

type requester struct {
	node    string
	serving bool
	known   bool // its machine was already granted a first certificate for the same key
}

// reviewedRequest is a pending request with the reason to refuse it that the request alone or its node gives, if any.
type reviewedRequest struct {
	request   nodeRequest
	requester requester
	refusal   error
}

// addRequests parses each pending request once. Of a node's requests for the same certificate only the latest counts: a waiting
// kubelet repeats its request and forgets the earlier ones. Approving one of these would be useless, and the next could not be
// distinguished from a forgery. Requests for a key that was already granted are grouped separately, so that requests for other
// keys cannot block them.
func (a *csrReview) addRequests(all []certificatesv1.CertificateSigningRequest) {
	rivals := map[requester][]*certificatesv1.CertificateSigningRequest{}
	for i := range all {
		csr := &all[i]
		if !isPending(csr) {
			continue
		}
		request, err := parseNodeRequest(csr)
		who := requester{request.node, request.serving, false}
		if err == nil {
			who.known = !request.serving && a.hasKey(request)
			err = a.authorize(csr, request, who)
		}
		a.reviewed[csr.Name] = reviewedRequest{request, who, err}
		if err == nil {
			rivals[who] = append(rivals[who], csr)
		}
	}
	for who, waiting := range rivals {
		if a.waiting[who] = len(waiting); len(waiting) <= maxPendingPerNode {
			a.latest[who] = a.findNewest(waiting)
		}
	}
}

// findNewest returns the name of the latest request with a valid signature, "" if there is none. Verifying signatures is by far
// the most expensive check, so it comes last and stops at the first valid one: ten thousand forgeries cost little more than
// listing them.
func (a *csrReview) findNewest(rivals []*certificatesv1.CertificateSigningRequest) string {
	slices.SortFunc(rivals, func(x, y *certificatesv1.CertificateSigningRequest) int {
		return cmp.Or(y.CreationTimestamp.Compare(x.CreationTimestamp.Time), strings.Compare(y.Name, x.Name))
	})
	for _, csr := range rivals {
		found := a.reviewed[csr.Name]
		if found.refusal = found.request.checkSignature(); found.refusal == nil {
			return csr.Name
		}
		a.reviewed[csr.Name] = found
	}
	return ""
}

func isPending(csr *certificatesv1.CertificateSigningRequest) bool {
	return !hasDecision(csr, certificatesv1.CertificateApproved) && !hasDecision(csr, certificatesv1.CertificateDenied) &&
		!hasDecision(csr, certificatesv1.CertificateFailed)
}

func hasDecision(csr *certificatesv1.CertificateSigningRequest, decision certificatesv1.RequestConditionType) bool {
	return slices.ContainsFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == decision
	})
}
