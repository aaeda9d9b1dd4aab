package csr

import (
	"crypto/elliptic"
	"crypto/x509/pkix"
	"encoding/asn1"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type forgery struct {
	name    string
	from    func() application
	change  func(*application)
	refusal string
}

func forgeries() []forgery {
	return slices.Concat(forgedForms(), forgedKeys(), forgedUsages(), forgedExtensions(), forgedRequesters(), forgedSubjects(),
		forgedClients(), forgedServers(), forgedNodes(), forgedTimes())
}

func forgedForms() []forgery {
	return []forgery{
		{"not PEM", clientApplication, func(a *application) { a.block = "CERTIFICATE" }, "not a single PEM"},
		{"nothing", clientApplication, func(a *application) { a.rewrite = func(string) string { return "" } }, "not a single PEM"},
		{"something after the request", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string { return pem + "x" }
		}, "not a single PEM"},
		{"something before the request", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string { return "x\n" + pem }
		}, "not a single PEM"},
		{"an empty line after the request", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string { return pem + "\n" }
		}, "not a single PEM"},
		{"a space before the request", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string { return " " + pem }
		}, "not a single PEM"},
		{"lines of another length", servingApplication, func(a *application) {
			a.rewrite = func(pem string) string { return strings.Replace(pem, "-----\n", "-----\n\n", 1) }
		}, "not a single PEM"},
		{"two requests", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string { return pem + pem }
		}, "not a single PEM"},
		{"a header in the request", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string {
				return strings.Replace(pem, "-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n", 1)
			}
		}, "not a single PEM"},
		{"a request without end", clientApplication, func(a *application) {
			a.rewrite = func(pem string) string { return pem + strings.Repeat("\n", maxRequest) }
		}, "more than a node's request"},
		{"garbage in PEM", clientApplication, func(a *application) {
			a.tamper = func([]byte) []byte { return []byte("garbage") }
		}, "does not parse"},
		{"a request that is cut off", clientApplication, func(a *application) {
			a.tamper = func(der []byte) []byte { return der[:len(der)/2] }
		}, "does not parse"},
		{"a signature of another key", clientApplication, func(a *application) {
			a.tamper = func(der []byte) []byte { der[len(der)-1] ^= 1; return der }
		}, "signature"},
		{"a serving request signed by another key", servingApplication, func(a *application) {
			a.tamper = func(der []byte) []byte { der[len(der)-1] ^= 1; return der }
		}, "signature"},
		{"the signer of other clients", clientApplication, func(a *application) {
			a.csr.Spec.SignerName = "kubernetes.io/kube-apiserver-client"
		}, "is not for nodes"},
		{"no signer", clientApplication, func(a *application) { a.csr.Spec.SignerName = "" }, "is not for nodes"},
	}
}

func forgedKeys() []forgery {
	return []forgery{
		{"a weak elliptic key", clientApplication, func(a *application) { a.key = ellipticKey(elliptic.P224()) }, "key"},
		{"a weak RSA key", clientApplication, func(a *application) { a.key = rsaKey(1024) }, "key"},
	}
}

func forgedUsages() []forgery {
	return []forgery{
		{"usage of a server", clientApplication, func(a *application) {
			a.csr.Spec.Usages = []certificatesv1.KeyUsage{"digital signature", "server auth"}
		}, "usages"},
		{"usage of a client", servingApplication, func(a *application) {
			a.csr.Spec.Usages = []certificatesv1.KeyUsage{"digital signature", "client auth"}
		}, "usages"},
		{"one usage more", clientApplication, func(a *application) {
			a.csr.Spec.Usages = append(a.csr.Spec.Usages, "cert sign")
		}, "usages"},
		{"a usage twice", clientApplication, func(a *application) {
			a.csr.Spec.Usages = []certificatesv1.KeyUsage{"client auth", "client auth"}
		}, "usages"},
		{"a certificate of more than a year", clientApplication, func(a *application) {
			long := int32(maxLifetime/time.Second) + 1
			a.csr.Spec.ExpirationSeconds = &long
		}, "more than a year"},
		{"a serving certificate of more than a year", servingApplication, func(a *application) {
			long := int32(maxLifetime/time.Second) + 1
			a.csr.Spec.ExpirationSeconds = &long
		}, "more than a year"},
		{"no usage", servingApplication, func(a *application) { a.csr.Spec.Usages = nil }, "usages"},
	}
}

