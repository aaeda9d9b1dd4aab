package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

func fourWorkers(spec *state.Spec) {
	spec.Sizing.Workers.Count, spec.Sizing.Infra.Count, spec.Sizing.Storage.Count = 4, 4, 0
}

// Tests of nodes share one installation; each gets a copy of the zone and of the cluster's folder.
func TestNodes_OfAnInstalledCluster(t *testing.T) {
	whole(t)
	t.Parallel()
	dir := t.TempDir()
	var finished time.Time
	virtuallyIn(t, circumstances{dir: dir, spec: fourWorkers}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		finished = time.Now()
	})
	tests := map[string]func(*testing.T, run.Run, *simcloud.Zone){
		"a removed one is missed by nobody":         nodeRemoved,
		"a budget blocks its removal":               removalBlocked,
		"a router goes elsewhere first":             routerRemoved,
		"what the cluster cannot lose":              removalsRefused,
		"what is not safe now":                      unsafeRemovals,
		"another takes the place of a replaced one": nodeReplaced,
		"a volume follows its pod":                  volumeFollows,
	}
	if !testing.Short() { // make faults runs these
		tests["a group of another size is replaced"] = groupResized
		tests["a removal waits for its window"] = removalWaits
		tests["a dead machine is removed without an eviction"] = deadNodeRemoved
		tests["both load balancers are replaced"] = balancersReplaced
		tests["a dead master is replaced"] = deadMasterReplaced
		tests["a dead one is replaced"] = deadNodeReplaced
		tests["a replacement that is stopped goes on"] = replacementStopped
		tests["added ones fill the gap of a removed one"] = nodesAdded
		tests["added ones trust the authority of now"] = authorityFollowed
		tests["a load balancer that must not be replaced now"] = balancerRefused
		tests["load balancers that cannot follow the answers"] = balancersReconfigured
		tests["a load balancer that is kept"] = balancerKept
		tests["masters of another type are resized"] = mastersResized
		tests["masters that the cluster cannot do without"] = mastersRefused
	}
	for name, loop := range listFaultLoops() {
		for first, how := range []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst} {
			t.Run(name+" with a fault at every call: "+string(how), func(t *testing.T) {
				long(t)
				if name == "a repair of certificates" && how != killedAfter {
					exhaustive(t) // each has a cluster that is off for 40 days, a minute of work; this fault is the hardest
				}
				t.Parallel()
				copied, by := t.TempDir(), &faultInjector{how: how}
				copyTree(t, dir, copied)
				virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: fourWorkers, middleware: by.before}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
					waitForNodes(t, s)
					loop(t, s, by, first)
				})
			})
		}
	}
	for name, loop := range listMasterLoops() {
		t.Run(name, func(t *testing.T) {
			long(t)
			t.Parallel()
			copied, by := t.TempDir(), &faultInjector{how: loop.how}
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: fourWorkers, middleware: by.before}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
				waitForNodes(t, s)
				loop.run(t, s, by)
			})
		})
	}
	t.Run("the scenario node-never-returns", func(t *testing.T) {
		t.Parallel()
		copied := t.TempDir()
		copyTree(t, dir, copied)
		nodeNeverReturns(t, copied, finished)
	})
	for scenario, test := range nodeScenarios() {
		t.Run("the scenario "+scenario, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: fourWorkers, scenario: scenario}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				waitForNodes(t, s)
				test(t, s, zone)
			})
		})
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: fourWorkers}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				waitForNodes(t, s)
				test(t, s, zone)
			})
		})
	}
}

// removalOutput shows a removal as lines of text.
type removalOutput struct {
	cli.Display
	out *bytes.Buffer
}

func (o removalOutput) ShowPlan(plan appnodes.Plan) error {
	for _, target := range plan.Targets {
		fmt.Fprintf(o.out, "plan %s: %d pods, blocked: %s\n", target.Name, len(target.Pods), strings.Join(target.Blocked, "; "))
	}
	return nil
}
func (removalOutput) Confirm(context.Context) error { return nil }
func (o removalOutput) Warn(line string)            { fmt.Fprintln(o.out, line) }
func (o removalOutput) Close(plan appnodes.Plan, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure), plan.Retry)
}

func clusterOf(t *testing.T, s run.Run) appnodes.Cluster {
	t.Helper()
	cluster, err := appnodes.Read(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	cluster.Net, cluster.Secrets, cluster.Access = s.Net, s.Secrets, s.Access
	return cluster
}

func removeNodes(t *testing.T, s run.Run, wanted appnodes.Removal, alter func(*nodes.Clients)) (string, error) {
	t.Helper()
	return changeNodes(t, s, wanted, alter, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Remove(ctx, wanted, nodeInstaller(s), shown)
	})
}

