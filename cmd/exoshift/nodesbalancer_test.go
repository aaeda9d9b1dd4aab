package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

func replaceBalancers(t *testing.T, s run.Run, names string, alter func(*appnodes.Cluster)) (string, error) {
	t.Helper()
	return changeNodes(t, s, appnodes.Removal{Names: strings.Fields(names)}, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		if alter != nil {
			alter(&cluster)
		}
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	})
}

// requestCounter sends requests through both elastic IPs, each by a connection of its own, and counts those that fail.
type requestCounter struct {
	mu       sync.Mutex
	requests map[string]int
	failures []string
	stop     func()
}

// countRequests begins with it.
func countRequests(t *testing.T, s run.Run) *requestCounter {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := &requestCounter{requests: map[string]int{}}
	console, api := newConsoleClient(t, s), newConsoleClient(t, s)
	kubeconfig, err := s.ReadKubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	authorities, err := kubeapi.ParseAuthorities(kubeconfig)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(authorities) {
		t.Fatalf("the API has no authority: %v", err)
	}
	api.Transport = &http.Transport{DialContext: s.Net.Dial, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	api.address = "https://api." + s.Spec.Domain() + ":6443/readyz"
	var running sync.WaitGroup
	for through, client := range map[string]*consoleClient{"api": api, "ingress": console} {
		running.Go(func() {
			for ctx.Err() == nil {
				err := client.open(ctx)
				if ctx.Err() == nil {
					c.count(through, s.Net.Clock.Now(), err)
				}
				_ = s.Net.Clock.Sleep(ctx, 2*time.Second)
			}
		})
	}
	c.stop = func() {
		cancel()
		running.Wait()
	}
	return c
}

func (c *requestCounter) count(through string, at time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[through]++; err != nil {
		c.failures = append(c.failures, fmt.Sprintf("%s %s: %v", at.Format(time.TimeOnly), through, err))
	}
}

// balancersReplaced requires that both are replaced without one request that fails through either elastic IP, and that nothing else is
// changed.
func balancersReplaced(t *testing.T, s run.Run, zone *simcloud.Zone) {
	pass(t, s, 5*time.Minute) // the health checks of a zone that has just been opened
	before, tally := listBalancers(t, s), listTally(t, s)
	mutations := zone.Mutations()
	if _, err := changeNodes(t, s, appnodes.Removal{Names: []string{"lb-0"}, DryRun: true}, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	}); err != nil || zone.Mutations() != mutations {
		t.Errorf("a dry run: %v, %d calls changed something", err, zone.Mutations()-mutations)
	}
	counter := countRequests(t, s)
	out, err := replaceBalancers(t, s, "lb-0 lb-1", nil)
	counter.stop()
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if len(counter.failures) > 0 || counter.requests["api"] < 100 || counter.requests["ingress"] < 100 {
		t.Errorf("of %v requests, %d failed: %v", counter.requests, len(counter.failures), counter.failures)
	}
	after := listBalancers(t, s)
	for name, id := range before {
		if after[name] == "" || after[name] == id {
			t.Errorf("%s is the machine %q, and was %q", name, after[name], id)
		}
	}
	checkBalancers(t, s, tally)
}

