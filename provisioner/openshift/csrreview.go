package openshift

import (
	"cmp"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
)

// requester is a node that asks for a kind of certificate.
type requester struct {
	node    string
	serving bool
	known   bool // its key is that of a first certificate which its machine was granted already
}

// reviewedRequest is what a pending request says, and why that alone or its node is reason enough to refuse it.
type reviewedRequest struct {
	request   nodeRequest
	requester requester
	refusal   error
}

// addRequests reads the pending requests once. Of the requests of a node for the same certificate only the latest counts: a
// kubelet that waits in vain asks again and forgets its earlier requests. Approving one of these would help nobody, and
// the next could then not be told from a forgery. Requests for a key that was granted already are apart, so that none for
// another key stands in their way.
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

// findNewest returns the name of the latest request whose signature is right, "" if none is. Signatures cost by far the
// most, so that they are verified last and only until one is right: ten thousand forgeries cost little more than their
// list.
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

// isPending tells whether nobody has decided about a request yet.
func isPending(csr *certificatesv1.CertificateSigningRequest) bool {
	return !hasDecision(csr, certificatesv1.CertificateApproved) && !hasDecision(csr, certificatesv1.CertificateDenied) &&
		!hasDecision(csr, certificatesv1.CertificateFailed)
}

func hasDecision(csr *certificatesv1.CertificateSigningRequest, decision certificatesv1.RequestConditionType) bool {
	return slices.ContainsFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == decision
	})
}
