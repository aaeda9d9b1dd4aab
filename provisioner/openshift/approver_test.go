package openshift

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var machinesCreated = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

// application is what a request is made of.
type application struct {
	template x509.CertificateRequest
	csr      certificatesv1.CertificateSigningRequest
	tamper   func(der []byte) []byte
	block    string // PEM type
	trailer  string
}

// clientApplication is the first request that worker-0's kubelet makes.
func clientApplication() application {
	return application{
		block:    "CERTIFICATE REQUEST",
		template: x509.CertificateRequest{Subject: pkix.Name{CommonName: "system:node:worker-0", Organization: []string{"system:nodes"}}},
		csr: certificatesv1.CertificateSigningRequest{
			ObjectMeta: metav1.ObjectMeta{Name: "csr-one", CreationTimestamp: metav1.NewTime(machinesCreated.Add(30 * time.Minute))},
			Spec: certificatesv1.CertificateSigningRequestSpec{
				SignerName: "kubernetes.io/kube-apiserver-client-kubelet",
				Username:   "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
				Groups: []string{
					"system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated",
				},
				Usages: []certificatesv1.KeyUsage{"digital signature", "client auth"},
			},
		},
	}
}

// servingApplication is what worker-1, which has registered, asks for next.
func servingApplication() application {
	a := clientApplication()
	a.template.Subject.CommonName = "system:node:worker-1"
	a.template.DNSNames = []string{"worker-1"}
	a.template.IPAddresses = []net.IP{net.ParseIP("198.51.100.11")}
	a.csr.Spec.SignerName = "kubernetes.io/kubelet-serving"
	a.csr.Spec.Username = "system:node:worker-1"
	a.csr.Spec.Groups = []string{"system:nodes", "system:authenticated"}
	a.csr.Spec.Usages = []certificatesv1.KeyUsage{"digital signature", "server auth"}
	return a
}

func (a application) make(t *testing.T) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &a.template, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.tamper != nil {
		der = a.tamper(der)
	}
	csr := a.csr.DeepCopy()
	csr.Spec.Request = append(pem.EncodeToMemory(&pem.Block{Type: a.block, Bytes: der}), a.trailer...)
	return csr
}

func workers() []state.ExpectedNode {
	var nodes []state.ExpectedNode
	for i := range 3 {
		nodes = append(nodes, state.ExpectedNode{
			Name: fmt.Sprintf("worker-%d", i), Role: state.RoleWorker, Created: machinesCreated,
			Addresses: []string{fmt.Sprintf("198.51.100.%d", 10+i), fmt.Sprintf("2001:db8::%d", i)},
		})
	}
	return nodes
}

// registered is the one node that is there already.
func registered() []corev1.Node {
	return []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}}
}

func judge(all ...certificatesv1.CertificateSigningRequest) error {
	a := newAdmission("c1.example.net", workers(), registered(), all)
	_, err := a.judge(&all[len(all)-1])
	return err
}

func TestRequestsOfExpectedNodesAreApproved(t *testing.T) {
	for name, change := range map[string]func() application{
		"client":  clientApplication,
		"serving": servingApplication,
		"client of an older kubelet": func() application {
			a := clientApplication()
			a.csr.Spec.Usages = append(a.csr.Spec.Usages, "key encipherment")
			return a
		},
		"serving with qualified name and all addresses": func() application {
			a := servingApplication()
			a.template.DNSNames = []string{"worker-1", "worker-1.c1.example.net"}
			a.template.IPAddresses = append(a.template.IPAddresses, net.ParseIP("2001:db8::1"))
			return a
		},
		"client whose clock is a little behind": func() application {
			a := clientApplication()
			a.csr.CreationTimestamp = metav1.NewTime(machinesCreated.Add(-5 * time.Second))
			return a
		},
		"client of a machine that waited long for its cluster": func() application {
			a := clientApplication()
			a.csr.CreationTimestamp = metav1.NewTime(machinesCreated.Add(20 * time.Hour))
			return a
		},
	} {
		if err := judge(*change().make(t)); err != nil {
			t.Errorf("%s: refused: %v", name, err)
		}
	}
}

// forgery is one deviation from a request that would be approved, and what the refusal must speak of.
type forgery struct {
	name    string
	from    func() application
	change  func(*application)
	refusal string
}

