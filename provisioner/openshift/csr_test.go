package openshift_test

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const requests = "certificatesigningrequests.certificates.k8s.io"

// ask files a request with the API, as a kubelet would.
func (r *rehearsal) ask(t *testing.T, name, signer, user string, groups []any, template x509.CertificateRequest, usage string) {
	t.Helper()
	key, err := certificate.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &template, key)
	if err != nil {
		t.Fatal(err)
	}
	request := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	r.put(t, requests, "", with(named(name), "spec", map[string]any{
		"request": request, "signerName": signer, "username": user, "groups": groups, "usages": []any{"digital signature", usage},
	}))
}

func (r *rehearsal) askFirst(t *testing.T, name, node string) {
	r.ask(t, name, "kubernetes.io/kube-apiserver-client-kubelet",
		"system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
		[]any{"system:serviceaccounts", "system:serviceaccounts:openshift-machine-config-operator", "system:authenticated"},
		x509.CertificateRequest{Subject: nodeSubject(node)}, "client auth")
}

func (r *rehearsal) askServing(t *testing.T, name, node, address string) {
	r.ask(t, name, "kubernetes.io/kubelet-serving", "system:node:"+node, []any{"system:nodes", "system:authenticated"},
		x509.CertificateRequest{Subject: nodeSubject(node), DNSNames: []string{node}, IPAddresses: []net.IP{net.ParseIP(address)}}, "server auth")
}

// register lets a node in as another approver would.
func (r *rehearsal) register(t *testing.T, name string) {
	t.Helper()
	r.askFirst(t, "csr-of-"+name, name)
	r.change(t, requests, "", "csr-of-"+name, "status.conditions", conditions([3]string{"Approved", "True", ""}))
	r.put(t, "nodes", "", named(name))
}

func nodeSubject(node string) pkix.Name {
	return pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}
}

func TestARequestThatChangesMeanwhileIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expected := []state.ExpectedNode{{Name: "worker-0", Created: time.Now()}}
		r.askFirst(t, "csr-a", "worker-0")
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPut {
				r.change(t, requests, "", "csr-a", "metadata.labels", map[string]any{"changed": "yes"})
			}
		}
		if got, err := r.ApproveCSRs(t.Context(), expected); err != nil || len(got) != 1 || got[0].Decision != state.Left {
			t.Errorf("%+v, %v", got, err)
		}
		r.before = nil
		if got, err := r.ApproveCSRs(t.Context(), expected); err != nil || len(got) != 1 || got[0].Decision != state.Approved {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestRequestsOfExpectedNodesAreApprovedAndOthersShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		created := time.Now().Add(-5 * time.Minute)
		expected := []state.ExpectedNode{
			{Name: "worker-0", Addresses: []string{"198.51.100.10"}, Created: created},
			{Name: "worker-1", Addresses: []string{"198.51.100.11"}, Created: created},
		}
		r.register(t, "worker-1")
		r.askFirst(t, "csr-a", "worker-0")
		r.askServing(t, "csr-b", "worker-1", "198.51.100.11")
		r.askFirst(t, "csr-c", "intruder")
		got, err := r.ApproveCSRs(t.Context(), expected)
		want := []state.CSRDecision{
			{Name: "csr-a", Node: "worker-0", Decision: state.Approved, Reason: "client certificate"},
			{Name: "csr-b", Node: "worker-1", Decision: state.Approved, Reason: "serving certificate"},
			{Name: "csr-c", Node: "intruder", Decision: state.Left, Reason: "this installation has no node of that name"},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
		again, err := r.ApproveCSRs(t.Context(), expected)
		if diff := cmp.Diff(want[2:], again); err != nil || diff != "" {
			t.Errorf("what was decided is not decided again: %v\n%s", err, diff)
		}
		for _, csr := range r.objects.List(requests, "") {
			if csr.Name() == "csr-of-worker-1" {
				continue
			}
			for _, condition := range csr.List("status.conditions") {
				if condition.Text("type") != "Approved" || condition.Text("status") != "True" || csr.Name() == "csr-c" {
					t.Errorf("%s got the condition %v", csr.Name(), condition)
				}
			}
		}
	})
}
