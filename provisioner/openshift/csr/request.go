package csr

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Requesters that the cluster-machine-approver requires.
const (
	nodePrefix       = "system:node:"
	nodesGroup       = "system:nodes"
	everybodyGroup   = "system:authenticated"
	bootstrapperUser = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
)

// nodeRequest is a well-formed request of a node for a certificate. Whether the node may have it is another question.
type nodeRequest struct {
	node        string
	serving     bool // for the kubelet's server; else for its client
	certificate *x509.CertificateRequest
}

func (r nodeRequest) publicKey() string { return string(r.certificate.RawSubjectPublicKeyInfo) }

// parseNodeRequest checks signer, requester, usages, subject, extensions and key, but not the signature. It returns the node's
// name, if known, for display also when the form is wrong.
func parseNodeRequest(csr *certificatesv1.CertificateSigningRequest) (nodeRequest, error) {
	request := nodeRequest{serving: csr.Spec.SignerName == certificatesv1.KubeletServingSignerName}
	if !request.serving && csr.Spec.SignerName != certificatesv1.KubeAPIServerClientKubeletSignerName {
		return request, fmt.Errorf("its signer %q is not for nodes", csr.Spec.SignerName)
	}
	var err error
	if request.certificate, err = parseCertificateRequest(csr.Spec.Request); err != nil {
		return request, err
	}
	if request.node, err = parseNodeName(request.certificate); err != nil {
		return request, err
	}
	for _, check := range []func(*certificatesv1.CertificateSigningRequest) error{
		request.checkSubject, request.checkRequester, request.checkExtra, request.checkUsages, request.checkLifetime,
		request.checkExtensions, request.checkKey,
	} {
		if err := check(csr); err != nil {
			return request, err
		}
	}
	return request, nil
}

// maxRequest is in bytes; a kubelet's request has less than 2,000.
const maxRequest = 8 << 10

// parseCertificateRequest accepts exactly one PEM block, as kubelets encode it: not a byte around it or different.
func parseCertificateRequest(content []byte) (*x509.CertificateRequest, error) {
	if len(content) > maxRequest {
		return nil, fmt.Errorf("it has %d bytes, more than a node's request", len(content))
	}
	block, _ := pem.Decode(content)
	if block == nil || block.Type != "CERTIFICATE REQUEST" || len(block.Headers) > 0 || !bytes.Equal(content, pem.EncodeToMemory(block)) {
		return nil, errors.New("it is not a single PEM certificate request")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("it does not parse: %q", err.Error())
	}
	return request, nil
}

func (r nodeRequest) checkSignature() error {
	if err := r.certificate.CheckSignature(); err != nil {
		return fmt.Errorf("its signature is wrong: %q", err.Error())
	}
	return nil
}

// checkKey refuses weak keys and those so large that verifying their signature is expensive. Kubelets use ECDSA keys of 256 bits.
func (r nodeRequest) checkKey(*certificatesv1.CertificateSigningRequest) error {
	switch key := r.certificate.PublicKey.(type) {
	case *ecdsa.PublicKey:
		if key.Curve.Params().BitSize >= 256 {
			return nil
		}
	case *rsa.PublicKey:
		if size := key.N.BitLen(); size >= 2048 && size <= 4096 {
			return nil
		}
	case ed25519.PublicKey:
		return nil
	}
	return errors.New("its key type is not used by nodes")
}

// parseNodeName returns the name in CN=system:node:<name>. It is displayed, so it must be a valid name.
func parseNodeName(certificate *x509.CertificateRequest) (string, error) {
	subject := certificate.Subject.CommonName
	node, found := strings.CutPrefix(subject, nodePrefix)
	if !found || len(validation.IsDNS1123Subdomain(node)) > 0 {
		return "", fmt.Errorf("its subject %q is not a node", subject)
	}
	return node, nil
}

// checkSubject requires O=system:nodes beside the name, and nothing else.
func (r nodeRequest) checkSubject(*certificatesv1.CertificateSigningRequest) error {
	subject := r.certificate.Subject
	switch {
	case !slices.Equal(subject.Organization, []string{nodesGroup}):
		return fmt.Errorf("its organization is %q, not %q", subject.Organization, nodesGroup)
	case len(subject.Names) != 2:
		return fmt.Errorf("its subject %q has more than a name and an organization", subject)
	}
	return nil
}

