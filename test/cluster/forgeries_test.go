package cluster

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// forged is a request that deviates in one thing from what a node may ask for, and what becomes of it: it is filed and
// left for a reason, or the API server refuses to take it.
type forged struct {
	name    string
	by      string // who files it: bootstrapper, node, or somebody else
	change  func(*application)
	left    string // a part of the reason for which it is left
	refused string // a part of the API server's own refusal
}

// application is what a request is made of.
type application struct {
	template x509.CertificateRequest
	key      crypto.Signer
	spec     certificatesv1.CertificateSigningRequestSpec
	tamper   func(der []byte) []byte
	rewrite  func(text string) string
}

// Who files requests.
const (
	bootstrapper = "bootstrapper" // the service account that every machine has the token of
	node         = "node"         // worker-1, which has registered
	admin        = "admin"
	imitator     = "imitator" // a user with the bootstrapper's name, and more groups than it has
	relative     = "relative" // a service account of that name in another namespace
)

// firstRequest is what worker-0 asks for, and servingRequest what worker-1 does.
func firstRequest(t *testing.T) application {
	t.Helper()
	return application{
		key:      ellipticKey(t, elliptic.P256()),
		template: x509.CertificateRequest{Subject: nodeSubject("worker-0")},
		spec: certificatesv1.CertificateSigningRequestSpec{
			SignerName: certificatesv1.KubeAPIServerClientKubeletSignerName, Usages: usages(certificatesv1.UsageClientAuth),
		},
	}
}

func servingRequest(t *testing.T) application {
	t.Helper()
	return application{
		key: ellipticKey(t, elliptic.P256()),
		template: x509.CertificateRequest{
			Subject: nodeSubject("worker-1"), DNSNames: []string{"worker-1"}, IPAddresses: []net.IP{net.IPv4(198, 51, 100, 21)},
		},
		spec: certificatesv1.CertificateSigningRequestSpec{
			SignerName: certificatesv1.KubeletServingSignerName, Usages: usages(certificatesv1.UsageServerAuth),
		},
	}
}

func nodeSubject(name string) pkix.Name {
	return pkix.Name{CommonName: "system:node:" + name, Organization: []string{"system:nodes"}}
}

func usages(purpose certificatesv1.KeyUsage) []certificatesv1.KeyUsage {
	return []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, purpose}
}

func ellipticKey(t *testing.T, curve elliptic.Curve) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	must(t, err)
	return key
}

func (a application) make(t *testing.T) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &a.template, a.key)
	must(t, err)
	if a.tamper != nil {
		der = a.tamper(der)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	if a.rewrite != nil {
		text = a.rewrite(text)
	}
	a.spec.Request = []byte(text)
	return &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{GenerateName: "csr-"}, Spec: a.spec}
}

func forgedRequests(t *testing.T) []forged {
	t.Helper()
	return slices.Concat(forgedForms(t), forgedSubjects(), forgedPurposes(), forgedAskers(), forgedNames())
}

func forgedForms(t *testing.T) []forged {
	t.Helper()
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	must(t, err)
	return []forged{
		{"something after the request", bootstrapper, func(a *application) {
			a.rewrite = func(text string) string { return text + "x" }
		}, "not a single PEM", ""},
		{"something before the request", bootstrapper, func(a *application) {
			a.rewrite = func(text string) string { return "x\n" + text }
		}, "not a single PEM", ""},
		{"an empty line after the request", bootstrapper, func(a *application) {
			a.rewrite = func(text string) string { return text + "\n" }
		}, "not a single PEM", ""},
		{"two requests", bootstrapper, func(a *application) {
			a.rewrite = func(text string) string { return text + text }
		}, "not a single PEM", ""},
		{"another block", bootstrapper, func(a *application) {
			a.rewrite = func(text string) string { return strings.ReplaceAll(text, "CERTIFICATE REQUEST", "CERTIFICATE") }
		}, "", "PEM block type"},
		{"garbage in PEM", bootstrapper, func(a *application) {
			a.tamper = func([]byte) []byte { return []byte("garbage") }
		}, "", "spec.request"},
		{"a signature of another key", bootstrapper, func(a *application) {
			a.tamper = func(der []byte) []byte { der[len(der)-1] ^= 1; return der }
		}, "", "verification failure"},
		{"a weak RSA key", bootstrapper, func(a *application) { a.key = weak }, "key", ""},
		{"a weak elliptic key", bootstrapper, func(a *application) { a.key = ellipticKey(t, elliptic.P224()) }, "key", ""},
		{"an authority", bootstrapper, func(a *application) {
			a.template.ExtraExtensions = []pkix.Extension{{
				Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Critical: true, Value: []byte{0x30, 3, 1, 1, 0xff},
			}}
		}, "extension", ""},
	}
}

func forgedSubjects() []forged {
	called := func(name string) func(*application) {
		return func(a *application) { a.template.Subject.CommonName = name }
	}
	return []forged{
		{"no node", bootstrapper, called("system:admin"), "not a node", ""},
		{"an empty node", bootstrapper, called("system:node:"), "not a node", ""},
		{"no subject", bootstrapper, func(a *application) { a.template.Subject = pkix.Name{} }, "not a node", ""},
		{"a node in capitals", bootstrapper, called("system:node:WORKER-0"), "not a node", ""},
		{"control characters in the name", bootstrapper, called("system:node:worker-0\x1b[2J"), "not a node", ""},
		{"a node that nobody made", bootstrapper, called("system:node:worker-9"), "no such node", ""},
		{"a node without a name of its own", bootstrapper, called("system:node:localhost.localdomain"), "no such node", ""},
		{"a node that exists", bootstrapper, called("system:node:worker-1"), "exists already", ""},
		{"administrators", bootstrapper, func(a *application) {
			a.template.Subject.Organization = []string{"system:masters"}
		}, "organization", ""},
		{"administrators beside nodes", bootstrapper, func(a *application) {
			a.template.Subject.Organization = []string{"system:nodes", "system:masters"}
		}, "organization", ""},
		{"an organizational unit", bootstrapper, func(a *application) {
			a.template.Subject.OrganizationalUnit = []string{"x"}
		}, "more than", ""},
	}
}

