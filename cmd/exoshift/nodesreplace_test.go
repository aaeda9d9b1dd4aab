package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

func replaceNodes(t *testing.T, s run.Run, wanted appnodes.Removal, alter func(*nodes.Clients)) (string, error) {
	t.Helper()
	return changeNodes(t, s, wanted, alter, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	})
}

func resizeNodes(t *testing.T, s run.Run, size appnodes.Size, wanted appnodes.Removal, alter func(*nodes.Clients)) (string, error) {
	t.Helper()
	return changeNodes(t, s, wanted, alter, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Resize(ctx, size, wanted, nodeInstaller(s), shown)
	})
}

// cordons counts the nodes that are cordoned at a time, and the workers that are ready when one is.
type cordons struct {
	nodes.Cluster
	now, most, leastReady int
}

func (c *cordons) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	all, err := c.ListClusterNodes(ctx)
	if err != nil {
		return "", err
	}
	ready := 0
	for _, member := range all {
		if member.Ready && strings.HasPrefix(member.Name, "worker-") {
			ready++
		}
	}
	if c.leastReady == 0 || ready < c.leastReady {
		c.leastReady = ready
	}
	c.now++
	c.most = max(c.most, c.now)
	return c.Cluster.SetCordon(ctx, node, cordoned)
}

func (c *cordons) DeleteNode(ctx context.Context, node string) (state.Action, error) {
	c.now--
	return c.Cluster.DeleteNode(ctx, node)
}

// countMachines counts the machines of a role.
func countMachines(t *testing.T, s run.Run, role string) (count int) {
	t.Helper()
	b := backdoor{t, s}
	for _, machine := range b.list("/instance", "instances") {
		if name, _ := machine["name"].(string); strings.HasPrefix(name, role+"-") {
			count++
		}
	}
	return count
}

// nodeReplaced requires that the new node is ready before the old one is cordoned, and that the answers stay as they are.
func nodeReplaced(t *testing.T, s run.Run, zone *simcloud.Zone) {
	serveWeb(t, s, 4, 3)
	requestCluster(t, s, http.MethodPost, "/api/v1/nodes", `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "stranger"}}`, new(map[string]any))
	before := zone.Mutations()
	for names, says := range map[string]string{
		"worker-3 worker-3": "named twice",
		"worker-7":          "has no node worker-7", "stranger": "no machine of this cluster behind it",
	} {
		_, err := replaceNodes(t, s, appnodes.Removal{Names: strings.Fields(names)}, nil)
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "replace nodes: nothing was changed: ") {
			t.Errorf("%s: exit code %d, %v", names, exit.Code(err), err)
		}
	}
	requestCluster(t, s, http.MethodDelete, "/api/v1/nodes/stranger", "", nil)
	if _, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}, DryRun: true}, nil); err != nil || zone.Mutations() != before {
		t.Errorf("a dry run: %v, %d calls changed something", err, zone.Mutations()-before)
	}
	seen := &cordons{}
	out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, func(clients *nodes.Clients) { seen.Cluster = clients.Cluster; clients.Cluster = seen })
	if err != nil || !strings.Contains(out, "evicted shop/web-") {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if seen.leastReady != 5 {
		t.Errorf("%d workers were ready when worker-1 was cordoned", seen.leastReady)
	}
	checkRemoved(t, s, "worker-1", 11)
	checkDay2Events(t, s.Folder, "worker-1", "worker-4")
	if ready := countWeb(t, s, ""); ready < 3 {
		t.Errorf("%d replicas are ready", ready)
	}
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if names := machineNames(spec, state.RoleWorker); err != nil || !slices.Equal(names, []string{"worker-0", "worker-2", "worker-3", "worker-4"}) {
		t.Errorf("the workers are %v: %v", names, err)
	}
	if _, err = replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "it is gone already") {
		t.Errorf("once more: %v", err)
	}
}

func machineNames(spec state.Spec, role state.Role) (names []string) {
	for _, machine := range spec.Machines(role) {
		names = append(names, machine.Name)
	}
	return names
}

