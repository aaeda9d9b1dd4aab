package openshift_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

func TestPoll_ListsEachKindOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		for range 3 {
			before := r.CountRequests()
			r.observe(t)
			for request, count := range r.CountRequests() {
				if asked := count - before[request]; asked > 1 && request != "get v1/events@kube-system" {
					t.Errorf("%d times %s", asked, request)
				}
			}
		}
	})
}

func TestPoll_SkipsFinishedPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.etcd(t, "3 members are available", []string{"192.0.2.10", "192.0.2.11", "192.0.2.12"}, [3]int{1, 1, 1},
			[3]string{"EtcdRunningInCluster", "True", ""}, [3]string{"EtcdBootstrapMemberRemoved", "True", ""})
		r.observe(t)
		before := r.CountRequests()
		r.observe(t)
		asked := r.CountRequests()
		maps.DeleteFunc(asked, func(request string, count int) bool { return count == before[request] })
		want := []string{
			"get config.openshift.io/v1/clusterversions", "get config.openshift.io/v1/schedulers",
			"get operator.openshift.io/v1/etcds", "get readyz", "get v1/configmaps@openshift-etcd",
			"list certificates.k8s.io/v1/certificatesigningrequests", "list config.openshift.io/v1/clusteroperators",
			"list machineconfiguration.openshift.io/v1/machineconfigpools", "list v1/nodes", "list v1/pods@openshift-ingress",
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(asked))); diff != "" {
			t.Error(diff)
		}
	})
}

func (r *rehearsal) refuse(text string, failure func(*http.Request)) {
	r.before = func(q *http.Request) {
		if strings.Contains(q.URL.Path, text) {
			failure(q)
		}
	}
}

func TestPoll_PartialFailureKeepsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		r.report(t, "Working towards 4.20.5: 713 of 903 done (79% complete)")
		r.operator(t, "dns", "TFF")
		r.refuse("/nodes", func(*http.Request) { panic(http.ErrAbortHandler) })
		seen, err := r.Poll(t.Context(), r.bootstrap, nil)
		if !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), "list nodes") {
			t.Errorf("got %v", err)
		}
		if len(seen.Nodes) != 0 || seen.Version.Percent != 79 || len(seen.Operators) != 1 || !seen.Bootstrap.Has(state.PhaseManifests) {
			t.Errorf("%+v", seen)
		}
		if seen.At.IsZero() || seen.Bootstrap.Waiting == "" {
			t.Errorf("at %v waiting for %q", seen.At, seen.Bootstrap.Waiting)
		}
		r.before = nil
		if seen := r.observe(t); len(seen.Nodes) != 3 {
			t.Errorf("%d nodes", len(seen.Nodes))
		}
	})
}

func TestPoll_NoReviewWithoutNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.expected = []state.ExpectedNode{{Name: "worker-0", Created: time.Now()}}
		r.askFirst(t, "csr-a", "worker-0")
		r.observe(t)
		r.refuse("/nodes", func(*http.Request) { panic(http.ErrAbortHandler) })
		if seen, _ := r.Poll(t.Context(), r.bootstrap, r.expected); len(seen.Requests) != 0 {
			t.Errorf("%+v", seen.Requests)
		}
		r.before = nil
		if decisions, err := r.Approve(t.Context()); err != nil || len(decisions) != 0 {
			t.Errorf("approved by a look that could not judge: %+v, %v", decisions, err)
		}
	})
}

// hang never answers: what is written once the client is gone could still be read.
func hang(q *http.Request) {
	<-q.Context().Done()
	panic(http.ErrAbortHandler)
}

