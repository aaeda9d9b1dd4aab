package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/provisioner/balancers"
	"exoshift/state"
)

// faultyVerb is a verb with a fault at one call that changes something, in a cluster that stands.
type faultyVerb struct {
	name  string
	run   func(ctx context.Context) (out string, err error) // with what the fault injector is in front of
	again func() (out string, err error)                    // the same command, without a fault
	check func()                                            // that the cluster is as the verb has to leave it
}

// runWithFault carries out the verb with a fault at the call of that number. If it fails for that, it is given once more. It returns how many
// calls there were: less than the number if none had a fault.
func (v faultyVerb) runWithFault(t *testing.T, s run.Run, by *faultInjector, at int) (calls int) {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	by.begin(at, kill)
	out, err := v.run(ctx)
	calls = by.end()
	kill()
	if calls < at && err != nil || calls >= at && err == nil && strings.HasPrefix(string(by.how), "killed") {
		t.Fatalf("%s: %s, call %d of %d: %v\n%s", v.name, by.how, at, calls, err, lastLines(out))
	}
	t.Logf("%s: %s, call %d of %d", v.name, by.how, at, calls)
	if err != nil {
		if out, err := v.again(); err != nil && !strings.Contains(err.Error(), "it is gone already") {
			t.Fatalf("%s: %s, call %d: the rerun: %v\n%s", v.name, by.how, at, err, lastLines(out))
		}
	}
	passTime(t, s, time.Minute) // what was asked for by a process that did not live to wait for it ends
	v.check()
	if t.Failed() {
		t.Fatalf("%s: %s, call %d of %d", v.name, by.how, at, calls)
	}
	return calls
}

// listFaultyCalls yields the numbers of the calls that have a fault, of a verb that makes at least so many: samples that are so far apart,
// which begin at another call for each kind of fault; or with EXOSHIFT_NODE_FAULTS=all every call, until more is false.
func listFaultyCalls(first, distance, calls int, more *bool) iter.Seq[int] {
	at := 1 + first*distance/4
	if os.Getenv("EXOSHIFT_NODE_FAULTS") == "all" {
		at, distance, calls = 1, 1, math.MaxInt
	}
	return func(yield func(int) bool) {
		for ; *more && at <= calls && yield(at); at += distance {
		}
	}
}

// listFaults returns the kinds of faults by their numbers: those of a sample, or with EXOSHIFT_NODE_FAULTS=all every one.
func listFaults(sampled ...injectedFault) map[int]injectedFault {
	kinds := map[int]injectedFault{}
	for number, how := range []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst} {
		if slices.Contains(sampled, how) || os.Getenv("EXOSHIFT_NODE_FAULTS") == "all" {
			kinds[number] = how
		}
	}
	return kinds
}

// faultLoop is a loop over the calls of a verb that change something. first numbers the kinds of faults.
type faultLoop func(t *testing.T, s run.Run, by *faultInjector, first int)

func listFaultLoops() map[string]faultLoop {
	return map[string]faultLoop{
		"a replacement": replacementWithFaults, "a removal and an addition": removalWithFaults, "a resize": resizeWithFaults, "a replacement of a load balancer": balancerWithFaults,
		"a backup": backupWithFaults, "a restoration of objects": restorationWithFaults,
		"a deletion of backups": pruneWithFaults, "a stop and a start": powerWithFaults, "a repair of certificates": repairWithFaults,
	}
}

// replacementWithFaults replaces a node for each call that has a fault, in one cluster. It has to be as large as before after each, with nothing
// doubled and nothing cordoned. The calls are those of an addition and of a removal, and what puts the answers in force in between.
func replacementWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	serveWeb(t, s, 4, 2)
	before := listTally(t, s)
	old, next := "worker-1", "worker-4"
	more := true
	for at := range listFaultyCalls(first, 4, 8, &more) {
		verb := faultyVerb{
			name: "replace",
			run: func(ctx context.Context) (string, error) {
				return changeNodes(t, s, appnodes.Removal{Names: []string{old}}, by.injectIntoCluster, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
					cluster.AlterInstallation = by.injectIntoInstallation(next)
					return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
				})
			},
			again: func() (string, error) { return replaceNodes(t, s, appnodes.Removal{Names: []string{old}}, nil) },
			check: func() {
				checkRemoved(t, s, old, 11)
				checkTally(t, s, before)
			},
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 8 {
			t.Errorf("there were only %d calls", calls)
		}
		old, next = next, old
	}
}

