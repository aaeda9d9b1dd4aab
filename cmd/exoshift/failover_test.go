package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"exoshift/internal/app/run"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
)

const (
	failoverWindow = 5 * time.Minute
	failoverPeers  = 6 // clients of a kind: some have their connection at the load balancer that dies
	clientTimeout  = 10 * time.Second
)

// failover is what the loss of one load balancer, whose packets are dropped, means for clients.
type failover struct {
	outside, inside time.Duration // until every request of a client-go client succeeds: by api, and on a node by api-int
	kubelets        time.Duration // until every kubelet's requests do
}

func (f failover) String() string {
	return fmt.Sprintf("| %.0f s | %.0f s | %.0f s |", f.outside.Seconds(), f.inside.Seconds(), f.kubelets.Seconds())
}

// loadBalancerLost measures on a cluster that stands. The page of documentation states the limits.
func loadBalancerLost(internal string) func(*testing.T, run.Run, *simcloud.Zone) {
	return func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		if s.Spec.LoadBalancer.Internal != internal {
			s.Spec.LoadBalancer.Internal = internal
			installed(t, s)
		}
		pass(t, s, 5*time.Minute) // caches of resolvers, and a zone that has just been opened
		seen := measureFailover(t, s, zone)
		t.Logf("%s: %s", internal, seen)
		limits := readFailoverLimits(t, internal)
		for what, c := range map[string][2]time.Duration{
			"outside": {seen.outside, limits.outside}, "inside": {seen.inside, limits.inside}, "kubelets": {seen.kubelets, limits.kubelets},
		} {
			if c[0] > c[1] {
				t.Errorf("%s, %s: %s, the limit is %s", internal, what, c[0], c[1])
			}
		}
	}
}

func readFailoverLimits(t *testing.T, internal string) failover {
	t.Helper()
	content, err := os.ReadFile("../../docs/explanation/failover.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var outside, inside, kubelets int
		if n, _ := fmt.Sscanf(line, "| `"+internal+"` | %d s | %d s | %d s |", &outside, &inside, &kubelets); n == 3 {
			return failover{time.Duration(outside) * time.Second, time.Duration(inside) * time.Second, time.Duration(kubelets) * time.Second}
		}
	}
	t.Fatalf("docs/explanation/failover.md has no row of %s", internal)
	return failover{}
}