// balancersReconfigured requires that an installation with changed answers replaces load balancers whose configuration cannot follow, as the
// verb does it: here, those of an early version, which send all routers the same protocol.
func balancersReconfigured(t *testing.T, s run.Run, _ *simcloud.Zone) {
	pass(t, s, 5*time.Minute)
	before, tally := listBalancers(t, s), listTally(t, s)
	for name := range before {
		early := "server-template router 1-16 router." + s.Spec.Domain() + ":443 check send-proxy-v2\n"
		if err := s.Folder.SaveUserData(name, []byte(early)); err != nil {
			t.Fatal(err)
		}
	}
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("with the same answers, an installation would change %v", names)
	}
	s.Spec.LoadBalancer.ProxyProtocol = false
	want := []string{"updated ingress-controller default", "updated instance lb-0", "updated instance lb-1"}
	if names := pending(t, s); !slices.Equal(names, want) {
		t.Errorf("an installation would change %v, not %v", names, want)
	}
	counter := countRequests(t, s)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for countMachines(t, s, "lb") == len(before) {
			passTime(t, s, time.Second)
		}
		stop()
	}()
	if err := installWith(ctx, s, cli.Streams{Out: io.Discard, Err: io.Discard}); exit.Code(err) != exit.Interrupted {
		t.Errorf("stopped once a machine was deleted: %v", err)
	}
	installed(t, s)
	pass(t, s, 5*time.Minute) // for two routers
	counter.stop()
	if len(counter.failures) > 0 || counter.requests["api"] < 100 || counter.requests["ingress"] < 100 {
		t.Errorf("of %v requests, %d failed: %v", counter.requests, len(counter.failures), counter.failures)
	}
	for name, id := range listBalancers(t, s) {
		if id == before[name] {
			t.Errorf("%s was not replaced", name)
		}
	}
	checkBalancers(t, s, tally)
}

// listBalancers returns the IDs of the machines of load balancers by name.
func listBalancers(t *testing.T, s run.Run) map[string]string {
	t.Helper()
	all, err := clusterOf(t, s).ListBalancers(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, node := range all {
		if node.Machine == nil || len(node.Differs()) > 0 || len(node.Findings()) > 0 {
			t.Errorf("%s: %v, %v", node.Name, node.Differs(), node.Findings())
			continue
		}
		ids[node.Name] = node.Machine.ID
	}
	return ids
}

// checkBalancers requires that nothing is left of a replacement, and that an installation has nothing to do.
func checkBalancers(t *testing.T, s run.Run, tally []string) {
	t.Helper()
	if begun := facts(t, s).Balancers; len(begun) > 0 {
		t.Errorf("replacements go on: %+v", begun)
	}
	if now := listTally(t, s); !slices.Equal(now, tally) {
		t.Errorf("there are %v, and were %v", now, tally)
	}
	var pods struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if askCluster(t, s, http.MethodGet, "/api/v1/namespaces/default/pods", &pods); len(pods.Items) > 0 {
		t.Errorf("pods are left: %+v", pods.Items)
	}
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	s.Spec = spec.WithFacts(state.Facts{})
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
}

// balancerRefused requires that nothing is changed where names are wrong, a node joins, or the other load balancer does not serve.
func balancerRefused(t *testing.T, s run.Run, zone *simcloud.Zone) {
	pass(t, s, 5*time.Minute)
	before := zone.Mutations()
	refused := func(names, says string, alter func(*appnodes.Cluster)) {
		t.Helper()
		_, err := replaceBalancers(t, s, names, alter)
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "nothing was changed: ") {
			t.Errorf("%s: exit code %d, %v", names, exit.Code(err), err)
		}
	}
	refused("lb-0 lb-0", "named twice", nil)
	refused("lb-0 worker-1", "worker-1 is no load balancer", nil)
	refused("lb-0 lb-7", "lb-7 is no load balancer", nil)
	refused("lb-0", "worker-1 is not ready, it may be restarting", func(cluster *appnodes.Cluster) {
		cluster.AlterBalancers = func(clients *balancers.Clients) { clients.Cluster = restartingNode{clients.Cluster} }
	})
	refused("lb-0", "worker-2 has not joined yet", func(cluster *appnodes.Cluster) {
		cluster.AlterBalancers = func(clients *balancers.Clients) { clients.Cluster = joiningNode{clients.Cluster} }
	})
	if made := zone.Mutations() - before; made > 0 || len(facts(t, s).Balancers) > 0 {
		t.Errorf("%d calls changed something", made)
	}
	b := backdoor{t, s}
	b.ask(http.MethodPut, "/instance/"+b.id("/instance", "instances", "name", "lb-1")+":stop", map[string]any{})
	pass(t, s, time.Minute) // until the elastic IPs do without it
	refused("lb-0", "the machine of lb-1 is stopped", nil)
	if _, err := replaceBalancers(t, s, "lb-1", nil); err != nil {
		t.Errorf("the one that is stopped: %v", err)
	}
}

