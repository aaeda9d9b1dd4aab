package openshift

import (
	"cmp"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
)

// applicant is a node that asks for a kind of certificate.
type applicant struct {
	node    string
	serving bool
	known   bool // its key is that of a first certificate which its machine was granted already
}

// form is what a pending request says, and why that alone or its node is reason enough to refuse it.
type form struct {
	request nodeRequest
	who     applicant
	refusal error
}

// survey reads the pending requests once. Of the requests of a node for the same certificate only the latest counts: a
// kubelet that waits in vain asks again and forgets its earlier requests. Approving one of these would help nobody, and
// the next could then not be told from a forgery. Requests for a key that was granted already are apart, so that none for
// another key stands in their way.
func (a *admission) survey(all []certificatesv1.CertificateSigningRequest) {
	rivals := map[applicant][]*certificatesv1.CertificateSigningRequest{}
	for i := range all {
		csr := &all[i]
		if !pending(csr) {
			continue
		}
		request, err := parseNodeRequest(csr)
		who := applicant{request.node, request.serving, false}
		if err == nil {
			who.known = !request.serving && a.knows(request)
			err = a.entitle(csr, request, who)
		}
		a.forms[csr.Name] = form{request, who, err}
		if err == nil {
			rivals[who] = append(rivals[who], csr)
		}
	}
	for who, waiting := range rivals {
		if a.waiting[who] = len(waiting); len(waiting) <= flood {
			a.latest[who] = a.newest(waiting)
		}
	}
}

// newest returns the name of the latest request whose signature is right, "" if none is. Signatures cost by far the
// most, so that they are verified last and only until one is right: ten thousand forgeries cost little more than their
// list.
func (a *admission) newest(rivals []*certificatesv1.CertificateSigningRequest) string {
	slices.SortFunc(rivals, func(x, y *certificatesv1.CertificateSigningRequest) int {
		return cmp.Or(y.CreationTimestamp.Compare(x.CreationTimestamp.Time), strings.Compare(y.Name, x.Name))
	})
	for _, csr := range rivals {
		found := a.forms[csr.Name]
		if found.refusal = found.request.checkSignature(); found.refusal == nil {
			return csr.Name
		}
		a.forms[csr.Name] = found
	}
	return ""
}

// pending tells whether nobody has decided about a request yet.
func pending(csr *certificatesv1.CertificateSigningRequest) bool {
	return !decided(csr, certificatesv1.CertificateApproved) && !decided(csr, certificatesv1.CertificateDenied) &&
		!decided(csr, certificatesv1.CertificateFailed)
}

func decided(csr *certificatesv1.CertificateSigningRequest, decision certificatesv1.RequestConditionType) bool {
	return slices.ContainsFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
		return c.Type == decision
	})
}
