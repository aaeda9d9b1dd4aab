package openshift_test

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/state"
)

// BenchmarkPoll1000Nodes reports the CPU time of a poll, with that of a server that only repeats its responses, and the
// number of its requests. Nearly all requests for certificates are issued, as they are most of the time.
func BenchmarkPoll1000Nodes(b *testing.B) {
	const nodes, limit = 1000, 100 * time.Millisecond
	r := rehearse(b)
	r.populate(b, nodes)
	r.repeat()
	r.observe(b)
	before := r.CountRequests()
	best := time.Hour
	for b.Loop() {
		began := processorTime(b)
		if seen := r.observe(b); len(seen.Nodes) != nodes || len(seen.Requests) != 2*nodes {
			b.Fatalf("%d nodes, %d requests", len(seen.Nodes), len(seen.Requests))
		}
		best = min(best, processorTime(b)-began)
	}
	total := 0
	for request, count := range r.CountRequests() {
		total += count - before[request]
	}
	b.ReportMetric(float64(best.Microseconds())/1000, "best-cpu-ms/look")
	b.ReportMetric(float64(total)/float64(b.N), "requests/look")
	if best > limit {
		b.Errorf("a look takes %v of a processor, more than %v", best, limit)
	}
}

// BenchmarkListClusterNodes1000 reports the CPU time of a list of nodes, as `exoshift nodes list` needs it, and the memory that it
// allocates, with those of a server that only repeats its responses.
func BenchmarkListClusterNodes1000(b *testing.B) {
	const nodes, limit = 1000, 3 * time.Second
	r := rehearse(b)
	r.populate(b, nodes)
	r.repeat()
	best := time.Hour
	for b.Loop() {
		began := processorTime(b)
		if all, err := r.ListClusterNodes(b.Context()); err != nil || len(all) != nodes {
			b.Fatalf("%d nodes: %v", len(all), err)
		}
		best = min(best, processorTime(b)-began)
	}
	b.ReportMetric(float64(best.Microseconds())/1000, "best-cpu-ms/list")
	b.ReportAllocs()
	if best > limit {
		b.Errorf("a list takes %v of a processor, more than %v", best, limit)
	}
}

// repeat makes the server repeat its earlier responses.
func (r *rehearsal) repeat() {
	var mu sync.Mutex
	answers := map[string]*httptest.ResponseRecorder{}
	r.instead = func(w http.ResponseWriter, q *http.Request, api *apiserver.Server) {
		mu.Lock()
		defer mu.Unlock()
		answer, known := answers[q.URL.String()]
		if !known {
			answer = httptest.NewRecorder()
			api.ServeHTTP(answer, q)
			answers[q.URL.String()] = answer
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}
}

// populate creates nodes, each with its two requests, and a cluster around them.
func (r *rehearsal) populate(tb testing.TB, nodes int) {
	tb.Helper()
	key, err := certificate.NewKey()
	if err != nil {
		tb.Fatal(err)
	}
	r.put(tb, "clusterversions.config.openshift.io", "", named("version"))
	for n := range 33 {
		r.put(tb, operators, "", with(named(fmt.Sprintf("operator-%d", n)), "status.conditions", conditions(
			[3]string{"Available", "True", ""}, [3]string{"Progressing", "False", ""}, [3]string{"Degraded", "False", ""})))
	}
	for n := range nodes {
		name := fmt.Sprintf("worker-%d", n)
		r.expected = append(r.expected, state.ExpectedNode{Name: name, Role: state.RoleWorker, Created: time.Now()})
		r.put(tb, "nodes", "", realNode(name))
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: nodeSubject(name)}, key)
		if err != nil {
			tb.Fatal(err)
		}
		asked := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
		for signer, user := range map[string]string{
			"kubernetes.io/kube-apiserver-client-kubelet": "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
			"kubernetes.io/kubelet-serving":               "system:node:" + name,
		} {
			request := with(named(fmt.Sprintf("csr-%d-%d", n, len(user))), "spec", map[string]any{
				"request": asked, "signerName": signer, "username": user, "groups": []any{"system:nodes"}, "usages": []any{"client auth"},
			})
			request.Set("status", map[string]any{
				"certificate": asked, "conditions": conditions([3]string{"Approved", "True", ""}),
			})
			r.put(tb, "certificatesigningrequests.certificates.k8s.io", "", request)
		}
	}
}

// realNode has the size of a real node: kubelets list fifty images.
func realNode(name string) kube.Object {
	var images []any
	for n := range 50 {
		digest := fmt.Sprintf("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%064d", n)
		images = append(images, map[string]any{"names": []any{digest, "quay.io/openshift-release-dev/ocp-v4.0-art-dev:<none>"}, "sizeBytes": 1 << 29})
	}
	node := with(master(name, "192.0.2.1"), "status.images", images)
	node.Set("metadata.annotations", map[string]any{"machineconfiguration.openshift.io/note": strings.Repeat("x", 1000)})
	node.Set("status.conditions", conditions([3]string{"MemoryPressure", "False", "kubelet has sufficient memory available"},
		[3]string{"DiskPressure", "False", "kubelet has no disk pressure"}, [3]string{"Ready", "True", "kubelet is posting ready status"}))
	return node
}

// processorTime is the CPU time of this process.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