func forgedExtensions() []forgery {
	authority := pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Critical: true, Value: []byte{0x30, 3, 1, 1, 0xff}}
	return []forgery{
		{"an authority", clientApplication, func(a *application) { a.template.ExtraExtensions = []pkix.Extension{authority} }, "extension"},
		{"a serving authority", servingApplication, func(a *application) { a.template.ExtraExtensions = []pkix.Extension{authority} }, "extension"},
		{"a client with a name", clientApplication, func(a *application) { a.template.DNSNames = []string{"worker-0"} }, "extension"},
		{"a client with an address", clientApplication, func(a *application) {
			a.template.IPAddresses = []net.IP{net.ParseIP("198.51.100.10")}
		}, "extension"},
		{"a client with an e-mail address", clientApplication, func(a *application) {
			a.template.EmailAddresses = []string{"a@example.net"}
		}, "extension"},
		{"a client with an URI", clientApplication, func(a *application) {
			a.template.URIs = []*url.URL{{Scheme: "spiffe", Host: "x"}}
		}, "extension"},
	}
}

func forgedRequesters() []forgery {
	return []forgery{
		{"another user", clientApplication, func(a *application) { a.csr.Spec.Username = "system:admin" }, "created by"},
		{"a node asks for a client certificate", clientApplication, func(a *application) {
			a.csr.Spec.Username, a.csr.Spec.Groups = "system:node:worker-0", []string{"system:nodes", "system:authenticated"}
		}, "created by"},
		{"a service account of another namespace", clientApplication, func(a *application) {
			a.csr.Spec.Username = "system:serviceaccount:default:node-bootstrapper"
		}, "created by"},
		{"a group is missing", clientApplication, func(a *application) { a.csr.Spec.Groups = a.csr.Spec.Groups[:2] }, "groups"},
		{"no groups", clientApplication, func(a *application) { a.csr.Spec.Groups = nil }, "groups"},
		{"a group too many", clientApplication, func(a *application) {
			a.csr.Spec.Groups = append(a.csr.Spec.Groups, "system:masters")
		}, "groups"},
		{"another node asks for the serving certificate", servingApplication, func(a *application) {
			a.csr.Spec.Username = "system:node:worker-2"
		}, "created by"},
		{"the bootstrapper asks for a serving certificate", servingApplication, func(a *application) {
			a.csr.Spec.Username = bootstrapperUser
		}, "created by"},
		{"a serving requester in another group", servingApplication, func(a *application) {
			a.csr.Spec.Groups = []string{"system:nodes", "system:masters", "system:authenticated"}
		}, "groups"},
		{"a requester with an attribute", clientApplication, func(a *application) {
			a.csr.Spec.Extra = map[string]certificatesv1.ExtraValue{"example.net/pod\x1b": {"x"}}
		}, "extra attribute"},
		{"a serving requester with two credentials", servingApplication, func(a *application) {
			a.csr.Spec.Extra = map[string]certificatesv1.ExtraValue{"authentication.kubernetes.io/credential-id": {"x", "y"}}
		}, "extra attribute"},
		{"a requester that draws on the screen", clientApplication, func(a *application) { a.csr.Spec.Username = "\x1b[2J" }, "created by"},
	}
}