// replacementStopped requires that a replacement that was stopped while its machine was made, and while a budget blocked it, makes no
// other machine, leaves nothing cordoned, keeps other verbs from the nodes in question, and ends by the same command.
func replacementStopped(t *testing.T, s run.Run, _ *simcloud.Zone) {
	serveWeb(t, s, 4, 4)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for countMachines(t, s, "worker") == 4 {
			passTime(t, s, time.Second)
		}
		stop()
	}()
	_, err := changeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
	})
	if exit.Code(err) != exit.Interrupted {
		t.Fatalf("stopped: exit code %d, %v", exit.Code(err), err)
	}
	passTime(t, s, 10*time.Minute)
	requireBegun := func(when string) {
		t.Helper()
		for _, node := range listNodes(t, s) {
			if node.Node != nil && node.Node.Cordoned {
				t.Errorf("%s: %s is cordoned", when, node.Name)
			}
			if want := node.Name == "worker-1"; (node.Removal != nil && node.Removal.ReplacedBy == "worker-4") != want {
				t.Errorf("%s: of %s, the removal is %+v", when, node.Name, node.Removal)
			}
		}
		if count := countMachines(t, s, "worker"); count != 5 {
			t.Errorf("%s: %d workers", when, count)
		}
	}
	requireBegun("stopped")
	if _, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-4"}}, nil); err == nil || !strings.Contains(err.Error(), "takes the place of worker-1") {
		t.Errorf("the replacement is removed: %v", err)
	}
	if _, err := removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); err == nil || !strings.Contains(err.Error(), "which takes the place of worker-1, is not ready") {
		t.Errorf("the replaced one is removed: %v", err)
	}
	if _, err := addNodes(t, s, "workers", 1, false); err == nil || !strings.Contains(err.Error(), "the replacement of worker-1 has not ended") {
		t.Errorf("another one is added: %v", err)
	}
	out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil)
	if exit.Code(err) != exit.Nodes || !strings.Contains(out, "The disruption budget web needs 4 healthy pods") {
		t.Errorf("blocked: exit code %d, %v\n%s", exit.Code(err), err, lastLines(out))
	}
	requireBegun("blocked")
	s.Spec = s.Spec.WithFacts(state.Facts{})
	installed(t, s) // an installation in between makes nothing of it
	requireBegun("installed")
	larger := s
	larger.Spec.Sizing.Workers.Count++ // the name of worker-1 would be the lowest that is free
	if err := changes.Check(s.Folder, larger.Spec, func(answers []changes.Answer) {
		if len(answers) != 1 || !slices.Contains(answers[0].Actions, "exoshift nodes replace worker-1") {
			t.Errorf("for one more worker: %+v", answers)
		}
	}); exit.Code(err) != exit.Answers {
		t.Errorf("one more worker is accepted: %v", err)
	}
	requestCluster(t, s, http.MethodDelete, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web", "", nil)
	if out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	checkRemoved(t, s, "worker-1", 11)
	checkDay2Events(t, s.Folder, "worker-1", "worker-4")
}

// deadNodeReplaced replaces a node whose machine is stopped together with one that is well.
func deadNodeReplaced(t *testing.T, s run.Run, _ *simcloud.Zone) {
	b := backdoor{t, s}
	b.ask(http.MethodPut, "/instance/"+b.id("/instance", "instances", "name", "worker-2")+":stop", map[string]any{})
	var last error
	for range 60 { // until its cluster notices, and is well otherwise
		var out string
		if out, last = replaceNodes(t, s, appnodes.Removal{Names: []string{"worker-0", "worker-2"}}, nil); last == nil {
			if dead, well := strings.Index(out, `"step":"add-worker-`), strings.Index(out, `"step":"cordon-worker-0"`); dead < 0 || well < strings.Index(out, `"step":"cordon-worker-2"`) {
				t.Errorf("the dead one was not first:\n%s", lastLines(out))
			}
			checkRemoved(t, s, "worker-2", 11)
			checkRemoved(t, s, "worker-0", 11)
			return
		}
		passTime(t, s, 20*time.Second)
	}
	t.Errorf("it cannot be replaced: %v", last)
}

