package csr

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net"
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

var machinesCreated = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

type application struct {
	template x509.CertificateRequest
	csr      certificatesv1.CertificateSigningRequest
	key      func() (crypto.Signer, error)
	tamper   func(der []byte) []byte
	block    string // PEM type
	rewrite  func(pem string) string

	expected   []state.ExpectedNode
	registered []corev1.Node
	letIn      *certificatesv1.CertificateSigningRequest // the approved first request of worker-1
	now        time.Time                                 // zero: an hour after the machines were created
	ever       grants                                    // found by earlier polls
}

// clientApplication is the first request of worker-0's kubelet; worker-1 has already joined.
func clientApplication() application {
	a := application{
		key:      ellipticKey(elliptic.P256()),
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
		expected: workers(3),
		registered: []corev1.Node{{
			ObjectMeta: metav1.ObjectMeta{Name: "worker-1", CreationTimestamp: metav1.NewTime(machinesCreated.Add(20 * time.Minute))},
			Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: "198.51.100.11"}, {Type: corev1.NodeHostName, Address: "worker-1"},
			}},
		}},
	}
	a.letIn = a.approvedFirst("worker-1")
	return a
}

// servingApplication is the next request of worker-1, which has registered.
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

func ellipticKey(curve elliptic.Curve) func() (crypto.Signer, error) {
	return func() (crypto.Signer, error) { return ecdsa.GenerateKey(curve, rand.Reader) }
}

func rsaKey(bits int) func() (crypto.Signer, error) {
	return func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, bits) }
}

func (a application) request() []byte {
	key, err := a.key()
	if err != nil {
		return nil
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &a.template, key)
	if err != nil {
		return nil
	}
	if a.tamper != nil {
		der = a.tamper(der)
	}
	content := pem.EncodeToMemory(&pem.Block{Type: a.block, Bytes: der})
	if a.rewrite != nil {
		content = []byte(a.rewrite(string(content)))
	}
	return content
}

func (a application) make(t testing.TB) *certificatesv1.CertificateSigningRequest {
	t.Helper()
	csr := a.csr.DeepCopy()
	if csr.Spec.Request = a.request(); csr.Spec.Request == nil {
		t.Fatal("the request cannot be made")
	}
	return csr
}

func (a application) approvedFirst(node string) *certificatesv1.CertificateSigningRequest {
	a.template.Subject.CommonName = "system:node:" + node
	csr := a.csr.DeepCopy()
	csr.Name, csr.CreationTimestamp = "csr-first-"+node, metav1.NewTime(machinesCreated.Add(18*time.Minute))
	csr.Spec.Request = a.request()
	csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved}}
	return csr
}

func workers(count int) []state.ExpectedNode {
	var nodes []state.ExpectedNode
	for i := range count {
		nodes = append(nodes, state.ExpectedNode{
			Name: fmt.Sprintf("worker-%d", i), Role: state.RoleWorker, Created: machinesCreated,
			Addresses: []string{fmt.Sprintf("198.51.100.%d", 10+i), fmt.Sprintf("2001:db8::%d", i)},
		})
	}
	return nodes
}

// judge returns the reason against the last of several requests that are pending together.
func (a application) judge(all ...certificatesv1.CertificateSigningRequest) error {
	if a.letIn != nil {
		all = append([]certificatesv1.CertificateSigningRequest{*a.letIn}, all...)
	}
	_, err := a.review(all).decide(&all[len(all)-1])
	return err
}

func (a application) review(all []certificatesv1.CertificateSigningRequest) *review {
	found, ever := Evidence{At: a.now, Expected: a.expected, Nodes: a.registered, Requests: all}, grants{}
	if a.now.IsZero() {
		found.At = machinesCreated.Add(time.Hour)
	}
	maps.Copy(ever, a.ever)
	ever.recordApproved(all)
	made := newReview("c1.example.net", found, ever)
	return &made
}

