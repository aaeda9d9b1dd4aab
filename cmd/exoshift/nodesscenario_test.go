package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// nodeScenarios are the scenarios about nodes of a cluster that runs, each with what the program has to do in it.
func nodeScenarios() map[string]func(*testing.T, run.Run, *simcloud.Zone) {
	return map[string]func(*testing.T, run.Run, *simcloud.Zone){
		"pdb-blocks":          budgetNamed,
		"drain-kills-router":  routersKept,
		"machine-config-lags": configAwaited,
		"member-unhealthy":    membersKept,
	}
}

// listFindings returns the evidence of each finding among the lines of a run.
func listFindings(out string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if !strings.Contains(line, `"type":"diagnosis"`) || !strings.Contains(line, `"state":"`+provisioner.Present+`"`) {
			continue
		}
		_, name, _ := strings.Cut(line, `"name":"`)
		name, _, _ = strings.Cut(name, `"`)
		found[name] = line
	}
	return found
}

func requireFinding(t *testing.T, out, rule string, says ...string) {
	t.Helper()
	line, found := listFindings(out)[rule]
	if !found {
		t.Errorf("%s is not found:\n%s", rule, lastLines(out))
	}
	for _, text := range says {
		if !strings.Contains(line, text) {
			t.Errorf("%s does not say %q: %s", rule, text, line)
		}
	}
}

func requireUncordoned(t *testing.T, s run.Run) {
	t.Helper()
	for _, node := range listNodes(t, s) {
		if node.Node != nil && node.Node.Cordoned {
			t.Errorf("%s is cordoned", node.Name)
		}
	}
}

// budgetNamed requires that pod, budget and owner are named, that no replica is lost, and that the node goes once there is room.
func budgetNamed(t *testing.T, s run.Run, _ *simcloud.Zone) {
	for range 60 {
		if countWeb(t, s, "") == 4 {
			break
		}
		passTime(t, s, 20*time.Second)
	}
	passTime(t, s, time.Minute) // the budget is counted
	node := "worker-0"
	if countWeb(t, s, node) == 0 {
		node = "worker-1" // two of the replicas are on one of the others
	}
	out, err := removeNodes(t, s, appnodes.Removal{Names: []string{node}}, nil)
	if exit.Code(err) != exit.Nodes || countWeb(t, s, "") != 4 {
		t.Errorf("exit code %d, %v, %d replicas\n%s", exit.Code(err), err, countWeb(t, s, ""), lastLines(out))
	}
	requireFinding(t, out, "pdb-blocks", "shop/web-", "of Deployment/web on "+node, "The disruption budget web needs 4 healthy pods and has 4 currently", "oc get pdb,pods -n shop")
	requireUncordoned(t, s)
	removalGivenUp(t, s, node)
	var owner sync.WaitGroup
	owner.Go(func() {
		if s.Net.Clock.Sleep(t.Context(), 20*time.Minute) == nil { // longer than the timeout
			requestCluster(t, s, http.MethodDelete, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web", "", nil)
		}
	})
	out, err = removeAttended(t, s, node, provisioner.ReplyWait)
	owner.Wait()
	if err != nil || !strings.Contains(out, "without a time limit") {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	checkRemoved(t, s, node, 10)
}

// removalGivenUp requires that a person who is asked can end a drain that is held up.
func removalGivenUp(t *testing.T, s run.Run, node string) {
	t.Helper()
	began := time.Now()
	out, err := removeAttended(t, s, node, provisioner.ReplyStop)
	if exit.Code(err) != exit.Nodes || time.Since(began) > 5*time.Minute || !strings.Contains(err.Error(), "a person decided to give it up") || !strings.Contains(out, "Give the removal up?") {
		t.Errorf("after %s: exit code %d, %v\n%s", time.Since(began), exit.Code(err), err, lastLines(out))
	}
	requireUncordoned(t, s)
}

// removeAttended removes a node in front of a person who answers each question.
func removeAttended(t *testing.T, s run.Run, node string, reply provisioner.Reply) (string, error) {
	t.Helper()
	return changeNodes(t, s, appnodes.Removal{Names: []string{node}}, nil, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Remove(ctx, wanted, nodeInstaller(s), person{shown.(removalOutput), reply})
	})
}

// person answers each question.
type person struct {
	removalOutput
	reply provisioner.Reply
}

func (p person) Open(ctx context.Context, shown run.View) run.Renderer {
	renderer := p.removalOutput.Open(ctx, shown)
	emit := renderer.Emit
	renderer.IsAttended = func() bool { return true }
	renderer.Emit = func(e provisioner.Event) {
		emit(e)
		if e.Type == provisioner.TypeDecision && e.State == provisioner.Asked {
			shown.Decide(e.Name, p.reply)
		}
	}
	return renderer
}

// routersKept replaces both nodes that have a router at the same time, and requires that no request to an application fails.
func routersKept(t *testing.T, s run.Run, _ *simcloud.Zone) {
	var budget map[string]any
	passTime(t, s, time.Minute)
	askCluster(t, s, http.MethodGet, "/apis/policy/v1/namespaces/openshift-ingress/poddisruptionbudgets/router-default", &budget)
	if budget["code"] != float64(http.StatusNotFound) {
		t.Fatalf("a budget keeps the routers: %v", budget)
	}
	placed := listRouterNodes(t, s)
	if len(placed) != 2 {
		t.Fatalf("routers on %v", placed)
	}
	ctx, stop := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	var requests, failures int
	asking.Go(func() {
		requests, failures = countFailures(ctx, s, "http://console-openshift-console."+s.Spec.AppsDomain())
	})
	out, err := replaceNodes(t, s, appnodes.Removal{Names: placed, Parallel: 2, Timeout: time.Hour}, nil)
	stop()
	asking.Wait()
	if err != nil {
		t.Errorf("%v\n%s", err, lastLines(out))
	}
	if failures > 0 || requests < 100 {
		t.Errorf("%d of %d requests failed", failures, requests)
	}
	requireFinding(t, out, "drain-kills-router", "openshift-ingress/router-default-infra-", "0 of the 1 other routers are ready")
	for _, name := range placed {
		checkRemoved(t, s, name, 11)
	}
}

func listRouterNodes(t *testing.T, s run.Run) (names []string) {
	t.Helper()
	var pods struct {
		Items []struct{ Spec struct{ NodeName string } }
	}
	askCluster(t, s, http.MethodGet, "/api/v1/namespaces/openshift-ingress/pods", &pods)
	for _, pod := range pods.Items {
		names = append(names, pod.Spec.NodeName)
	}
	slices.Sort(names)
	return names
}

// countFailures asks a page every few seconds, each time by a connection of its own, until ctx ends.
func countFailures(ctx context.Context, s run.Run, page string) (requests, failures int) {
	transport := s.Net.NewTransport()
	transport.DisableKeepAlives = true
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for s.Net.Clock.Sleep(ctx, 3*time.Second) == nil {
		requests++
		answer, err := client.Get(page)
		if err != nil || answer.StatusCode >= http.StatusInternalServerError {
			failures++
		}
		if err == nil {
			_ = answer.Body.Close()
		}
	}
	return requests, failures
}

// steadyCordons requires that no node lags behind its configuration when another one is cordoned.
type steadyCordons struct {
	nodes.Cluster
	t *testing.T
}

func (c steadyCordons) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	all, err := c.ListClusterNodes(ctx)
	for _, member := range all {
		if member.Config != member.DesiredConfig {
			c.t.Errorf("%s has %s, not %s, when %s is cordoned", member.Name, member.Config, member.DesiredConfig, node)
		}
	}
	if err != nil {
		return "", err
	}
	return c.Cluster.SetCordon(ctx, node, cordoned)
}

