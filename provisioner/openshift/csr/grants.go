package csr

import (
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/types"
)

type grant struct {
	node     string
	key      string // public, as DER
	created  time.Time
	approved time.Time
}

// grantID includes the UID: a name may be reused once its request was deleted.
type grantID struct {
	name string
	uid  types.UID
}

// grants are those of all polls: Kubernetes deletes a request an hour after its certificate was issued.
type grants map[grantID]grant

// recordApproved adds all approved requests. The approver has verified the signature, or trusted the requester without it; a
// request that the signer refused gave nobody access.
func (g grants) recordApproved(all []certificatesv1.CertificateSigningRequest) {
	for i := range all {
		csr := &all[i]
		id := grantID{csr.Name, csr.UID}
		if hasDecision(csr, certificatesv1.CertificateFailed) {
			delete(g, id)
			continue
		}
		if _, known := g[id]; known || !hasDecision(csr, certificatesv1.CertificateApproved) || csr.Spec.Username != bootstrapperUser ||
			csr.Spec.SignerName != certificatesv1.KubeAPIServerClientKubeletSignerName {
			continue
		}
		if request, err := parseNodeRequest(csr); err == nil {
			g[id] = grant{request.node, request.publicKey(), csr.CreationTimestamp.Time, getApprovalTime(csr)}
		}
	}
}

func getApprovalTime(csr *certificatesv1.CertificateSigningRequest) time.Time {
	at := csr.CreationTimestamp.Time
	for _, condition := range csr.Status.Conditions {
		if condition.Type == certificatesv1.CertificateApproved && condition.LastUpdateTime.After(at) {
			at = condition.LastUpdateTime.Time
		}
	}
	return at
}