// balancerKept requires that a load balancer gets the elastic IPs back when its replacement is stopped, and that it keeps them while no node
// reaches the other one.
func balancerKept(t *testing.T, s run.Run, _ *simcloud.Zone) {
	pass(t, s, 5*time.Minute)
	before, tally := listBalancers(t, s), listTally(t, s)
	requireKept := func(when string) {
		t.Helper()
		if after := listBalancers(t, s); !maps.Equal(after, before) {
			t.Errorf("%s: the load balancers are %v, and were %v", when, after, before)
		}
		checkBalancers(t, s, tally)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, err := changeNodes(t, s, appnodes.Removal{Names: []string{"lb-0"}}, nil, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), stopWaiting{shown.(removalOutput), "hand-over-lb-0", func() {
			if attached := len(listAttached(t, s, before["lb-0"])); attached > 0 {
				t.Errorf("it holds %d elastic IPs while clients are waited for", attached)
			}
			stop()
		}})
	})
	if exit.Code(err) != exit.Interrupted || !strings.Contains(out, "it has the elastic IPs again") {
		t.Fatalf("stopped: exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
	}
	requireKept("stopped")
	out, err = changeNodes(t, s, appnodes.Removal{Names: []string{"lb-0"}}, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), closedDoor{shown.(removalOutput), backdoor{t, s}})
	})
	if exit.Code(err) != exit.Nodes || !strings.Contains(out, "no answer for: machine-config") {
		t.Errorf("not reached from a node: exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
	}
	installed(t, s) // the rule
	requireKept("not reached from a node")
}

// listAttached returns the elastic IPs of a machine.
func listAttached(t *testing.T, s run.Run, machine string) []any {
	t.Helper()
	attached, _ := backdoor{t, s}.ask(http.MethodGet, "/instance/"+machine, nil)["elastic-ips"].([]any)
	return attached
}

// stopWaiting stops a run once a step waits.
type stopWaiting struct {
	removalOutput
	step string
	stop func()
}

func (s stopWaiting) Open(ctx context.Context, shown run.View) run.Renderer {
	renderer := s.removalOutput.Open(ctx, shown)
	emit := renderer.Emit
	renderer.Emit = func(e provisioner.Event) {
		emit(e)
		if e.Step == s.step && e.Type == provisioner.TypeWait {
			s.stop()
		}
	}
	return renderer
}

// closedDoor closes the port of the machine config server to the nodes once the plan is agreed to.
type closedDoor struct {
	removalOutput
	backdoor backdoor
}

func (d closedDoor) Confirm(context.Context) error {
	group := "/security-group/" + d.backdoor.id("/security-group", "security-groups", "name", "c-demo-1_load_balancers")
	rules, _ := d.backdoor.ask(http.MethodGet, group, nil)["rules"].([]any)
	for _, one := range rules {
		if rule := one.(map[string]any); rule["start-port"] == 22623.0 {
			d.backdoor.ask(http.MethodDelete, group+"/rules/"+rule["id"].(string), nil)
		}
	}
	return nil
}

// restartingNode has a node that is not ready.
type restartingNode struct{ balancers.Cluster }

func (c restartingNode) ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error) {
	all, err := c.Cluster.ListClusterNodes(ctx)
	for i := range all {
		if all[i].Name == "worker-1" {
			all[i].Ready = false
		}
	}
	return all, err
}

// joiningNode has a machine that is no node yet.
type joiningNode struct{ balancers.Cluster }

func (c joiningNode) ListClusterNodes(ctx context.Context) ([]state.ClusterNode, error) {
	all, err := c.Cluster.ListClusterNodes(ctx)
	return slices.DeleteFunc(all, func(n state.ClusterNode) bool { return n.Name == "worker-2" }), err
}
