package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state/rook"
)

// faultyCeph is the cluster for what changes a storage node.
type faultyCeph struct{ faultyCluster }

func (c faultyCeph) RunCeph(ctx context.Context, arguments ...string) error {
	return c.by.change(func() error { return c.Cluster.RunCeph(ctx, arguments...) })
}

func (c faultyCeph) SetCephDevices(ctx context.Context, count int) error {
	return c.by.change(func() error { return c.Cluster.SetCephDevices(ctx, count) })
}

func (c faultyCeph) SetCephMonCheck(ctx context.Context, content string) error {
	return c.by.change(func() error { return c.Cluster.SetCephMonCheck(ctx, content) })
}

func (c faultyCeph) ScaleCephOperator(ctx context.Context, replicas int) error {
	return c.by.change(func() error { return c.Cluster.ScaleCephOperator(ctx, replicas) })
}

func (c faultyCeph) StopOSD(ctx context.Context, osd int) error {
	return c.by.change(func() error { return c.Cluster.StopOSD(ctx, osd) })
}

func (c faultyCeph) DeleteCephDisk(ctx context.Context, disk rook.Disk) error {
	return c.by.change(func() error { return c.Cluster.DeleteCephDisk(ctx, disk) })
}

func (c faultyCeph) DeleteCephVolume(ctx context.Context, name string) error {
	return c.by.change(func() error { return c.Cluster.DeleteCephVolume(ctx, name) })
}

func (c faultyCeph) SetSyncPolicy(ctx context.Context, name, automated string) error {
	return c.by.change(func() error { return c.Cluster.SetSyncPolicy(ctx, name, automated) })
}

func (c faultyCeph) Silence(ctx context.Context, label, value, comment string, now time.Time, length time.Duration) error {
	return c.by.change(func() error { return c.Cluster.Silence(ctx, label, value, comment, now, length) })
}

func (c faultyCeph) EndSilence(ctx context.Context, comment string) error {
	return c.by.change(func() error { return c.Cluster.EndSilence(ctx, comment) })
}

// sampledStorageCalls is the distance of the calls to Ceph and its cluster that have a fault.
const sampledStorageCalls = 7

// storageWithFaults replaces a storage node by runs of the same command, each of which has a fault at a later one of its calls that change something.
// Nothing may be lost, doubled, or left switched.
func storageWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	before := listTally(t, s)
	const old, next = "storage-1", "storage-3"
	runWithFaults(t, s, by, first, func(ctx context.Context) (string, error) {
		argo := &argoCD{t: t, count: 3}
		return changeNodes(t, s, appnodes.Removal{Names: []string{old}}, func(clients *nodes.Clients) {
			argo.Cluster = clients.Cluster
			clients.Cluster = faultyCeph{faultyCluster{argo, by}}
		}, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
			cluster.AlterInstallation = by.injectIntoInstallation(next)
			return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
		})
	})
	checkRemoved(t, s, old, 12)
	requireStored(t, s, "storage-0", "storage-2", "storage-3")
	checkTally(t, s, before)
	if left := facts(t, s).Storage; left != nil {
		t.Errorf("the facts have %+v", left)
	}
}

// runWithFaults gives the same command until it succeeds, each time with a fault at a later one of its calls that change something: a run goes on
// where the last one was.
func runWithFaults(t *testing.T, s run.Run, by *faultInjector, first int, command func(context.Context) (out string, err error)) {
	t.Helper()
	if by.how == answerLost || by.how == refusedBurst {
		by.every = 9 // such calls are made again, and a run ends
	}
	at, step := 1+first%sampledStorageCalls, sampledStorageCalls
	if os.Getenv("EXOSHIFT_NODE_FAULTS") == "all" {
		at, step = 1, 1
	}
	for ; at < 200; at += step {
		ctx, kill := context.WithCancel(t.Context())
		by.begin(at, kill)
		out, err := command(ctx)
		calls := by.end()
		kill()
		switch {
		case calls >= at && err == nil && strings.HasPrefix(string(by.how), "killed"):
			t.Fatalf("%s, call %d of %d: it went on\n%s", by.how, at, calls, lastLines(out))
		case exit.Code(err) == exit.Answers && !strings.Contains(err.Error(), "it is gone already"):
			t.Fatalf("%s, call %d of %d: refused: %v\n%s", by.how, at, calls, err, lastLines(out))
		case err != nil && calls < at && by.every == 0:
			t.Fatalf("%s, call %d of %d: %v\n%s", by.how, at, calls, err, lastLines(out))
		}
		if err == nil || exit.Code(err) == exit.Answers {
			break
		}
		passTime(t, s, time.Minute)
	}
	passTime(t, s, 3*time.Minute)
}

