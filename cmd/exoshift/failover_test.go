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
}

func (f failover) String() string {
	return fmt.Sprintf("| %.0f s | %.0f s |", f.outside.Seconds(), f.inside.Seconds())
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
			"outside": {seen.outside, limits.outside}, "inside": {seen.inside, limits.inside},
		} {
			if c[0] > c[1] {
				t.Errorf("%s, %s: %s, the limit is %s", internal, what, c[0], c[1])
			}
		}
	}
}

func readFailoverLimits(t *testing.T, internal string) failover {
	t.Helper()
	content, err := os.ReadFile("../../docs/failover.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var outside, inside int
		if n, _ := fmt.Sscanf(line, "| `"+internal+"` | %d s | %d s |", &outside, &inside); n == 2 {
			return failover{time.Duration(outside) * time.Second, time.Duration(inside) * time.Second}
		}
	}
	t.Fatalf("docs/failover.md has no row of %s", internal)
	return failover{}
}

func pass(t *testing.T, s run.Run, d time.Duration) {
	t.Helper()
	if err := s.Net.Clock.Sleep(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func measureFailover(t *testing.T, s run.Run, zone *simcloud.Zone) failover {
	t.Helper()
	node, err := zone.MachineNetwork("worker-0")
	if err != nil {
		t.Fatal(err)
	}
	domain := s.Spec.Domain()
	var outside, inside []*peer
	for range failoverPeers {
		outside = append(outside, newPeer(t, s, s.Net, "https://api."+domain+":6443"))
		inside = append(inside, newPeer(t, s, node, "https://api-int."+domain+":6443"))
	}
	dead, living := "lb-0", "lb-1"
	first, err := node.Lookup(t.Context(), "api-int."+domain)
	if err != nil {
		t.Fatal(err)
	}
	if (backdoor{t, s}).addressesOf(living)[0] == first[0].String() { // the one that clients ask first dies
		dead, living = living, dead
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
	if err := zone.Silence(dead); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var running sync.WaitGroup
	for _, p := range slices.Concat(outside, inside) {
		running.Go(func() { p.watch(t.Context(), s, began) })
	}
	watchNodes(t, s, witness, began)
	running.Wait()
	var seen failover
	for _, p := range outside {
		seen.outside = max(seen.outside, p.outage)
	}
	for _, p := range inside {
		seen.inside = max(seen.inside, p.outage)
	}
	return seen
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

// watchNodes requires that every node stays Ready.
func watchNodes(t *testing.T, s run.Run, witness *peer, began time.Time) {
	t.Helper()
	for time.Since(began) < failoverWindow {
		nodes, err := witness.listNodes(t.Context())
		if err != nil || len(nodes) == 0 {
			t.Fatalf("by the load balancer that lives: %d nodes, %v", len(nodes), err)
		}
		for _, node := range nodes {
			for _, condition := range node.Status.Conditions {
				if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionTrue {
					t.Fatalf("after %s node %s is not Ready: %s", time.Since(began), node.Name, condition.Message)
				}
			}
		}
		pass(t, s, 5*time.Second)
	}
}