func TestReview_ApprovesExpectedNodes(t *testing.T) {
	for name, change := range map[string]func(*application){
		"client":                  func(*application) {},
		"client with an RSA key":  func(a *application) { a.key = rsaKey(2048) },
		"client of older kubelet": func(a *application) { a.csr.Spec.Usages = append(a.csr.Spec.Usages, "key encipherment") },
		"client whose clock is a little behind": func(a *application) {
			a.csr.CreationTimestamp = metav1.NewTime(machinesCreated.Add(-5 * time.Second))
		},
		"client of a year": func(a *application) {
			year := int32(maxLifetime / time.Second)
			a.csr.Spec.ExpirationSeconds = &year
		},
		"serving whose credential the API server has noted": func(a *application) {
			*a = servingApplication()
			a.csr.Spec.Extra = map[string]certificatesv1.ExtraValue{"authentication.kubernetes.io/credential-id": {"X509SHA256=d6b6"}}
		},
		"client of a machine that waited long for its cluster": func(a *application) {
			a.csr.CreationTimestamp = metav1.NewTime(machinesCreated.Add(20 * time.Hour))
		},
		"serving": func(a *application) { *a = servingApplication() },
		"serving with qualified name and all addresses": func(a *application) {
			*a = servingApplication()
			a.template.DNSNames = []string{"worker-1", "worker-1.c1.example.net"}
			a.template.IPAddresses = append(a.template.IPAddresses, net.ParseIP("2001:db8::1"))
		},
		"serving of a node that has not reported its addresses": func(a *application) {
			*a = servingApplication()
			a.registered[0].Status.Addresses = nil
		},
		"serving of a node whose first request was deleted, because it is old": func(a *application) {
			*a = servingApplication()
			a.letIn = nil
			a.csr.CreationTimestamp = metav1.NewTime(a.registered[0].CreationTimestamp.Add(recordsKept))
		},
	} {
		a := clientApplication()
		change(&a)
		if err := a.judge(*a.make(t)); err != nil {
			t.Errorf("%s: refused: %v", name, err)
		}
	}
}

func TestCheckKey_RefusesExpensiveKey(t *testing.T) {
	huge := &x509.CertificateRequest{PublicKey: &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 5000), E: 3}}
	if err := (nodeRequest{certificate: huge}).checkKey(nil); err == nil {
		t.Error("a key of 5001 bits passed")
	}
}

func (a application) another(t *testing.T, name string, created, approved time.Duration) certificatesv1.CertificateSigningRequest {
	t.Helper()
	csr := *a.make(t)
	csr.Name, csr.CreationTimestamp = name, metav1.NewTime(machinesCreated.Add(created))
	if approved > 0 {
		csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{
			{Type: certificatesv1.CertificateApproved, LastUpdateTime: metav1.NewTime(machinesCreated.Add(approved))},
		}
	}
	return csr
}

func TestApprover_NewKeyAfterAPause(t *testing.T) {
	a := clientApplication()
	first := a.another(t, "csr-first", 10*time.Minute, 20*time.Minute)
	second := a.another(t, "csr-second", 20*time.Minute, 0)
	a.now = machinesCreated.Add(20*time.Minute + newKeyPause - time.Second)
	if err := a.judge(first, second); err == nil || !strings.Contains(err.Error(), "waits for 2m0s") {
		t.Errorf("during the pause: %v", err)
	}
	a.now = a.now.Add(time.Second)
	if err := a.judge(first, second); err != nil {
		t.Errorf("after the pause: %v", err)
	}
	a.template.Subject.CommonName = "system:node:worker-1"
	if err := a.judge(first, a.another(t, "csr-registered", 20*time.Minute, 0)); err == nil || err.Error() != state.SkippedRegistered {
		t.Errorf("of a node that exists: %v", err)
	}
}

func TestApprover_FifthKeyIsUndecided(t *testing.T) {
	a := clientApplication()
	var all []certificatesv1.CertificateSigningRequest
	for n := range 1 + state.NewKeys {
		asked := time.Duration(n) * newKeyPause
		waiting := a.another(t, fmt.Sprintf("csr-%d", n), asked, 0)
		a.now = machinesCreated.Add(asked + newKeyPause)
		if err := a.judge(append(slices.Clone(all), waiting)...); err != nil {
			t.Fatalf("key %d: %v", n, err)
		}
		all = append(all, a.another(t, waiting.Name, asked, asked+time.Second))
	}
	a.now = machinesCreated.Add(45 * time.Minute)
	last := a.another(t, "csr-last", 44*time.Minute, 0)
	var undecided tooManyKeysError
	if err := a.judge(append(slices.Clone(all), last)...); !errors.As(err, &undecided) || undecided.keys != 4 {
		t.Errorf("key 5: %v", err)
	}
	forgotten := a
	forgotten.ever = grants{}
	forgotten.ever.recordApproved(all)
	if err := forgotten.judge(last); !errors.As(err, &undecided) {
		t.Errorf("key 5 once Kubernetes has deleted the requests: %v", err)
	}
	resumed := a
	resumed.expected = workers(3)
	resumed.expected[0].NewKeys = state.NewKeys
	if err := resumed.judge(last); !errors.As(err, &undecided) || undecided.keys != 4 {
		t.Errorf("key 5 in another run: %v", err)
	}
	resumed.expected[0].Keys = 5
	if err := resumed.judge(last); err != nil {
		t.Errorf("key 5 once the operator has decided: %v", err)
	}
	made := a
	made.expected = workers(3)
	made.expected[0].Created = machinesCreated.Add(40 * time.Minute)
	if err := made.judge(append(all, last)...); err != nil {
		t.Errorf("the first request of a machine made anew: %v", err)
	}
}

