package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

var memberName = regexp.MustCompile(`^worker-[0-9a-f]{5}-[0-9a-z]{5}$`)

// workerPool makes the workers an instance pool, of a cluster without storage nodes.
func workerPool(spec *state.Spec) {
	spec.Sizing.Storage.Count = 0
	spec.Sizing.Workers.Pool, spec.Sizing.Workers.Min, spec.Sizing.Workers.Max = true, 3, 9
}

// checkPool requires a pool with that many members, which the facts name.
func checkPool(t *testing.T, s run.Run, count int) state.Spec {
	t.Helper()
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	pools := backdoor{t, s}.list("/instance-pool", "instance-pools")
	if len(pools) != 1 || pools[0]["name"] != "c-demo-1_worker" || pools[0]["size"] != float64(count) || len(pools[0]["instances"].([]any)) != count {
		t.Errorf("pools: %v", pools)
	}
	workers := spec.Machines(state.RoleWorker)
	for _, machine := range workers {
		if !memberName.MatchString(machine.Name) {
			t.Errorf("a worker is called %s", machine.Name)
		}
	}
	if len(workers) != count {
		t.Errorf("%d workers: %v", len(workers), workers)
	}
	return spec
}

// TestPool_InstalledAndDestroyed: the members get their names and addresses from the API, their certificates and labels as all nodes do.
func TestPool_InstalledAndDestroyed(t *testing.T) {
	whole(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: workerPool}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		before := belongings(t, s)
		installed(t, s)
		checkPool(t, s, 3)
		for _, node := range listNodes(t, s) {
			if node.Role == state.RoleWorker && len(node.Differs())+len(node.Findings()) > 0 {
				t.Errorf("%s: %v, %v", node.Name, node.Differs(), node.Findings())
			}
		}
		keptAndDestroyed(t, s, zone, before)
	})
}

// fourInPool makes the workers a pool of four, of a cluster with the cloud controller.
func fourInPool(spec *state.Spec) {
	workerPool(spec)
	spec.Sizing.Workers.Count = 4
	spec.OpenShift.CloudControllerManager = "External"
}

// waitForPool waits until the cluster of a zone that was opened again is as it was, and returns its workers.
func waitForPool(t *testing.T, s run.Run) []string {
	t.Helper()
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		t.Fatal(err)
	}
	names := machineNames(spec, state.RoleWorker)
	for range 60 {
		if _, err = removeNodes(t, s, appnodes.Removal{Names: names[len(names)-1:], DryRun: true, Force: true, DeleteEmptyDir: true}, nil); err == nil {
			return names
		}
		passTime(t, s, 20*time.Second)
	}
	t.Fatalf("the cluster does not become well: %v", err)
	return nil
}

// TestPool_Verbs has an installed cluster for each case.
func TestPool_Verbs(t *testing.T) {
	long(t)
	t.Parallel()
	dir := t.TempDir()
	var finished time.Time
	virtuallyIn(t, circumstances{dir: dir, spec: fourInPool}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		finished = time.Now()
	})
	for name, c := range map[string]struct {
		loop    faultLoop
		sampled []injectedFault
	}{
		"members are removed and added": {membersWithFaults, []injectedFault{killedAfter, refusedBurst}},
		"a member is replaced":          {memberWithFaults, []injectedFault{killedBefore, answerLost}},
		"a pool gets another type":      {poolResizeWithFaults, []injectedFault{killedAfter}},
	} {
		for first, how := range listFaults(c.sampled...) {
			t.Run(name+" with a fault at every call: "+string(how), func(t *testing.T) {
				t.Parallel()
				copied, by := t.TempDir(), &faultInjector{how: how}
				copyTree(t, dir, copied)
				virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: fourInPool, middleware: by.before}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
					waitForPool(t, s)
					c.loop(t, s, by, first)
				})
			})
		}
	}
	for name, c := range map[string]struct {
		scenario string
		test     func(*testing.T, run.Run, []string)
	}{
		"members are added and removed":  {"", membersChanged},
		"a member is replaced":           {"", memberReplaced},
		"all members get another type":   {"", poolResized},
		"min-available":                  {"", minAvailableKept},
		"a load balancer of a Service":   {"", serviceBalanced},
		"its cluster is not stopped":     {"", poolNotStopped},
		"the scenario pool-evicts-wrong": {"pool-evicts-wrong", wrongEvictionStopped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: fourInPool, scenario: c.scenario}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
				c.test(t, s, waitForPool(t, s))
			})
		})
	}
}