func forgedSubjects() []forgery {
	return []forgery{
		{"no node", clientApplication, func(a *application) { a.template.Subject.CommonName = "system:admin" }, "not a node"},
		{"an empty node", clientApplication, func(a *application) { a.template.Subject.CommonName = "system:node:" }, "not a node"},
		{"no subject", clientApplication, func(a *application) { a.template.Subject = pkix.Name{} }, "not a node"},
		{"control characters in the name", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-0\x1b[2J"
		}, "not a node"},
		{"a new line in the name", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-0\napproved"
		}, "not a node"},
		{"a node in capitals", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:WORKER-0"
		}, "not a node"},
		{"another organization", clientApplication, func(a *application) {
			a.template.Subject.Organization = []string{"system:masters"}
		}, "organization"},
		{"a second organization", clientApplication, func(a *application) {
			a.template.Subject.Organization = []string{"system:nodes", "system:masters"}
		}, "organization"},
		{"no organization", servingApplication, func(a *application) { a.template.Subject.Organization = nil }, "organization"},
		{"an organizational unit", clientApplication, func(a *application) {
			a.template.Subject.OrganizationalUnit = []string{"\u009b2J"}
		}, "more than"},
		{"a second name", clientApplication, func(a *application) {
			a.template.Subject.ExtraNames = []pkix.AttributeTypeAndValue{
				{Type: asn1.ObjectIdentifier{2, 5, 4, 3}, Value: "system:admin"}, {Type: asn1.ObjectIdentifier{2, 5, 4, 3}, Value: "system:node:worker-0"},
			}
		}, "more than"},
	}
}

func forgedClients() []forgery {
	return []forgery{
		{"a node that nobody made", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-9"
		}, "no such node"},
		{"a name that starts like a node's", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-0.example.net"
		}, "no such node"},
		{"a node without a name of its own", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:localhost.localdomain"
		}, "no such node"},
		{"a node that exists", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-1"
		}, "exists already"},
	}
}

func forgedServers() []forgery {
	return []forgery{
		{"the name of the API", servingApplication, func(a *application) {
			a.template.DNSNames = append(a.template.DNSNames, "api.c1.example.net")
		}, "not the node's"},
		{"the name of another node", servingApplication, func(a *application) { a.template.DNSNames = []string{"worker-0"} }, "not the node's"},
		{"the node's name in another domain", servingApplication, func(a *application) {
			a.template.DNSNames = []string{"worker-1.example.net"}
		}, "not the node's"},
		{"a wildcard", servingApplication, func(a *application) { a.template.DNSNames = []string{"*"} }, "not the node's"},
		{"the address of another node", servingApplication, func(a *application) {
			a.template.IPAddresses = append(a.template.IPAddresses, net.ParseIP("198.51.100.10"))
		}, "not its machine's"},
		{"the address that is every machine's", servingApplication, func(a *application) {
			a.template.IPAddresses = []net.IP{net.ParseIP("127.0.0.1")}
		}, "not its machine's"},
		{"an e-mail address", servingApplication, func(a *application) {
			a.template.EmailAddresses = []string{"a@example.net"}
		}, "neither a DNS name nor an address"},
		{"an URI", servingApplication, func(a *application) {
			a.template.URIs = []*url.URL{{Scheme: "spiffe", Host: "x"}}
		}, "neither a DNS name nor an address"},
		{"another name", servingApplication, func(a *application) {
			a.alternativeNames(otherName(), nil)
		}, "neither a DNS name nor an address"},
		{"a directory name", servingApplication, func(a *application) {
			a.alternativeNames(asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: []byte{0x30, 0}}, nil)
		}, "neither a DNS name nor an address"},
		{"a registered ID", servingApplication, func(a *application) {
			a.alternativeNames(asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 8, Bytes: []byte{0x2a, 3}}, nil)
		}, "neither a DNS name nor an address"},
		{"bytes behind the names", servingApplication, func(a *application) {
			a.alternativeNames(asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte("worker-1")}, []byte{5, 0})
		}, "follow its alternative names"},
		{"neither name nor address", servingApplication, func(a *application) {
			a.template.DNSNames, a.template.IPAddresses = nil, nil
		}, "no name or address"},
	}
}

func otherName() asn1.RawValue {
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: []byte{6, 3, 0x2a, 3, 4, 0xa0, 3, 0x0c, 1, 'x'}}
}

// alternativeNames makes the request contain the node's name, one more name, and trailing bytes.
func (a *application) alternativeNames(more asn1.RawValue, behind []byte) {
	names := []asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte("worker-1")}, more}
	value, _ := asn1.Marshal(names) // nothing is approved
	a.template.DNSNames, a.template.IPAddresses = nil, nil
	a.template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: append(value, behind...)}}
}