// interruptedWait ends a run while data is moved.
type interruptedWait struct {
	nodes.Cluster
	stop func()
}

func (c interruptedWait) IsSafeToDestroy(context.Context, int) (bool, string, error) {
	c.stop()
	return false, "", fault.Newf(fault.Transient, "ask Ceph", "stopped")
}

// storageStopped requires that everything is switched back when a change is given up, and by the next run of any verb when it was killed, and
// that the same command ends it.
func storageStopped(t *testing.T, s run.Run, _ *simcloud.Zone) {
	replaceStopped := func(alter func(nodes.Cluster, func()) nodes.Cluster) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		_, err := changeNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, func(clients *nodes.Clients) { clients.Cluster = alter(clients.Cluster, stop) },
			func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
				return cluster.Replace(ctx, wanted, nodeInstaller(s), shown)
			})
		if err == nil {
			t.Fatal("it went on")
		}
	}
	replaceStopped(func(c nodes.Cluster, stop func()) nodes.Cluster { return interruptedWait{c, stop} })
	requireSwitchedBack(t, s)
	if left := facts(t, s).Storage; left == nil || left.Emptied {
		t.Errorf("the facts have %+v", left)
	}
	by := &faultInjector{how: killedBefore}
	replaceStopped(func(c nodes.Cluster, stop func()) nodes.Cluster {
		return interruptedWait{faultyCeph{faultyCluster{c, by}}, func() { by.begin(1, stop); by.die() }}
	})
	by.end()
	if left := facts(t, s).Storage; left == nil || !left.Silenced || len(left.Policies) != 2 || len(left.Options) != 2 || len(left.Weights) != 1 {
		t.Errorf("killed: the facts have %+v", left)
	}
	if _, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-2"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "the change of the storage node storage-1 has not ended") {
		t.Errorf("another one at the same time: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out string
	for range 20 { // until the cluster is well
		var err error
		out, err = changeNodes(t, s, appnodes.Removal{Names: []string{"worker-1"}}, nil, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
			return cluster.Replace(ctx, wanted, nodeInstaller(s), stoppingWarning{shown.(removalOutput), stop})
		})
		if exit.Code(err) != exit.Answers {
			break
		}
		passTime(t, s, 20*time.Second)
	}
	if !strings.Contains(out, "switched back, as the change") {
		t.Errorf("another verb:\n%s", lastLines(out))
	}
	requireSwitchedBack(t, s)
	if out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireStored(t, s, "storage-0", "storage-2", "storage-3")
}

// stoppingWarning ends a run at its first warning.
type stoppingWarning struct {
	removalOutput
	stop func()
}

func (o stoppingWarning) Warn(line string) {
	o.removalOutput.Warn(line)
	o.stop()
}

// degradedAwaited requires that no OSD is purged while another one is down, and that the replacement ends once that is over.
func degradedAwaited(t *testing.T, s run.Run) {
	began := time.Now()
	out, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-1"}}, nil)
	if err != nil || time.Since(began) < 40*time.Minute {
		t.Errorf("after %s: %v\n%s", time.Since(began), err, lastLines(out))
	}
	requireFinding(t, out, "ceph-degraded", "osd.0 of storage-0 is down", "PG_DEGRADED", "ceph health detail")
	checkRemoved(t, s, "storage-1", 12)
	requireStored(t, s, "storage-0", "storage-2", "storage-3")
}
