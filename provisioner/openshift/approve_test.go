package openshift_test

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/certificate"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const requests = "certificatesigningrequests.certificates.k8s.io"

// ask creates a request, as a kubelet would.
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

func (r *rehearsal) register(t *testing.T, name string) {
	t.Helper()
	r.askFirst(t, "csr-of-"+name, name)
	r.change(t, requests, "", "csr-of-"+name, "status.conditions", conditions([3]string{"Approved", "True", ""}))
	r.put(t, "nodes", "", named(name))
}

func nodeSubject(node string) pkix.Name {
	return pkix.Name{CommonName: "system:node:" + node, Organization: []string{"system:nodes"}}
}

// waiting returns the pending requests by name, with the reasons against their approval.
func (r *rehearsal) waiting(t *testing.T, expected []state.ExpectedNode) map[string]string {
	t.Helper()
	seen, err := r.Poll(t.Context(), netip.Addr{}, expected)
	if err != nil {
		t.Fatal(err)
	}
	refusals := map[string]string{}
	for _, request := range seen.Requests {
		if request.State == state.RequestPending {
			refusals[request.Name] = request.BlockedReason
		}
	}
	return refusals
}

func (r *rehearsal) approve(t *testing.T) []state.CSRDecision {
	t.Helper()
	decisions, err := r.Approve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return decisions
}

func (r *rehearsal) approved() []string {
	var names []string
	for _, csr := range r.objects.List(requests, "") {
		for _, condition := range csr.List("status.conditions") {
			if condition.GetString("type") == "Approved" {
				names = append(names, csr.Name())
			}
		}
	}
	return names
}

func expectedWorkers(count int) []state.ExpectedNode {
	var expected []state.ExpectedNode
	for i := range count {
		expected = append(expected, state.ExpectedNode{Name: fmt.Sprintf("worker-%d", i), Addresses: []string{fmt.Sprintf("198.51.100.%d", 10+i)},
			Created: time.Now().Add(-5 * time.Minute)})
	}
	return expected
}

func TestApprove_ExpectedNodesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expected := expectedWorkers(2)
		r.register(t, "worker-1")
		r.askFirst(t, "csr-a", "worker-0")
		r.askServing(t, "csr-b", "worker-1", "198.51.100.11")
		r.askFirst(t, "csr-c", "intruder")
		const foreign = "this installation has no such node"
		if diff := cmp.Diff(map[string]string{"csr-a": "", "csr-b": "", "csr-c": foreign}, r.waiting(t, expected)); diff != "" {
			t.Error(diff)
		}
		want := []state.CSRDecision{
			{Name: "csr-a", Node: "worker-0", Decision: state.Approved, Reason: "client certificate"},
			{Name: "csr-b", Node: "worker-1", Decision: state.Approved, Reason: "serving certificate"},
		}
		if diff := cmp.Diff(want, r.approve(t)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"csr-a", "csr-b", "csr-of-worker-1"}, r.approved()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]string{"csr-c": foreign}, r.waiting(t, expected)); diff != "" {
			t.Errorf("the next look: %s", diff)
		}
		if stranger, _ := r.objects.Get(requests, "", "csr-c"); len(stranger.List("status.conditions")) > 0 {
			t.Errorf("a stranger's request was decided about: %v", stranger.List("status.conditions"))
		}
	})
}

func TestApprove_ApprovesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.askFirst(t, "csr-a", "worker-0")
		if got := r.approve(t); len(got) != 0 {
			t.Errorf("without a look: %+v", got)
		}
		r.waiting(t, expectedWorkers(1))
		if got := r.approve(t); len(got) != 1 {
			t.Errorf("after a look: %+v", got)
		}
		if got := r.approve(t); len(got) != 0 {
			t.Errorf("again: %+v", got)
		}
	})
}

func TestApprove_DefersChangedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expected := expectedWorkers(2)
		r.askFirst(t, "csr-changed", "worker-0")
		r.askFirst(t, "csr-deleted", "worker-1")
		r.waiting(t, expected)
		r.change(t, requests, "", "csr-changed", "metadata.labels", map[string]any{"changed": "yes"})
		if _, err := r.objects.Delete(requests, "", "csr-deleted"); err != nil {
			t.Fatal(err)
		}
		if got := r.approve(t); len(got) != 0 {
			t.Errorf("told of what someone else may have decided: %+v", got)
		}
		if got := r.approved(); len(got) != 0 {
			t.Errorf("approved: %v", got)
		}
		r.waiting(t, expected)
		if got := r.approve(t); len(got) != 1 || got[0].Decision != state.Approved {
			t.Errorf("after the next look: %+v", got)
		}
	})
}

func TestApprove_RefusesOtherCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.askFirst(t, "csr-a", "worker-0")
		r.waiting(t, expectedWorkers(1))
		r.kubeconfig += "# another one\n"
		if got := r.approve(t); len(got) != 0 {
			t.Errorf("approved: %+v", got)
		}
	})
}

func TestApprove_KeepsDecisionsOnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for i := range 20 {
			r.askFirst(t, fmt.Sprintf("csr-%02d", i), fmt.Sprintf("worker-%d", i))
		}
		r.waiting(t, expectedWorkers(20))
		var tries atomic.Int64
		r.before = func(q *http.Request) {
			if q.Method == http.MethodPut && tries.Add(1) > 7 {
				panic(http.ErrAbortHandler)
			}
		}
		decisions, err := r.Approve(t.Context())
		if !fault.Is(err, fault.Transient) {
			t.Errorf("got %v", err)
		}
		var lines []string
		for _, decision := range decisions {
			if decision.Decision == state.Approved {
				lines = append(lines, decision.Name)
			}
		}
		for _, name := range lines {
			if !slices.Contains(r.approved(), name) {
				t.Errorf("%s is told to be approved, and is not", name)
			}
		}
		if len(lines) == 0 || len(r.approved()) > 7 {
			t.Errorf("told %d, approved %d", len(lines), len(r.approved()))
		}
	})
}