// forgedNodes are nodes that exist, but did not join as expected machines.
func forgedNodes() []forgery {
	return []forgery{
		{"a server that has not registered", servingApplication, func(a *application) { a.registered = nil }, "not registered"},
		{"a node that nobody let in", servingApplication, func(a *application) { a.letIn = nil }, "was not approved"},
		{"a node whose first certificate was refused by the signer", servingApplication, func(a *application) {
			a.letIn.Status.Conditions = append(a.letIn.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateFailed})
		}, "was not approved"},
		{"a node that a renewal is no proof of", servingApplication, func(a *application) {
			a.letIn.Spec.Username, a.letIn.Spec.Groups = "system:node:worker-1", []string{"system:nodes", "system:authenticated"}
		}, "was not approved"},
		{"a node that was let in for an earlier machine", servingApplication, func(a *application) {
			a.letIn.CreationTimestamp = metav1.NewTime(machinesCreated.Add(-time.Hour))
		}, "was not approved"},
		{"the node of an earlier machine", servingApplication, func(a *application) {
			a.registered[0].CreationTimestamp = metav1.NewTime(machinesCreated.Add(-time.Hour))
		}, "an earlier machine"},
		{"a node of a machine of unknown age", servingApplication, func(a *application) { a.expected[1].Created = time.Time{} }, "age"},
		{"a node somewhere else", servingApplication, func(a *application) {
			a.registered[0].Status.Addresses = append(a.registered[0].Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.0.0.9"})
		}, "10.0.0.9"},
		{"a node with an address that is none", servingApplication, func(a *application) {
			a.registered[0].Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeExternalIP, Address: "\x1b]0;"}}
		}, "not its machine's"},
	}
}

func forgedTimes() []forgery {
	return []forgery{
		{"before the machine", clientApplication, func(a *application) {
			a.csr.CreationTimestamp = metav1.NewTime(machinesCreated.Add(-time.Minute))
		}, "older than"},
		{"long after the machine", clientApplication, func(a *application) {
			a.csr.CreationTimestamp = metav1.NewTime(machinesCreated.Add(25 * time.Hour))
		}, "more than"},
		{"a machine of unknown age", clientApplication, func(a *application) { a.expected[0].Created = time.Time{} }, "age"},
		{"a machine that got a certificate just now", clientApplication, func(a *application) {
			a.letIn, a.now = a.approvedFirst("worker-0"), machinesCreated.Add(19*time.Minute)
		}, "another key of its machine"},
		{"a machine that got four certificates", clientApplication, func(a *application) { a.expected[0].NewKeys = state.NewKeys }, "4 keys of its machine"},
	}
}

func TestReview_RefusesForgeriesWithReason(t *testing.T) {
	for _, forgery := range forgeries() {
		t.Run(forgery.name, func(t *testing.T) {
			application := forgery.from()
			forgery.change(&application)
			csr := application.make(t)
			err := application.judge(*csr)
			if err == nil || !strings.Contains(err.Error(), forgery.refusal) {
				t.Fatalf("judged %v, want a refusal that speaks of %q", err, forgery.refusal)
			}
			if !isPending(csr) {
				t.Error("it is not left pending")
			}
			if strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("the reason %q contains control characters", err)
			}
		})
	}
}

// Each of the deviations is the only one: without it, the request is approved.
func TestReview_ApprovesForgeryTemplate(t *testing.T) {
	for name, from := range map[string]func() application{"client": clientApplication, "serving": servingApplication} {
		a := from()
		if err := a.judge(*a.make(t)); err != nil {
			t.Errorf("%s: refused: %v", name, err)
		}
	}
}

func TestReview_ForgeryDoesNotBlockNode(t *testing.T) {
	for _, forgery := range forgeries() {
		// A deviation in the node itself or in an earlier request prevents every approval.
		if forgery.from().csr.Spec.SignerName != clientApplication().csr.Spec.SignerName || strings.HasSuffix(forgery.refusal, "of its machine") || forgery.refusal == "age" {
			continue
		}
		forged, honest := forgery.from(), clientApplication()
		forgery.change(&forged)
		forged.csr.Name = "csr-forged"
		forged.csr.CreationTimestamp = metav1.NewTime(forged.csr.CreationTimestamp.Add(time.Minute))
		if err := honest.judge(*forged.make(t), *honest.make(t)); err != nil {
			t.Errorf("beside %s: %v", forgery.name, err)
		}
	}
}
