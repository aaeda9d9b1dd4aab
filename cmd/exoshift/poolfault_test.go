package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// membersWithFaults removes a member of an instance pool and adds one for each call that has a fault, in one cluster. Nobody but the member that was
// named may leave, and the pool may not become larger than the answers.
func membersWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	serveWeb(t, s, 4, 2)
	before := listPoolTally(t, s)
	names := checkWorkers(t, s, 4)
	remove := faultyVerb{
		name: "remove",
		run: func(ctx context.Context) (string, error) {
			return changeNodes(t, s, drained(names[:1]), by.injectIntoCluster, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				return cluster.Remove(ctx, wanted, nodeInstaller(s), shown)
			})
		},
		again: func() (string, error) { return removeNodes(t, s, drained(names[:1]), nil) },
		check: func() { requireMembers(t, s, names[1:], 0) },
	}
	add := faultyVerb{
		name: "add",
		run: func(ctx context.Context) (string, error) {
			cluster := clusterOf(t, s)
			cluster.AlterInstallation = injectIntoMembers(by, names)
			return "", addTo(ctx, s, cluster, "workers", 1)
		},
		again: func() (string, error) { return "", endAddition(t, s, 4) },
		check: func() {
			names = requireMembers(t, s, names[1:], 1)
			checkPoolTally(t, s, before)
		},
	}
	more := true
	for at := range listFaultyCalls(first, 4, 4, &more) {
		removed, added := remove.runWithFault(t, s, by, at), add.runWithFault(t, s, by, at)
		if more = removed >= at || added >= at; !more && (removed < 4 || added < 4) {
			t.Errorf("there were only %d and %d calls", removed, added)
		}
	}
}

// memberWithFaults replaces a member of an instance pool for each call that has a fault, in one cluster.
func memberWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	serveWeb(t, s, 4, 2)
	before := listPoolTally(t, s)
	names := checkWorkers(t, s, 4)
	verb := faultyVerb{
		name: "replace",
		run: func(ctx context.Context) (string, error) {
			return changeNodes(t, s, drained(names[:1]), by.injectIntoCluster, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				cluster.AlterInstallation = injectIntoMembers(by, names)
				return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
			})
		},
		again: func() (string, error) { return replaceNodes(t, s, drained(names[:1]), nil) },
		check: func() {
			names = requireMembers(t, s, names[1:], 1)
			checkPoolTally(t, s, before)
		},
	}
	more := true
	for at := range listFaultyCalls(first, 8, 8, &more) {
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 8 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}

// poolResizeWithFaults gives the only member of another instance pool another type for each call that has a fault, in one cluster.
func poolResizeWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	batch := state.GroupSpec{Name: "batch", MachineSpec: s.Spec.Sizing.Workers}
	batch.Count, batch.Min, batch.Max = 1, 1, 3
	s.Spec.Sizing.ExtraGroups = []state.GroupSpec{batch}
	installed(t, s)
	before, workers := listPoolTally(t, s), machinesOf(t, s, state.RoleWorker)
	size := appnodes.Size{Group: "batch", Type: "standard.titan"}
	more := true
	for at := range listFaultyCalls(first, 8, 8, &more) {
		old := machinesOf(t, s, "batch")
		verb := faultyVerb{
			name: "resize",
			run: func(ctx context.Context) (string, error) {
				return changeNodes(t, s, drained(nil), by.injectIntoCluster, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
					cluster.AlterInstallation = injectIntoMembers(by, append(slices.Clone(old), workers...))
					return cluster.Resize(ctx, size, wanted, nodeInstaller(s), shown)
				})
			},
			again: func() (string, error) {
				out, err := resizeNodes(t, s, size, drained(nil), nil)
				if err != nil && strings.Contains(err.Error(), "already") { // all of it was done
					err = nil
				}
				return out, err
			},
			check: func() {
				if left := machinesOf(t, s, state.RoleWorker); !slices.Equal(left, workers) {
					t.Errorf("the workers are %v, and were %v", left, workers)
				}
				if left := machinesOf(t, s, "batch"); len(left) != 1 || left[0] == old[0] {
					t.Errorf("the members are %v, and were %v", left, old)
				}
				checkRemoved(t, s, old[0], 3+s.Spec.Sizing.Infra.Count+4+1)
				checkPoolTally(t, s, before)
				for _, node := range listNodes(t, s) {
					if node.Role == "batch" && node.Machine.Type != size.Type {
						t.Errorf("%s is of the type %s", node.Name, node.Machine.Type)
					}
				}
			},
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 8 {
			t.Errorf("there were only %d calls", calls)
		}
		if size.Type == "standard.titan" {
			size.Type = s.Spec.Sizing.Workers.Type
		} else {
			size.Type = "standard.titan"
		}
	}
}

// drained removes nodes with pods that nobody makes again.
func drained(names []string) appnodes.Removal {
	return appnodes.Removal{Names: names, Force: true, DeleteEmptyDir: true}
}

// injectIntoMembers is for members of pools that are not among the nodes before.
func injectIntoMembers(by *faultInjector, before []string) func(*install.Clients) {
	return by.injectIntoAddition(func(name string) bool {
		return !slices.Contains(before, name) && (strings.HasPrefix(name, "worker-") || strings.HasPrefix(name, "batch-"))
	})
}

// requireMembers requires that the workers are these and so many others, and that an installation has nothing to do.
func requireMembers(t *testing.T, s run.Run, kept []string, others int) []string {
	t.Helper()
	left := checkWorkers(t, s, len(kept)+others)
	for _, name := range kept {
		if !slices.Contains(left, name) {
			t.Errorf("%s is not among the workers any more: %v", name, left)
		}
	}
	checkRemoved(t, s, "", 3+s.Spec.Sizing.Infra.Count+len(left))
	return left
}

// listPoolTally counts the zone's objects, with the members of its pools.
func listPoolTally(t *testing.T, s run.Run) []string {
	t.Helper()
	lines := listTally(t, s)
	for _, pool := range (backdoor{t, s}).list("/instance-pool", "instance-pools") {
		lines = append(lines, fmt.Sprintf("%v has %v machines, %d members", pool["name"], pool["size"], len(pool["instances"].([]any))))
	}
	slices.Sort(lines)
	return lines
}

func checkPoolTally(t *testing.T, s run.Run, before []string) {
	t.Helper()
	if after := listPoolTally(t, s); !slices.Equal(after, before) {
		t.Errorf("there are %v, and were %v", after, before)
	}
}