// checkWorkers requires that a pool has that many members, that all are ready nodes as the answers want, and that no removal is open.
func checkWorkers(t *testing.T, s run.Run, count int) []string {
	t.Helper()
	names := machineNames(checkPool(t, s, count), state.RoleWorker)
	for _, node := range listNodes(t, s) {
		if len(node.Differs())+len(node.Findings()) > 0 || node.Node == nil || node.Node.Cordoned {
			t.Errorf("%s: %v, %v", node.Name, node.Differs(), node.Findings())
		}
	}
	facts, err := s.Folder.LoadFacts()
	if err != nil || len(facts.Removals) > 0 {
		t.Errorf("open removals: %+v: %v", facts.Removals, err)
	}
	return names
}

func membersChanged(t *testing.T, s run.Run, names []string) {
	if _, err := addNodes(t, s, "workers", 6, false); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "above the maximum of the pool") {
		t.Errorf("beyond the maximum: %v", err)
	}
	if _, err := addNodes(t, s, "workers", 1, false); err != nil {
		t.Fatal(err)
	}
	after := checkWorkers(t, s, 5)
	if !slices.Equal(after[:4], names) {
		t.Errorf("the members were %v and are %v", names, after)
	}
	if _, err := removeNodes(t, s, appnodes.Removal{Names: names[1:3], Parallel: 2, Force: true, DeleteEmptyDir: true}, nil); err != nil {
		t.Fatal(err)
	}
	if left := checkWorkers(t, s, 3); slices.Contains(left, names[1]) || slices.Contains(left, names[2]) {
		t.Errorf("%v are left after the removal of %v", left, names[1:3])
	}
}

func memberReplaced(t *testing.T, s run.Run, names []string) {
	seen := &cordons{}
	_, err := replaceNodes(t, s, appnodes.Removal{Names: names[:1], Force: true, DeleteEmptyDir: true}, func(clients *nodes.Clients) { seen.Cluster = clients.Cluster; clients.Cluster = seen })
	if err != nil {
		t.Fatal(err)
	}
	if seen.leastReady != 5 {
		t.Errorf("%d workers were ready when one was cordoned", seen.leastReady)
	}
	if left := checkWorkers(t, s, 4); slices.Contains(left, names[0]) || !slices.Equal(left[:3], names[1:]) {
		t.Errorf("the workers are %v, and were %v", left, names)
	}
}

func poolResized(t *testing.T, s run.Run, names []string) {
	if _, err := resizeNodes(t, s, appnodes.Size{Group: "workers", Type: "standard.huge"}, appnodes.Removal{Parallel: 2, Force: true, DeleteEmptyDir: true}, nil); err != nil {
		t.Fatal(err)
	}
	left := checkWorkers(t, s, 4)
	if slices.ContainsFunc(left, func(name string) bool { return slices.Contains(names, name) }) {
		t.Errorf("the workers are %v, and were %v", left, names)
	}
}

func minAvailableKept(t *testing.T, s run.Run, names []string) {
	b := backdoor{t, s}
	pool := b.id("/instance-pool", "instance-pools", "name", "c-demo-1_worker")
	b.ask(http.MethodPut, "/instance-pool/"+pool, map[string]any{"min-available": 4})
	passTime(t, s, time.Minute)
	_, err := removeNodes(t, s, appnodes.Removal{Names: names[:1], Force: true, DeleteEmptyDir: true}, nil)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "would have 3 machines left, and its min-available is 4") {
		t.Errorf("exit code %d: %v", exit.Code(err), err)
	}
	checkWorkers(t, s, 4)
}

// wrongEvictionStopped: the node that was to go stays in use, and that of the machine that is gone is removed next.
func wrongEvictionStopped(t *testing.T, s run.Run, names []string) {
	out, err := removeNodes(t, s, appnodes.Removal{Names: names[3:], Force: true, DeleteEmptyDir: true}, nil)
	at := slices.IndexFunc(names[:3], func(name string) bool {
		return err != nil && strings.Contains(err.Error(), "the pool destroyed the machine of "+name+" instead")
	})
	if at < 0 {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	names[0], names[at] = names[at], names[0]
	requireFinding(t, out, "pool-evicts-wrong", "c-demo-1_worker was asked to evict "+names[3]+", and destroyed "+names[0])
	requireUncordoned(t, s)
	if _, err := removeNodes(t, s, appnodes.Removal{Names: names[1:2], Force: true, DeleteEmptyDir: true}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "the removal of "+names[0]+" has not ended") {
		t.Errorf("another removal before that is ended: %v", err)
	}
	passTime(t, s, 5*time.Minute)
	if out, err := removeNodes(t, s, appnodes.Removal{Names: names[:1], Force: true, DeleteEmptyDir: true}, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if left := checkWorkers(t, s, 3); slices.Contains(left, names[0]) {
		t.Errorf("%v are left of %v", left, names)
	}
}