// checkRequester requires the bootstrapper for a first certificate, the node itself for a serving certificate.
func (r nodeRequest) checkRequester(csr *certificatesv1.CertificateSigningRequest) error {
	user, groups := bootstrapperUser, []string{
		"system:serviceaccounts:openshift-machine-config-operator", "system:serviceaccounts", everybodyGroup,
	}
	if r.serving {
		user, groups = nodePrefix+r.node, []string{nodesGroup, everybodyGroup}
	}
	if csr.Spec.Username != user {
		return fmt.Errorf("it was created by %q, not by %q", csr.Spec.Username, user)
	}
	if !equalSets(csr.Spec.Groups, groups) {
		return fmt.Errorf("its requester is in the groups %q, not %q", csr.Spec.Groups, groups)
	}
	return nil
}

// checkExtra allows only the ID of the requester's credential, which API servers add from Kubernetes 1.32 on.
func (r nodeRequest) checkExtra(csr *certificatesv1.CertificateSigningRequest) error {
	const credential = "authentication.kubernetes.io/credential-id"
	for key, values := range csr.Spec.Extra {
		if key != credential || len(values) != 1 {
			return fmt.Errorf("its requester has the extra attribute %q", key)
		}
	}
	return nil
}

// checkUsages requires digital signature and the one purpose; older kubelets add key encipherment.
func (r nodeRequest) checkUsages(csr *certificatesv1.CertificateSigningRequest) error {
	purpose := certificatesv1.UsageClientAuth
	if r.serving {
		purpose = certificatesv1.UsageServerAuth
	}
	exact := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, purpose}
	older := append(slices.Clone(exact), certificatesv1.UsageKeyEncipherment)
	if !equalSets(csr.Spec.Usages, exact) && !equalSets(csr.Spec.Usages, older) {
		return fmt.Errorf("its usages are %q, not %q", csr.Spec.Usages, exact)
	}
	return nil
}

const maxLifetime = 365 * 24 * time.Hour

func (r nodeRequest) checkLifetime(csr *certificatesv1.CertificateSigningRequest) error {
	if seconds := csr.Spec.ExpirationSeconds; seconds != nil && time.Duration(*seconds)*time.Second > maxLifetime {
		return fmt.Errorf("it requests a validity of %d seconds, more than a year", *seconds)
	}
	return nil
}

// checkExtensions allows only the alternative names of a serving certificate, and of these only DNS names and addresses.
func (r nodeRequest) checkExtensions(*certificatesv1.CertificateSigningRequest) error {
	alternativeNames := asn1.ObjectIdentifier{2, 5, 29, 17}
	for _, extension := range r.certificate.Extensions {
		if !r.serving || !extension.Id.Equal(alternativeNames) {
			return fmt.Errorf("it requests the extension %v", extension.Id)
		}
		if err := checkAlternativeNames(extension.Value); err != nil {
			return err
		}
	}
	if r.serving && len(r.certificate.DNSNames)+len(r.certificate.IPAddresses) == 0 {
		return errors.New("it requests no name or address")
	}
	return nil
}

// checkAlternativeNames parses the names itself: crypto/x509 skips names of unknown types and trailing data, while a signer may
// copy all of it.
func checkAlternativeNames(extension []byte) error {
	const dnsName, address = 2, 7 // RFC 5280, GeneralName
	var names []asn1.RawValue
	rest, err := asn1.Unmarshal(extension, &names)
	switch {
	case err != nil:
		return fmt.Errorf("its alternative names do not parse: %q", err.Error())
	case len(rest) > 0:
		return fmt.Errorf("%d bytes follow its alternative names", len(rest))
	}
	for _, name := range names {
		if name.Class != asn1.ClassContextSpecific || name.IsCompound || name.Tag != dnsName && name.Tag != address {
			return fmt.Errorf("it requests an alternative name of type %d, neither a DNS name nor an address", name.Tag)
		}
	}
	return nil
}

// equalSets requires each element once, in any order.
func equalSets[T ~string](got, want []T) bool {
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}

// quoteName makes the name of a request safe for display: the API accepts nearly everything as one.
func quoteName(name string) string {
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return strconv.Quote(name)
	}
	return name
}