// removalWithFaults removes a node and adds it again for each call that has a fault, in one cluster.
func removalWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	serveWeb(t, s, 4, 2)
	before := listTally(t, s)
	remove := faultyVerb{
		name: "remove",
		run: func(ctx context.Context) (string, error) {
			return changeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, by.injectIntoCluster, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				return cluster.Remove(ctx, wanted, nodeInstaller(s), shown)
			})
		},
		again: func() (string, error) { return removeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil) },
		check: func() { checkRemoved(t, s, "worker-1", 10) },
	}
	add := faultyVerb{
		name: "add",
		run: func(ctx context.Context) (string, error) {
			cluster := clusterOf(t, s)
			cluster.AlterInstallation = by.injectIntoInstallation("worker-1")
			return "", addTo(ctx, s, cluster, "workers", 1)
		},
		again: func() (string, error) { return "", endAddition(t, s, 4) },
		check: func() {
			checkRemoved(t, s, "", 11)
			checkTally(t, s, before)
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

// endAddition ends an addition as its documentation says: by an installation of the answers in force, or by the same command if it had not
// begun.
func endAddition(t *testing.T, s run.Run, workers int) error {
	t.Helper()
	spec, err := clusterdir.ReadAnswers(s.Folder)
	if err != nil {
		return err
	}
	if spec.Sizing.Workers.Count < workers {
		_, err := addNodes(t, s, "workers", 1, false)
		return err
	}
	s.Spec = spec
	return installWith(t.Context(), s, cli.Streams{Out: io.Discard, Err: io.Discard})
}

// resizeWithFaults gives the only node of a group another size for each call that has a fault, in one cluster.
func resizeWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	s.Spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "batch", MachineSpec: s.Spec.Sizing.Workers}}
	s.Spec.Sizing.ExtraGroups[0].Count = 1
	installed(t, s)
	before := listTally(t, s)
	old, next := "batch-0", "batch-1"
	size := appnodes.Size{Group: "batch", Type: "standard.titan"}
	more := true
	for at := range listFaultyCalls(first, 8, 8, &more) {
		verb := faultyVerb{
			name: "resize",
			run: func(ctx context.Context) (string, error) {
				return changeNodes(t, s, appnodes.Removal{Force: true, DeleteEmptyDir: true}, by.injectIntoCluster, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
					cluster.AlterInstallation = by.injectIntoInstallation(next)
					return cluster.Resize(ctx, size, wanted, nodeInstaller(s), shown)
				})
			},
			again: func() (string, error) {
				out, err := resizeNodes(t, s, size, appnodes.Removal{Force: true, DeleteEmptyDir: true}, nil)
				if err != nil && strings.Contains(err.Error(), "already") { // all of it was done
					err = nil
				}
				return out, err
			},
			check: func() {
				checkRemoved(t, s, old, 12)
				checkTally(t, s, before)
				for _, node := range listNodes(t, s) {
					if node.Name == next && node.Machine.Type != size.Type {
						t.Errorf("%s is of the type %s", next, node.Machine.Type)
					}
				}
			},
		}
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 8 {
			t.Errorf("there were only %d calls", calls)
		}
		old, next = next, old
		if size.Type == "standard.titan" {
			size.Type = s.Spec.Sizing.Workers.Type
		} else {
			size.Type = "standard.titan"
		}
	}
}

// balancerWithFaults replaces a load balancer for each call that has a fault, in one cluster.
func balancerWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	pass(t, s, 5*time.Minute) // the health checks of a zone that has just been opened
	before := listTally(t, s)
	verb := faultyVerb{
		name: "replace lb-0",
		run: func(ctx context.Context) (string, error) {
			return changeNodes(t, s, appnodes.Removal{Names: []string{"lb-0"}}, nil, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				cluster.AlterBalancers = func(clients *balancers.Clients) { clients.Cluster = &faultyBalancers{Cluster: clients.Cluster, by: by} }
				return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
			})
		},
		again: func() (string, error) { return replaceBalancers(t, s, "lb-0", nil) },
		check: func() {
			listBalancers(t, s)
			checkBalancers(t, s, before)
		},
	}
	more := true
	for at := range listFaultyCalls(first, 8, 15, &more) {
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 15 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}

func checkTally(t *testing.T, s run.Run, before []string) {
	t.Helper()
	if after := listTally(t, s); !slices.Equal(after, before) {
		t.Errorf("there are %v, and were %v", after, before)
	}
}

// listTally counts the zone's objects by their kinds.
func listTally(t *testing.T, s run.Run) (lines []string) {
	t.Helper()
	b := backdoor{t, s}
	for _, kind := range [][2]string{{"/instance", "instances"}, {"/anti-affinity-group", "anti-affinity-groups"}, {"/security-group", "security-groups"}, {"/elastic-ip", "elastic-ips"}} {
		lines = append(lines, fmt.Sprintf("%d %s", len(b.list(kind[0], kind[1])), kind[1]))
	}
	return lines
}