func forgeries() []forgery {
	return slices.Concat(forgedForms(), forgedRequesters(), forgedSubjects(), forgedNames(), forgedTimes())
}

func forgedForms() []forgery {
	return []forgery{
		{"not PEM", clientApplication, func(a *application) { a.block = "CERTIFICATE" }, "not one PEM"},
		{"something after the request", clientApplication, func(a *application) { a.trailer = "x" }, "not one PEM"},
		{"garbage in PEM", clientApplication, func(a *application) {
			a.tamper = func([]byte) []byte { return []byte("garbage") }
		}, "does not parse"},
		{"a signature of another key", clientApplication, func(a *application) {
			a.tamper = func(der []byte) []byte { der[len(der)-1] ^= 1; return der }
		}, "signature"},
		{"another signer", clientApplication, func(a *application) {
			a.csr.Spec.SignerName = "kubernetes.io/kube-apiserver-client"
		}, "does not sign for nodes"},
		{"usage of a server", clientApplication, func(a *application) {
			a.csr.Spec.Usages = []certificatesv1.KeyUsage{"digital signature", "server auth"}
		}, "usages"},
		{"one usage more", clientApplication, func(a *application) {
			a.csr.Spec.Usages = append(a.csr.Spec.Usages, "cert sign")
		}, "usages"},
		{"a usage twice", clientApplication, func(a *application) {
			a.csr.Spec.Usages = []certificatesv1.KeyUsage{"client auth", "client auth"}
		}, "usages"},
		{"no usage", servingApplication, func(a *application) { a.csr.Spec.Usages = nil }, "usages"},
		{"an authority", clientApplication, func(a *application) {
			a.template.ExtraExtensions = []pkix.Extension{{
				Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Critical: true, Value: []byte{0x30, 3, 1, 1, 0xff},
			}}
		}, "extension"},
		{"a serving authority", servingApplication, func(a *application) {
			a.template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Value: []byte{0x30, 3, 1, 1, 0xff}}}
		}, "extension"},
	}
}

func forgedRequesters() []forgery {
	return []forgery{
		{"another user", clientApplication, func(a *application) { a.csr.Spec.Username = "system:admin" }, "made by"},
		{"a node asks for a client certificate", clientApplication, func(a *application) {
			a.csr.Spec.Username, a.csr.Spec.Groups = "system:node:worker-0", []string{"system:nodes", "system:authenticated"}
		}, "made by"},
		{"a service account of another namespace", clientApplication, func(a *application) {
			a.csr.Spec.Username = "system:serviceaccount:default:node-bootstrapper"
		}, "made by"},
		{"a group is missing", clientApplication, func(a *application) { a.csr.Spec.Groups = a.csr.Spec.Groups[:2] }, "groups"},
		{"a group too many", clientApplication, func(a *application) {
			a.csr.Spec.Groups = append(a.csr.Spec.Groups, "system:masters")
		}, "groups"},
		{"another node asks for the serving certificate", servingApplication, func(a *application) {
			a.csr.Spec.Username = "system:node:worker-2"
		}, "made by"},
		{"the bootstrapper asks for a serving certificate", servingApplication, func(a *application) {
			a.csr.Spec.Username = bootstrapperUser
		}, "made by"},
		{"a serving requester in another group", servingApplication, func(a *application) {
			a.csr.Spec.Groups = []string{"system:nodes", "system:masters", "system:authenticated"}
		}, "groups"},
	}
}

func forgedSubjects() []forgery {
	return []forgery{
		{"no node", clientApplication, func(a *application) { a.template.Subject.CommonName = "system:admin" }, "not a node"},
		{"an empty node", clientApplication, func(a *application) { a.template.Subject.CommonName = "system:node:" }, "not a node"},
		{"control characters in the name", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-0\x1b[2J"
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
			a.template.Subject.OrganizationalUnit = []string{"x"}
		}, "more than"},
	}
}