func pass(t *testing.T, s run.Run, d time.Duration) {
	t.Helper()
	if err := s.Net.Clock.Sleep(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// selectVictim returns the load balancer that more nodes are connected to, and the other one.
func selectVictim(t *testing.T, zone *simcloud.Zone) (dead, living string) {
	t.Helper()
	const apiPort = 6443
	peers := map[string]int{}
	for _, name := range []string{"lb-0", "lb-1"} {
		var err error
		if peers[name], err = zone.CountPeers(name, apiPort); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("hosts that are connected to the load balancers: %v", peers)
	if peers["lb-0"] >= peers["lb-1"] {
		return "lb-0", "lb-1"
	}
	return "lb-1", "lb-0"
}

// measureFailover silences the load balancer that the kubelets are connected to.
func measureFailover(t *testing.T, s run.Run, zone *simcloud.Zone) failover {
	t.Helper()
	node, err := zone.MachineNetwork("worker-0")
	if err != nil {
		t.Fatal(err)
	}
	dead, living := selectVictim(t, zone)
	domain := s.Spec.Domain()
	var outside, inside []*peer
	for range failoverPeers {
		outside = append(outside, newPeer(t, s, s.Net, "https://api."+domain+":6443"))
		inside = append(inside, newPeer(t, s, node, "https://api-int."+domain+":6443"))
	}
	alive := backdoor{t, s}.addressesOf(living)[0]
	direct := s.Net
	direct.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return s.Net.Dial(ctx, network, alive+":6443")
	}
	witness := newPeer(t, s, direct, "https://api."+domain+":6443")
	for _, p := range append(slices.Concat(outside, inside), witness) {
		if _, err := p.listNodes(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	awaitHeartbeats(t, s, witness)
	if err := zone.Silence(dead); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var running sync.WaitGroup
	for _, p := range slices.Concat(outside, inside) {
		running.Go(func() { p.watch(t.Context(), s, began) })
	}
	beats := watchNodes(t, s, witness, began)
	running.Wait()
	seen := failover{kubelets: measureKubelets(t, zone, beats, began)}
	for _, p := range outside {
		seen.outside = max(seen.outside, p.outage)
	}
	for _, p := range inside {
		seen.inside = max(seen.inside, p.outage)
	}
	return seen
}

// awaitHeartbeats waits until just before the moment at which most kubelets begin to send requests: a load balancer that dies then
// fails more of them than at any other time.
func awaitHeartbeats(t *testing.T, s run.Run, witness *peer) {
	t.Helper()
	const interval, window = 40 * time.Second, 8 * time.Second
	nodes, err := witness.listNodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var next []time.Time
	for _, node := range nodes {
		for _, condition := range node.Status.Conditions {
			if condition.Type != corev1.NodeReady {
				continue
			}
			at := condition.LastHeartbeatTime.Add(interval)
			for !at.After(time.Now().Add(time.Second)) {
				at = at.Add(interval)
			}
			next = append(next, at)
		}
	}
	var chosen time.Time
	most := 0
	for _, first := range next {
		count := 0
		for _, at := range next {
			if !at.Before(first) && at.Sub(first) < window {
				count++
			}
		}
		if count > most {
			chosen, most = first, count
		}
	}
	t.Logf("%d of %d kubelets send a heartbeat within %s", most, len(next), window)
	pass(t, s, time.Until(chosen)-time.Second)
}

// peer is a client-go client with a connection of its own.
type peer struct {
	objects dynamic.Interface
	outage  time.Duration // until the end of its last request that did not succeed at once
}

func newPeer(t *testing.T, s run.Run, net network.Network, server string) *peer {
	t.Helper()
	kubeconfig, err := s.ReadKubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.Host, config.Dial, config.Timeout, config.QPS = server, net.Dial, clientTimeout, -1
	config.WarningHandler = rest.NoWarnings{}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	objects, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	return &peer{objects: objects}
}

func (p *peer) listNodes(ctx context.Context) ([]corev1.Node, error) {
	list, err := p.objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	nodes := make([]corev1.Node, len(list.Items))
	for n, item := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, &nodes[n]); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

func (p *peer) watch(ctx context.Context, s run.Run, began time.Time) {
	for time.Since(began) < failoverWindow {
		asked := time.Now()
		_, err := p.listNodes(ctx)
		if err != nil || time.Since(asked) > time.Second {
			p.outage = time.Since(began)
		}
		if s.Net.Clock.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

// watchNodes requires that every node stays Ready. It returns their heartbeats.
func watchNodes(t *testing.T, s run.Run, witness *peer, began time.Time) map[string][]time.Time {
	t.Helper()
	beats := map[string][]time.Time{}
	for time.Since(began) < failoverWindow {
		nodes, err := witness.listNodes(t.Context())
		if err != nil || len(nodes) == 0 {
			t.Fatalf("by the load balancer that lives: %d nodes, %v", len(nodes), err)
		}
		for _, node := range nodes {
			for _, condition := range node.Status.Conditions {
				if condition.Type != corev1.NodeReady {
					continue
				}
				if condition.Status != corev1.ConditionTrue {
					t.Fatalf("after %s node %s is not Ready: %s", time.Since(began), node.Name, condition.Message)
				}
				if at := condition.LastHeartbeatTime.Time; !slices.ContainsFunc(beats[node.Name], at.Equal) {
					beats[node.Name] = append(beats[node.Name], at)
				}
			}
		}
		pass(t, s, 5*time.Second)
	}
	return beats
}

// measureKubelets returns when the last of the kubelets whose heartbeats failed had sent one again.
func measureKubelets(t *testing.T, zone *simcloud.Zone, beats map[string][]time.Time, began time.Time) (outage time.Duration) {
	t.Helper()
	consoles, failed := zone.Consoles(), 0
	for node, sent := range beats {
		failure := findLastFailure(t, consoles[node], began)
		if failure.IsZero() {
			continue
		}
		failed++
		next := slices.IndexFunc(sent, func(at time.Time) bool { return !at.Before(failure) })
		if next < 0 {
			t.Fatalf("node %s has sent no heartbeat since its failure %s after the loss", node, failure.Sub(began))
		}
		outage = max(outage, sent[next].Sub(began))
	}
	t.Logf("%d of %d kubelets sent a heartbeat that failed", failed, len(beats))
	if failed == 0 {
		t.Error("no kubelet was connected to the load balancer that died: nothing was measured")
	}
	return outage
}

// findLastFailure returns when a kubelet's heartbeat failed last, by its console; zero: never since the loss.
func findLastFailure(t *testing.T, console []string, began time.Time) (failure time.Time) {
	t.Helper()
	for _, line := range console {
		stamp, text, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(text, "kubelet: error updating node status") {
			continue
		}
		at, err := time.Parse(time.DateTime, began.UTC().Format(time.DateOnly)+" "+stamp)
		if err != nil {
			t.Fatal(err)
		}
		if at.After(began) {
			failure = at
		}
	}
	return failure
}