// groupResized requires that all nodes of a group are replaced one after the other, and the refusals of what cannot be.
func groupResized(t *testing.T, s run.Run, zone *simcloud.Zone) {
	group := s.Spec.Group(state.RoleWorker)
	disk := group.RootDisk + group.DataDisk
	before := zone.Mutations()
	requestCluster(t, s, http.MethodPost, "/api/v1/namespaces/default/pods", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"}, "spec": {
		"nodeName": "worker-2", "containers": [{"name": "c", "image": "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}]}}`, new(map[string]any))
	_, err := resizeNodes(t, s, appnodes.Size{Group: "workers", Type: "standard.titan"}, appnodes.Removal{}, nil)
	if exit.Code(err) != exit.Answers || !strings.HasPrefix(fmt.Sprint(err), "resize nodes: nothing was changed: on worker-2 ") {
		t.Errorf("a pod that nobody makes again: exit code %d, %v", exit.Code(err), err)
	}
	requestCluster(t, s, http.MethodDelete, "/api/v1/namespaces/default/pods/alone?gracePeriodSeconds=0", "", nil)
	for name, c := range map[string]struct {
		size appnodes.Size
		code int
		says string
	}{
		"an unknown group": {appnodes.Size{Group: "nowhere", Type: group.Type}, exit.Usage, "it has infra, storage, workers"},
		"storage":          {appnodes.Size{Group: "storage", Type: group.Type}, exit.Answers, "the data of storage nodes"},
		"another family":   {appnodes.Size{Group: "workers", Type: "gpu2.small"}, exit.Answers, "is of another family"},
		"an unknown type":  {appnodes.Size{Group: "workers", Type: "standard.none"}, exit.Answers, "standard.none"},
		"a smaller disk":   {appnodes.Size{Group: "workers", Disk: disk - 1}, exit.Answers, "cannot become smaller"},
		"the same":         {appnodes.Size{Group: "workers", Type: group.Type, Disk: disk}, exit.Answers, "already"},
	} {
		_, err := resizeNodes(t, s, c.size, appnodes.Removal{}, nil)
		if exit.Code(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: exit code %d, %v", name, exit.Code(err), err)
		}
	}
	if made := zone.Mutations() - before; made > 0 {
		t.Errorf("refusals changed something by %d calls", made)
	}
	requireResizeProposed(t, s)
	seen := &cordons{}
	count := func(clients *nodes.Clients) { seen.Cluster = clients.Cluster; clients.Cluster = seen }
	size := appnodes.Size{Group: "workers", Type: "standard.titan"}
	ctx, stop := context.WithCancel(t.Context())
	_, err = changeNodes(t, s, appnodes.Removal{}, count, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Resize(ctx, size, wanted, nodeInstaller(s), stopAfter{shown.(removalOutput), "add-worker-5", stop})
	})
	if exit.Code(err) != exit.Interrupted {
		t.Fatalf("stopped: exit code %d, %v", exit.Code(err), err)
	}
	seen.now = 0
	if out, err := resizeNodes(t, s, size, appnodes.Removal{}, count); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if seen.most != 1 || seen.leastReady != 5 {
		t.Errorf("%d were cordoned at a time, and %d workers were ready", seen.most, seen.leastReady)
	}
	checkRemoved(t, s, "worker-3", 11) // the names of those that went before the stop are used again
	for _, node := range listNodes(t, s) {
		if node.Role == state.RoleWorker && node.Machine.Type != size.Type {
			t.Errorf("%s is of the type %s", node.Name, node.Machine.Type)
		}
	}
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil || spec.Sizing.Workers.Type != size.Type || countMachines(t, s, "worker") != 4 {
		t.Errorf("the answers have %+v: %v", spec.Sizing.Workers, err)
	}
}

// requireResizeProposed requires that an installation with another type names the verb that changes it, once for all machines, and changes
// nothing.
func requireResizeProposed(t *testing.T, s run.Run) {
	t.Helper()
	s.Spec.Sizing.Workers.Type, s.Spec.Sizing.Infra.Count = "standard.titan", s.Spec.Sizing.Infra.Count-1
	preview, err := s.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hint := fault.HintOf(preview.Refusal)
	for _, want := range []string{"exoshift nodes resize --group workers --type standard.titan\n", "exoshift nodes remove infra-3\n"} {
		if strings.Count(hint, want) != 1 {
			t.Errorf("it does not propose %q once:\n%s", want, hint)
		}
	}
	err = installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: io.Discard})
	if exit.Code(err) != exit.Answers {
		t.Errorf("exit code %d, %v", exit.Code(err), err)
	}
}

// stopAfter stops a run once a step has begun.
type stopAfter struct {
	removalOutput
	step string
	stop func()
}

func (s stopAfter) Open(ctx context.Context, shown run.View) run.Renderer {
	renderer := s.removalOutput.Open(ctx, shown)
	emit := renderer.Emit
	renderer.Emit = func(e provisioner.Event) {
		emit(e)
		if e.Step == s.step {
			s.stop()
		}
	}
	return renderer
}