// configAwaited requires that a node is drained only when the one that takes its place has the configuration of its pool.
func configAwaited(t *testing.T, s run.Run, _ *simcloud.Zone) {
	began := time.Now()
	out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, func(clients *nodes.Clients) { clients.Cluster = steadyCordons{clients.Cluster, t} })
	if err != nil || time.Since(began) < 25*time.Minute {
		t.Errorf("after %s: %v\n%s", time.Since(began), err, lastLines(out))
	}
	requireFinding(t, out, "machine-config-lags", "worker-4 has rendered-worker-", "in the state Working")
	checkRemoved(t, s, "worker-1", 11)
}

// nodeNeverReturns replaces a worker by one that never boots: the old one works on, and once the machine is deleted, the same command ends
// the replacement with another one of that name.
func nodeNeverReturns(t *testing.T, dir string, finished time.Time) {
	var removed time.Time
	virtuallyIn(t, circumstances{dir: dir, begin: finished, spec: fourWorkers}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		waitForNodes(t, s)
		if out, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-3"}, Force: true, DeleteEmptyDir: true}, nil); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		removed = time.Now()
	})
	virtuallyIn(t, circumstances{dir: dir, begin: removed, spec: fourWorkers, scenario: "node-never-returns"}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		var out string
		var err error
		for range 60 { // until its cluster is well
			if out, err = replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); exit.Code(err) != exit.Answers {
				break
			}
			passTime(t, s, 20*time.Second)
		}
		if err == nil || !strings.Contains(out, `"name":"worker-3"`) {
			t.Fatalf("exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
		}
		requireFinding(t, out, "machine-silent", "exo compute instance delete --zone "+s.Spec.Exoscale.Zone+" worker-3")
		requireUncordoned(t, s)
		if count := countMachines(t, s, "worker"); count != 4 {
			t.Errorf("%d workers", count)
		}
		b := backdoor{t, s}
		b.ask(http.MethodDelete, "/instance/"+b.id("/instance", "instances", "name", "worker-3"), nil)
		passTime(t, s, 2*time.Minute)
		if out, err = replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		checkRemoved(t, s, "worker-1", 10)
	})
}