func changeNodes(t *testing.T, s run.Run, wanted appnodes.Removal, alter func(*nodes.Clients), do func(context.Context, appnodes.Cluster, appnodes.Removal, appnodes.Display) error) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cluster := clusterOf(t, s)
	cluster.Alter = alter
	if wanted.Timeout == 0 {
		wanted.Timeout = 10 * time.Minute
	}
	wanted.FormatRetry = formatNames
	err := do(t.Context(), cluster, wanted, removalOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out})
	return out.String(), err
}

func formatNames(names []string) string { return "exoshift nodes ... " + strings.Join(names, " ") }

func listNodes(t *testing.T, s run.Run) []nodes.Node {
	t.Helper()
	all, err := clusterOf(t, s).List(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// waitForNodes waits until the cluster of a zone that was opened again is as it was: its machines have started.
func waitForNodes(t *testing.T, s run.Run) {
	t.Helper()
	for range 60 {
		all, err := clusterOf(t, s).List(t.Context(), false)
		if err == nil && !slices.ContainsFunc(all, func(n nodes.Node) bool { return n.Node == nil || !n.Node.Ready }) {
			if _, err = removeNodes(t, s, appnodes.Removal{Names: []string{"worker-3"}, DryRun: true, Force: true, DeleteEmptyDir: true}, nil); err == nil {
				return
			}
		}
		passTime(t, s, 20*time.Second)
	}
	t.Fatal("the cluster does not become well")
}

func passTime(t *testing.T, s run.Run, length time.Duration) {
	t.Helper()
	if err := s.Net.Clock.Sleep(t.Context(), length); err != nil {
		t.Fatal(err)
	}
}

// checkRemoved requires that nothing is left of a node, and that an installation has nothing to do.
func checkRemoved(t *testing.T, s run.Run, name string, left int) {
	t.Helper()
	all := listNodes(t, s)
	for _, node := range all {
		if node.Name == name || len(node.Differs()) > 0 || node.Node.Cordoned {
			t.Errorf("node %+v differs: %v", node, node.Differs())
		}
	}
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil || len(spec.Nodes()) != left || len(all) != left {
		t.Errorf("%d nodes, %d in the answers, not %d: %v", len(all), len(spec.Nodes()), left, err)
	}
	if removals := facts(t, s).Removals; len(removals) > 0 {
		t.Errorf("removals go on: %+v", removals)
	}
	s.Spec = spec.WithFacts(state.Facts{}) // as an answers file has it
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
}

// serveWeb runs an application on the workers.
func serveWeb(t *testing.T, s run.Run, replicas, budget int) {
	t.Helper()
	serveWebOn(t, s, "app", replicas, budget)
}

func serveWebOn(t *testing.T, s run.Run, role string, replicas, budget int) {
	t.Helper()
	requestCluster(t, s, http.MethodPost, "/api/v1/namespaces", `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}`, new(map[string]any))
	requestCluster(t, s, http.MethodPost, "/apis/apps/v1/namespaces/shop/deployments", fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
		"spec": {"replicas": %d, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
		"nodeSelector": {"node-role.kubernetes.io/%s": ""}, "containers": [{"name": "web", "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}]}}}}`, replicas, role), new(map[string]any))
	requestCluster(t, s, http.MethodPost, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets", fmt.Sprintf(`{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
		"metadata": {"name": "web"}, "spec": {"minAvailable": %d, "selector": {"matchLabels": {"app": "web"}}}}`, budget), new(map[string]any))
	for range 60 {
		if countWeb(t, s, "") == replicas {
			passTime(t, s, time.Minute) // the budget is counted
			return
		}
		passTime(t, s, 10*time.Second)
	}
	t.Fatalf("%d replicas are ready", countWeb(t, s, ""))
}

// countWeb counts the ready replicas on a node; "" is any.
func countWeb(t *testing.T, s run.Run, node string) (ready int) {
	t.Helper()
	var pods struct {
		Items []struct {
			Spec   struct{ NodeName string }
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}
	}
	askCluster(t, s, http.MethodGet, "/api/v1/namespaces/shop/pods", &pods)
	for _, pod := range pods.Items {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == "True" && (node == "" || pod.Spec.NodeName == node) {
				ready++
			}
		}
	}
	return ready
}

func nodeRemoved(t *testing.T, s run.Run, zone *simcloud.Zone) {
	serveWeb(t, s, 4, 3)
	if countWeb(t, s, "worker-1") != 1 {
		t.Fatal("worker-1 has no replica")
	}
	before := zone.Mutations()
	if out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}, DryRun: true}, nil); err != nil || !strings.Contains(out, "plan worker-1: 1 pods") || zone.Mutations() != before {
		t.Errorf("a dry run: %v, %d calls changed something\n%s", err, zone.Mutations()-before, out)
	}
	out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil)
	if err != nil || !strings.Contains(out, "evicted shop/web-") {
		t.Fatalf("%v\n%s", err, out)
	}
	checkRemoved(t, s, "worker-1", 10)
	if ready := countWeb(t, s, ""); ready < 3 {
		t.Errorf("%d replicas are ready", ready)
	}
	if _, err = removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "it is gone already") {
		t.Errorf("once more: %v", err)
	}
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	spec.Sizing.Workers.Count = 4
	s.Spec = spec.WithFacts(state.Facts{})
	if names := pending(t, s); !slices.Equal(names, []string{"created instance worker-1"}) {
		t.Errorf("for one more, an installation would change %v", names)
	}
}

func removalBlocked(t *testing.T, s run.Run, _ *simcloud.Zone) {
	serveWeb(t, s, 4, 4)
	out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-0"}}, nil)
	if exit.Code(err) != exit.Nodes || !strings.Contains(out, "of Deployment/web: The disruption budget web needs 4 healthy pods and has 4 currently") {
		t.Errorf("exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
	}
	if !strings.Contains(out, "of Deployment/web: the disruption budget web permits no eviction now") {
		t.Errorf("the plan does not foresee it:\n%s", out)
	}
	for _, node := range listNodes(t, s) {
		if node.Node.Cordoned || node.Removal != nil {
			t.Errorf("%s is cordoned, or its removal goes on: %+v", node.Name, node.Removal)
		}
	}
	ctx, stop := context.WithCancel(t.Context()) // Ctrl-C
	time.AfterFunc(2*time.Minute, stop)
	var ignored bytes.Buffer
	err = clusterOf(t, s).Remove(ctx, appnodes.Removal{Names: []string{"worker-0"}, Timeout: time.Hour, FormatRetry: formatNames}, nodeInstaller(s), removalOutput{jsonDisplay(cli.Streams{Out: &ignored, Err: io.Discard}), &ignored})
	if exit.Code(err) != exit.Interrupted || slices.ContainsFunc(listNodes(t, s), func(n nodes.Node) bool { return n.Node.Cordoned }) {
		t.Errorf("stopped: %v", err)
	}
	requestCluster(t, s, http.MethodDelete, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web", "", nil)
	if out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-0"}}, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	checkRemoved(t, s, "worker-0", 10)
}

func routerRemoved(t *testing.T, s run.Run, _ *simcloud.Zone) {
	router := func() (nodes []string) {
		var pods struct {
			Items []struct{ Spec struct{ NodeName string } }
		}
		askCluster(t, s, http.MethodGet, "/api/v1/namespaces/openshift-ingress/pods", &pods)
		for _, pod := range pods.Items {
			nodes = append(nodes, pod.Spec.NodeName)
		}
		return nodes
	}
	removed := router()[0]
	if out, err := removeNodes(t, s, appnodes.Removal{Names: []string{removed}}, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if routers := router(); len(routers) != 2 || slices.Contains(routers, removed) {
		t.Errorf("routers on %v", routers)
	}
	checkRemoved(t, s, removed, 10)
}

func removalsRefused(t *testing.T, s run.Run, zone *simcloud.Zone) {
	requestCluster(t, s, http.MethodPost, "/api/v1/nodes", `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "stranger"}}`, new(map[string]any))
	requestCluster(t, s, http.MethodPost, "/api/v1/namespaces/default/pods", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}, "spec": {
		"nodeName": "worker-2", "volumes": [{"name": "v", "emptyDir": {}}], "containers": [{"name": "c", "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}]}}`, new(map[string]any))
	before := zone.Mutations()
	for _, c := range []struct {
		names, says string
		force       bool
	}{
		{"master-1", "which etcd has a member on", false},
		{"lb-0", "is a load balancer", false},
		{"worker-3 worker-3", "named twice", false},
		{"worker-7", "has no node worker-7", false},
		{"stranger", "no machine of this cluster behind it", false},
		{"worker-0 worker-1", "2 workers would be left", false},
		{"infra-0 infra-1 infra-2 infra-3", "infra would have no node left", false},
		{"infra-0 infra-1 infra-2", "routers run on the nodes of infra", false},
		{"infra-0 infra-1", "sizing.infra.count", false},
		{"worker-2", "nobody makes again: default/alone", false},
		{"worker-2", "emptyDir): default/alone", true},
	} {
		_, err := removeNodes(t, s, appnodes.Removal{Names: strings.Fields(c.names), Force: c.force}, nil)
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: exit code %d, %v", c.names, exit.Code(err), err)
		}
	}
	if made := zone.Mutations() - before; made > 0 || len(facts(t, s).Removals) > 0 {
		t.Errorf("%d calls changed something, removals %+v", made, facts(t, s).Removals)
	}
}

func deadNodeRemoved(t *testing.T, s run.Run, _ *simcloud.Zone) {
	b := backdoor{t, s}
	b.ask(http.MethodPut, "/instance/"+b.id("/instance", "instances", "name", "worker-2")+":stop", map[string]any{})
	var last error
	for range 60 { // until its cluster notices, and is well otherwise
		if _, last = removeNodes(t, s, appnodes.Removal{Names: []string{"worker-2"}}, nil); last == nil {
			checkRemoved(t, s, "worker-2", 10)
			return
		}
		passTime(t, s, 20*time.Second)
	}
	t.Errorf("it cannot be removed: %v", last)
}
