package operators

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// csrSigner signs the approved requests for certificates.
type csrSigner struct{ *cluster.Cluster }

func (k csrSigner) sync(_ context.Context, seen clusterSnapshot) error {
	var failures error
	for _, request := range k.Objects.List(cluster.CSRResource, "") {
		if request.Condition("Approved").GetString("status") != "True" || request.GetString("status.certificate") != "" {
			continue
		}
		issued, err := k.issueCertificate(request, seen.bootstrapped)
		if err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		_, err = k.Objects.Update(cluster.CSRResource, "", request.Name(), func(o kube.Object) error {
			o.Set("status.certificate", base64.StdEncoding.EncodeToString(issued))
			return nil
		})
		failures = errors.Join(failures, err)
	}
	return failures
}

func (k csrSigner) issueCertificate(request kube.Object, bootstrapped bool) ([]byte, error) {
	usages := map[string]x509.ExtKeyUsage{ClientSigner: x509.ExtKeyUsageClientAuth, ServingSigner: x509.ExtKeyUsageServerAuth}
	usage, ok := usages[request.GetString("spec.signerName")]
	if !ok {
		return nil, errors.New("no such signer: " + request.GetString("spec.signerName"))
	}
	content, err := base64.StdEncoding.DecodeString(request.GetString("spec.request"))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, err := k.GetSigner(bootstrapped)
	if err != nil {
		return nil, err
	}
	issued, err := cluster.IssueNodeCertificate(signer, parsed, usage)
	if err != nil {
		return nil, err
	}
	return certificate.EncodeCertificate(issued), nil
}

// Signers of kubelets' certificates.
const (
	ClientSigner  = "kubernetes.io/kube-apiserver-client-kubelet"
	ServingSigner = "kubernetes.io/kubelet-serving"
)