func TestApprover_SameKeyAgainAlways(t *testing.T) {
	a := clientApplication()
	key, err := a.key()
	if err != nil {
		t.Fatal(err)
	}
	same := a
	same.key = func() (crypto.Signer, error) { return key, nil }
	all := []certificatesv1.CertificateSigningRequest{same.another(t, "csr-0", 0, time.Second)}
	for n := range state.NewKeys { // as many others as are allowed
		all = append(all, a.another(t, fmt.Sprintf("csr-%d", n+1), time.Minute, 30*time.Minute))
	}
	a.now = machinesCreated.Add(30*time.Minute + time.Second)
	all = append(all, a.another(t, "csr-newer", 31*time.Minute, 0), same.another(t, "csr-same", 30*time.Minute, 0))
	if err := a.judge(all...); err != nil {
		t.Errorf("beside a newer request for another key, within the pause: %v", err)
	}
	tampered := same
	tampered.tamper = func(der []byte) []byte { der[len(der)-1] ^= 1; return der }
	if err := a.judge(append(all, tampered.another(t, "csr-tampered", 32*time.Minute, 0))...); err == nil || !strings.Contains(err.Error(), "signature") {
		t.Errorf("from somebody who does not hold the key: %v", err)
	}
}

func TestReview_LatestPendingOnly(t *testing.T) {
	for name, from := range map[string]func() application{"client": clientApplication, "serving": servingApplication} {
		early, late := from(), from()
		late.csr.Name, late.csr.CreationTimestamp = "csr-late\x1b", metav1.NewTime(machinesCreated.Add(45*time.Minute))
		first, last := *early.make(t), *late.make(t)
		if err := early.judge(first, last); err != nil {
			t.Errorf("%s: the latest: %v", name, err)
		}
		if err := early.judge(last, first); err == nil || !strings.Contains(err.Error(), `"csr-late\x1b"`) {
			t.Errorf("%s: an earlier machine: %v", name, err)
		}
	}
}

// flooded returns requests in the name of worker-0, each with a valid signature.
func flooded(t testing.TB, count int) []certificatesv1.CertificateSigningRequest {
	t.Helper()
	forged := *clientApplication().make(t)
	all := make([]certificatesv1.CertificateSigningRequest, count)
	for i := range all {
		all[i] = forged
		all[i].Name = fmt.Sprintf("csr-%05d", i)
	}
	return all
}

func TestReview_FloodBlocksNoOtherNode(t *testing.T) {
	a := clientApplication()
	other := clientApplication()
	other.template.Subject.CommonName, other.csr.Name = "system:node:worker-2", "csr-honest"
	all := slices.Insert(flooded(t, 10_000), 5_000, *other.make(t))
	current := a.review(all)
	for i := range all {
		node, err := current.decide(&all[i])
		if (err == nil) != (all[i].Name == "csr-honest") {
			t.Fatalf("%s of %s: %v", all[i].Name, node, err)
		}
		if err != nil && !strings.Contains(err.Error(), "10000 requests") {
			t.Fatalf("refused because %v", err)
		}
	}
}

func TestReview_AllowsKubeletRate(t *testing.T) {
	all := flooded(t, 96)
	if err := clientApplication().judge(all...); err != nil {
		t.Errorf("the last of 96: %v", err)
	}
	if err := clientApplication().judge(flooded(t, maxPendingPerNode+1)...); err == nil {
		t.Errorf("the last of %d was approved", maxPendingPerNode+1)
	}
}

func BenchmarkReview10000Forgeries(b *testing.B) {
	a := clientApplication()
	all := flooded(b, 10_000)
	for b.Loop() {
		current := a.review(all)
		for i := range all {
			if _, err := current.decide(&all[i]); err == nil {
				b.Fatal("approved")
			}
		}
	}
}

func FuzzReview(f *testing.F) {
	f.Add([]byte("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n"))
	f.Add(clientApplication().request())
	f.Add(servingApplication().request())
	a := clientApplication()
	f.Fuzz(func(t *testing.T, content []byte) {
		a.csr.Spec.Request = content
		err := a.judge(a.csr)
		if err == nil {
			block, _ := pem.Decode(content)
			if request, err := x509.ParseCertificateRequest(block.Bytes); err != nil || request.CheckSignature() != nil {
				t.Error("approved bytes that nobody signed")
			}
		}
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("the reason %q contains control characters", err)
		}
	})
}