func forgedPurposes() []forged {
	used := func(list ...certificatesv1.KeyUsage) func(*application) {
		return func(a *application) { a.spec.Usages = list }
	}
	return []forged{
		{"usage of a server", bootstrapper, used("digital signature", "server auth"), "usages", ""},
		{"usage of a client", node, used("digital signature", "client auth"), "usages", ""},
		{"one usage more", bootstrapper, used("digital signature", "client auth", "cert sign"), "usages", ""},
		{"a usage twice", bootstrapper, used("client auth", "client auth"), "", "spec.usages"},
		{"no usage", bootstrapper, used(), "", "spec.usages"},
		{"the signer of other clients", bootstrapper, func(a *application) {
			a.spec.SignerName = certificatesv1.KubeAPIServerClientSignerName
		}, "is not for nodes", ""},
		{"administrators of the signer of other clients", bootstrapper, func(a *application) {
			a.spec.SignerName = certificatesv1.KubeAPIServerClientSignerName
			a.template.Subject.Organization = []string{"system:masters"}
		}, "", "system:masters"},
		{"a certificate of more than a year", bootstrapper, func(a *application) {
			long := int32(366 * 24 * 60 * 60)
			a.spec.ExpirationSeconds = &long
		}, "more than a year", ""},
		{"no signer", bootstrapper, func(a *application) { a.spec.SignerName = "" }, "", "spec.signerName"},
	}
}

func forgedAskers() []forged {
	keep := func(*application) {}
	serve := func(a *application) {
		a.spec.SignerName, a.spec.Usages = certificatesv1.KubeletServingSignerName, usages(certificatesv1.UsageServerAuth)
		a.template.DNSNames = []string{"worker-0"}
	}
	return []forged{
		{"an administrator", admin, keep, "created by", ""},
		{"a service account of another namespace", relative, keep, "created by", ""},
		{"the bootstrapper with a group too many", imitator, keep, "groups", ""},
		{"who claims to be the bootstrapper", admin, func(a *application) {
			a.spec.Username = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
		}, "created by", ""},
		{"the bootstrapper asks to serve", bootstrapper, serve, "created by", ""},
		{"a node asks to serve as another", node, func(a *application) {
			a.template.Subject = nodeSubject("worker-0")
		}, "", "can only create a node CSR"},
		{"a node asks for another's first certificate", node, func(a *application) {
			a.template = x509.CertificateRequest{Subject: nodeSubject("worker-0")}
			a.spec.SignerName, a.spec.Usages = certificatesv1.KubeAPIServerClientKubeletSignerName, usages(certificatesv1.UsageClientAuth)
		}, "", "can only create a node CSR"},
	}
}

func forgedNames() []forged {
	return []forged{
		{"a client with a name", bootstrapper, func(a *application) { a.template.DNSNames = []string{"worker-0"} }, "extension", ""},
		{"a client with an address", bootstrapper, func(a *application) {
			a.template.IPAddresses = []net.IP{net.IPv4(198, 51, 100, 20)}
		}, "extension", ""},
		{"the name of the API", node, func(a *application) { a.template.DNSNames = append(a.template.DNSNames, apiName) }, "not the node's", ""},
		{"the name of another node", node, func(a *application) { a.template.DNSNames = []string{"worker-0"} }, "not the node's", ""},
		{"a wildcard", node, func(a *application) { a.template.DNSNames = []string{"*"} }, "not the node's", ""},
		{"the address of another node", node, func(a *application) {
			a.template.IPAddresses = []net.IP{net.IPv4(198, 51, 100, 20)}
		}, "not its machine's", ""},
		{"an e-mail address", node, func(a *application) { a.template.EmailAddresses = []string{"a@example.net"} }, "neither a DNS name nor an address", ""},
		{"an URI", node, func(a *application) { a.template.URIs = []*url.URL{{Scheme: "spiffe", Host: "x"}} }, "neither a DNS name nor an address", ""},
		{"another name", node, alternativeNames(nil,
			asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: []byte{6, 3, 0x2a, 3, 4, 0xa0, 3, 0x0c, 1, 'x'}}),
			"neither a DNS name nor an address", ""},
		{"a directory name", node, alternativeNames(nil,
			asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: []byte{0x30, 0}}), "neither a DNS name nor an address", ""},
		{"a registered ID", node, alternativeNames(nil,
			asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 8, Bytes: []byte{0x2a, 3}}), "neither a DNS name nor an address", ""},
		{"bytes behind the names", node, alternativeNames([]byte{5, 0}), "follow its alternative names", ""},
		{"neither name nor address", node, func(a *application) {
			a.template.DNSNames, a.template.IPAddresses = nil, nil
		}, "no name or address", ""},
	}
}

// alternativeNames makes a request ask for the node's name and more, with bytes behind the names.
func alternativeNames(behind []byte, more ...asn1.RawValue) func(*application) {
	return func(a *application) {
		names := append([]asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte("worker-1")}}, more...)
		value, _ := asn1.Marshal(names) // nothing is approved
		a.template.DNSNames, a.template.IPAddresses = nil, nil
		a.template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: append(value, behind...)}}
	}
}