func forgedNames() []forgery {
	return []forgery{
		{"a node that nobody made", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-9"
		}, "no node of that name"},
		{"a name that starts like a node's", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-0.example.net"
		}, "no node of that name"},
		{"a client with a name", clientApplication, func(a *application) { a.template.DNSNames = []string{"worker-0"} }, "extension"},
		{"a client with an address", clientApplication, func(a *application) {
			a.template.IPAddresses = []net.IP{net.ParseIP("198.51.100.10")}
		}, "extension"},
		{"a client with an e-mail address", clientApplication, func(a *application) {
			a.template.EmailAddresses = []string{"a@example.net"}
		}, "extension"},
		{"a node that exists", clientApplication, func(a *application) {
			a.template.Subject.CommonName = "system:node:worker-1"
		}, "exists already"},
		{"a server that has not registered", servingApplication, func(a *application) {
			a.template.Subject.CommonName, a.csr.Spec.Username = "system:node:worker-2", "system:node:worker-2"
		}, "not registered"},
		{"the name of the API", servingApplication, func(a *application) {
			a.template.DNSNames = append(a.template.DNSNames, "api.c1.example.net")
		}, "not the node's"},
		{"the name of another node", servingApplication, func(a *application) { a.template.DNSNames = []string{"worker-0"} }, "not the node's"},
		{"a wildcard", servingApplication, func(a *application) { a.template.DNSNames = []string{"*"} }, "not the node's"},
		{"the address of another node", servingApplication, func(a *application) {
			a.template.IPAddresses = append(a.template.IPAddresses, net.ParseIP("198.51.100.10"))
		}, "not its machine's"},
		{"an e-mail address", servingApplication, func(a *application) {
			a.template.EmailAddresses = []string{"a@example.net"}
		}, "e-mail or URI"},
		{"an URI", servingApplication, func(a *application) {
			a.template.URIs = []*url.URL{{Scheme: "spiffe", Host: "x"}}
		}, "e-mail or URI"},
		{"neither name nor address", servingApplication, func(a *application) {
			a.template.DNSNames, a.template.IPAddresses = nil, nil
		}, "no name or address"},
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
	}
}

func TestForgeriesAreLeftToTheOperator(t *testing.T) {
	for _, forgery := range forgeries() {
		t.Run(forgery.name, func(t *testing.T) {
			application := forgery.from()
			forgery.change(&application)
			err := judge(*application.make(t))
			if err == nil || !strings.Contains(err.Error(), forgery.refusal) {
				t.Errorf("judged %v, want a refusal that speaks of %q", err, forgery.refusal)
			}
		})
	}
}

func TestASecondFirstRequestIsRefusedUnlessTheMachineIsNew(t *testing.T) {
	approved := clientApplication().make(t)
	approved.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved}}
	again := clientApplication()
	again.csr.Name, again.csr.CreationTimestamp = "csr-two", metav1.NewTime(machinesCreated.Add(time.Hour))
	second := again.make(t)
	if err := judge(*approved, *second); err == nil || !strings.Contains(err.Error(), "approved already") {
		t.Errorf("a second request of the same machine: %v", err)
	}
	renewed := workers()
	renewed[0].Created = machinesCreated.Add(45 * time.Minute)
	a := newAdmission("", renewed, nil, []certificatesv1.CertificateSigningRequest{*approved, *second})
	if _, err := a.judge(second); err != nil {
		t.Errorf("the first request of a machine made anew: %v", err)
	}
}

func TestOnlyTheLatestOfSeveralWaitingRequestsIsApproved(t *testing.T) {
	early, late := clientApplication(), clientApplication()
	late.csr.Name, late.csr.CreationTimestamp = "csr-late", metav1.NewTime(machinesCreated.Add(45*time.Minute))
	first, last := early.make(t), late.make(t)
	if err := judge(*first, *last); err != nil {
		t.Errorf("the latest: %v", err)
	}
	if err := judge(*last, *first); err == nil || !strings.Contains(err.Error(), "csr-late") {
		t.Errorf("an earlier one: %v", err)
	}
}

func TestAnUnknownAgeOfTheMachineIsNoReasonToTrust(t *testing.T) {
	csr := clientApplication().make(t)
	nodes := workers()
	nodes[0].Created = time.Time{}
	a := newAdmission("", nodes, nil, []certificatesv1.CertificateSigningRequest{*csr})
	if _, err := a.judge(csr); err == nil {
		t.Error("approved")
	}
}

func FuzzRequestsNeverPanic(f *testing.F) {
	f.Add([]byte("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		csr := clientApplication().csr
		csr.Spec.Request = content
		if judge(csr) == nil {
			t.Error("approved bytes that nobody signed")
		}
	})
}