func TestPoll_HangingAPITimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.observe(t)
		r.refuse("/clusteroperators", hang)
		began := time.Now()
		_, err := r.Poll(t.Context(), r.bootstrap, nil)
		if took := time.Since(began); !fault.Is(err, fault.Transient) || took > 15*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestPoll_RollingAPIKeepsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		var before []string
		for n := range 20 {
			r.unready("")
			if n%3 == 0 {
				r.unready("rolling")
			}
			r.before = nil
			if n%5 == 0 {
				r.refuse("/apis/", func(*http.Request) { panic(http.ErrAbortHandler) })
			}
			if n == 10 {
				r.etcd(t, "2 members are available", nil, [3]int{})
			}
			status, err := r.bootstrapStatus(t)
			if !slices.Equal(before, status.Reached[:min(len(before), len(status.Reached))]) {
				t.Fatalf("reached %v, then %v", before, status.Reached)
			}
			if err == nil && n%15 == 0 {
				t.Error("a look that could not read all succeeded")
			}
			before = status.Reached
			r.wait(t, 5*time.Second)
		}
		if last := before[len(before)-1]; last != state.PhaseEtcd {
			t.Errorf("reached %s last", last)
		}
	})
}

func TestPoll_BootstrapAPIEndWithoutEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.start(t)
		r.put(t, "events", "kube-system", named("bootstrap-success"))
		slice := func(addresses ...any) []any { return []any{map[string]any{"addresses": addresses}} }
		r.put(t, "endpointslices.discovery.k8s.io", "default", with(named("kubernetes"), "endpoints", slice(bootstrapAddress, "192.0.2.10", "192.0.2.11")))
		if seen := r.observe(t).Bootstrap; seen.Has(state.PhaseTeardown) || !seen.Has(state.PhaseBootstrapped) {
			t.Errorf("reached %v", seen.Reached)
		}
		r.change(t, "endpointslices.discovery.k8s.io", "default", "kubernetes", "endpoints", slice("192.0.2.10", "192.0.2.11"))
		r.expectPhase(t, state.PhaseTeardown, "etcd")
	})
}

func TestPoll_RequestStateAndObjections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.expected = []state.ExpectedNode{{Name: "worker-0", Created: time.Now()}, {Name: "worker-1", Created: time.Now()}}
		const resource = "certificatesigningrequests.certificates.k8s.io"
		ask := func(name, node, decision string) {
			r.askFirst(t, name, node)
			if decision != "" {
				r.change(t, resource, "", name, "status.conditions", conditions([3]string{decision, "True", ""}))
			}
			r.wait(t, time.Second)
		}
		ask("csr-f", "worker-0", "")
		ask("csr-e", "intruder", "")
		ask("csr-d", "worker-1", "Approved")
		ask("csr-c", "worker-1", "Approved")
		r.change(t, resource, "", "csr-c", "status.certificate", "Y2VydGlmaWNhdGU=")
		ask("csr-b", "worker-1", "Denied")
		ask("csr-a", "worker-1", "Failed")
		r.askServing(t, "csr-0", "worker-1", "192.0.2.20")
		want := []string{
			"csr-f worker-0 client pending ", "csr-e intruder client pending this installation has no such node",
			"csr-d worker-1 client approved ", "csr-c worker-1 client issued ", "csr-b worker-1 client denied ",
			"csr-a worker-1 client failed ", "csr-0 worker-1 server pending the node has not registered",
		}
		var got []string
		for _, request := range r.observe(t).Requests {
			kind := map[bool]string{true: "server", false: "client"}[request.Serving]
			got = append(got, fmt.Sprintf("%s %s %s %s %s", request.Name, request.Node, kind, request.State, request.BlockedReason))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPoll_OmitsForeignSigners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "certificatesigningrequests.certificates.k8s.io", "", with(with(named("csr-x"), "spec.signerName", "example.net/own"),
			"status.conditions", conditions([3]string{"Approved", "True", ""})))
		r.put(t, "certificatesigningrequests.certificates.k8s.io", "", with(named("csr-y"), "spec.signerName", "network.openshift.io/signer"))
		if seen := r.observe(t).Requests; len(seen) != 0 {
			t.Errorf("%+v", seen)
		}
	})
}

func TestPoll_ForbiddenIsDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.forbidden = "machineconfigpools"
		seen, err := r.Poll(t.Context(), r.bootstrap, r.expected)
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "machineconfigpools") || fault.HintOf(err) == "" {
			t.Errorf("got %v", err)
		}
		if len(seen.Nodes) != 3 || len(seen.Pools) != 0 {
			t.Errorf("%+v", seen)
		}
	})
}
