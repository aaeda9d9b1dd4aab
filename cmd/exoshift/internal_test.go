package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/app/changes"

	corev1 "k8s.io/api/core/v1"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

const sourceRewritten = "eip-source-rewritten"

func byElasticIP(s *state.Spec) { s.LoadBalancer.Internal = state.InternalElasticIP }

// Whether a managed elastic IP preserves the source of a connection is documented in two ways. Every other installation of
// these tests runs on a zone where it does.
func TestInstall_ElasticIPSourceIndependent(t *testing.T) {
	whole(t)
	t.Parallel()
	virtually(t, sourceRewritten, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		b := backdoor{t, s}
		if got, want := b.addressesOf("api-int"), b.addressesOf("lb-0", "lb-1"); len(want) != 2 || !slices.Equal(got, want) {
			t.Errorf("api-int leads to %v, the load balancers have %v", got, want)
		}
	})
}

// The answer that asks too much of the zone ends with its cause and its fix, and the same installation goes on with the
// other answer, as its machines still ask.
func TestInstall_RewrittenSourceDiagnosed(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{scenario: sourceRewritten, spec: byElasticIP}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		out, err := finish(t, s)
		if code := exit.Code(err); code < exit.Infra || code > exit.Nodes {
			t.Fatalf("exit code %d: %v\n%s", code, err, lastLines(out))
		}
		if hint := fault.HintOf(err); !strings.Contains(err.Error(), "lose their source") || !strings.Contains(hint, "Set loadBalancer.internal to addresses") {
			t.Errorf("the error is %v, the hint %s", err, hint)
		}
		if !slices.ContainsFunc(eventsOf(t, out), func(e provisioner.Event) bool {
			return e.Type == provisioner.TypeDiagnosis && e.Name == "source-rewritten" && e.State == provisioner.Present
		}) {
			t.Error("there is no diagnosis")
		}
		s.Spec.LoadBalancer.Internal = state.InternalAddresses
		if answers, err := changes.Compare(s.Folder, s.Spec); err != nil || len(answers) != 1 || answers[0].Refused {
			t.Fatalf("the changed answer: %+v, %v", answers, err)
		}
		if out, err = finish(t, s); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
	})
}

// The name changes on an installed cluster, one way and back, and no node is lost.
func internalChanged(t *testing.T, s run.Run, zone *simcloud.Zone) {
	for _, internal := range []string{state.InternalElasticIP, state.InternalAddresses} {
		s.Spec.LoadBalancer.Internal = internal
		planned := pending(t, s)
		stop := watchInternalName(t, s, zone)
		installed(t, s)
		stop()
		if rest := pending(t, s); len(planned) == 0 || len(rest) > 0 {
			t.Errorf("%s: planned %v, left %v", internal, planned, rest)
		}
		b := backdoor{t, s}
		served := b.addressesOf("api-int")
		if want := b.addressesOf("lb-0", "lb-1"); (internal == state.InternalAddresses) != slices.Equal(served, want) {
			t.Errorf("%s: api-int to %v, the load balancers %v", internal, served, want)
		}
		for range 10 {
			if err := s.Net.Clock.Sleep(t.Context(), time.Minute); err != nil {
				t.Fatal(err)
			}
			for _, node := range nodesOf(t, s) {
				if !slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
					return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
				}) {
					t.Fatalf("%s: node %s is not Ready", internal, node.Name)
				}
			}
		}
	}
}

// watchInternalName requires until stop is called that api-int has an address: resolvers cache for minutes that it has none.
func watchInternalName(t *testing.T, s run.Run, zone *simcloud.Zone) (stop func()) {
	t.Helper()
	node, err := zone.MachineNetwork("worker-0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		for s.Net.Clock.Sleep(ctx, time.Second) == nil {
			if _, err := node.Lookup(ctx, "api-int."+s.Spec.Domain()); err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// addressesOf returns the contents of the A records of these names in the cluster's zone, sorted.
func (b backdoor) addressesOf(names ...string) []string {
	b.t.Helper()
	var addresses []string
	for _, record := range b.list("/dns-domain/"+b.id("/dns-domain", "dns-domains", "unicode-name", b.s.Spec.Domain())+"/record", "dns-domain-records") {
		if record["type"] == "A" && slices.Contains(names, record["name"].(string)) {
			addresses = append(addresses, record["content"].(string))
		}
	}
	slices.Sort(addresses)
	return addresses
}
