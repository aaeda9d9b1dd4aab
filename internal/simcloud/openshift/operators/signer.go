package operators

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

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

// The signer of the certificate that the API servers show to kubelets. It is valid for a year, and replaced 73 days before its end by
// a cluster that runs then; one that was off beyond the end does not recover by itself.
const (
	signerNamespace    = "openshift-kube-apiserver-operator"
	signerName         = "kube-apiserver-to-kubelet-signer"
	signerNotAfter     = "auth.openshift.io/certificate-not-after"
	signerNotBefore    = "auth.openshift.io/certificate-not-before"
	signerLife         = 365 * 24 * time.Hour
	signerRenewedAhead = 73 * 24 * time.Hour
)

// kubeletSigner keeps that signer, as the operator of the API servers does.
type kubeletSigner struct{ *loop }

func (k kubeletSigner) sync(_ context.Context, seen clusterSnapshot) error {
	now := k.Clock.Now()
	end, known := k.readSignerEnd()
	if !seen.bootstrapped || known && (now.After(end) || end.Sub(now) > signerRenewedAhead) {
		return nil
	}
	annotations := kube.Object{signerNotBefore: now.UTC().Format(time.RFC3339), signerNotAfter: now.Add(signerLife).UTC().Format(time.RFC3339)}
	secret := kube.Object{"metadata": kube.Object{"name": signerName, "annotations": annotations}, "type": "kubernetes.io/tls",
		"data": kube.Object{"tls.crt": "", "tls.key": ""}}
	return k.Objects.Ensure(cluster.SecretResource, signerNamespace, secret, func(o kube.Object) error {
		for key, value := range annotations {
			o.Map("metadata.annotations")[key] = value
		}
		return nil
	})
}

func (k *loop) readSignerEnd() (end time.Time, known bool) {
	secret, _ := k.Objects.Get(cluster.SecretResource, signerNamespace, signerName)
	text, _ := secret.Map("metadata.annotations")[signerNotAfter].(string)
	end, err := time.Parse(time.RFC3339, text)
	return end, err == nil
}

// describeExpiredSigner returns why the API servers reach no kubelet, or "".
func (k *loop) describeExpiredSigner() string {
	end, known := k.readSignerEnd()
	if !known || !k.Clock.Now().After(end) {
		return ""
	}
	return fmt.Sprintf("x509: certificate has expired or is not yet valid: %s ended at %s", signerName, end.UTC().Format(time.RFC3339))
}
