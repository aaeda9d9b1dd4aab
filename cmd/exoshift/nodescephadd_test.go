package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state/rook"
)

// storageAdditionWithFaults adds a storage node by runs of the same command, each with a fault. There may be one node more in the end, and nothing
// may be left switched.
func storageAdditionWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	before := len(backdoor{t, s}.list("/instance", "instances"))
	cluster := openCluster(t, s)
	if err := cluster.SetCephDevices(t.Context(), 4); err != nil { // as Argo CD does then
		t.Fatal(err)
	}
	runWithFaults(t, s, by, first, func(ctx context.Context) (string, error) {
		altered := s
		altered.Alter = by.injectIntoInstallation("storage-3")
		argo := &argoCD{t: t, count: 4}
		_, out, err := addStorage(ctx, t, altered, 1, func(clients *nodes.Clients) {
			argo.Cluster = clients.Cluster
			clients.Cluster = faultyCeph{faultyCluster{argo, by}}
		})
		return out, err
	})
	requireStored(t, s, "storage-0", "storage-1", "storage-2", "storage-3")
	checkRemoved(t, s, "", 13)
	if after := len(backdoor{t, s}.list("/instance", "instances")); after != before+1 {
		t.Errorf("%d machines, and %d before", after, before)
	}
	if left := facts(t, s).Storage; left != nil {
		t.Errorf("the facts have %+v", left)
	}
}

// addStorage returns the names that the preview has, and what programs read.
func addStorage(ctx context.Context, t *testing.T, s run.Run, count int, alter func(*nodes.Clients)) (names []string, out string, err error) {
	t.Helper()
	var written bytes.Buffer
	cluster := clusterOf(t, s)
	cluster.Alter = alter
	wanted := appnodes.Addition{Group: "storage", Count: count, Retry: "exoshift nodes add ...", Installer: nodeInstaller(s)}
	err = cluster.Add(ctx, wanted, additionOutput{jsonDisplay(cli.Streams{Out: &written, Err: io.Discard}), &names})
	return names, written.String(), err
}

// interruptedJoin ends a run as soon as Ceph has so many OSDs.
type interruptedJoin struct {
	nodes.Cluster
	count int
	stop  func()
}

func (c interruptedJoin) GetCeph(ctx context.Context) (rook.Ceph, error) {
	seen, err := c.Cluster.GetCeph(ctx)
	if len(seen.OSDs) >= c.count {
		c.stop()
	}
	return seen, err
}

// storageAdded requires that a storage node is added only to a Ceph that is well and is to use its disk, that the same command ends an addition
// that was killed, and that nothing is left switched; and that Ceph is told to use the disk where no Argo CD does that.
func storageAdded(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	refused := func(count int, says string) {
		t.Helper()
		if _, _, err := addStorage(t.Context(), t, s, count, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "nothing was changed: ") {
			t.Errorf("exit code %d, %v", exit.Code(err), err)
		}
	}
	refused(2, "one at a time")
	refused(1, "raise parameters.rook_ceph.ceph_cluster.node_count to 4")
	cluster := openCluster(t, s)
	if err := cluster.SetCephDevices(t.Context(), 4); err != nil { // as Argo CD does then
		t.Fatal(err)
	}
	for _, flag := range []string{"set", "unset"} {
		if err := runTool(t, s, "ceph", "osd", flag, "noout"); err != nil {
			t.Fatal(err)
		}
		if flag == "set" {
			refused(1, "OSDMAP_FLAGS: noout flag(s) set")
		}
	}
	if zone.Mutations() != before {
		t.Errorf("%d calls changed something", zone.Mutations()-before)
	}
	requireSwitchedBack(t, s)

	storageAdditionKilledEarly(t, s)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	by := &faultInjector{how: killedBefore}
	argo := &argoCD{t: t, count: 4}
	_, _, err := addStorage(ctx, t, s, 1, func(clients *nodes.Clients) {
		argo.Cluster = clients.Cluster
		clients.Cluster = interruptedJoin{faultyCeph{faultyCluster{argo, by}}, 4, func() { by.begin(1, kill); by.die() }}
	})
	by.end()
	if left := facts(t, s).Storage; err == nil || left == nil || !left.Added || !left.Silenced || len(left.Policies) != 0 {
		t.Fatalf("killed: %v, the facts have %+v", err, left)
	}
	passTime(t, s, 3*time.Minute) // the new node is quiet
	if _, err := replaceNodes(t, s, appnodes.Removal{Names: []string{"storage-2"}}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "the change of the storage node storage-3 has not ended") {
		t.Errorf("another one at the same time: %v", err)
	}
	refuseOtherAddition(t, s)
	requireRestored(t, s, func() (string, error) {
		return changeMasters(t, s, appnodes.Removal{Names: []string{"master-0"}}, nil, replaceUntilWarned(s))
	})
	names, out, err := addStorage(t.Context(), t, s, 1, func(clients *nodes.Clients) { argo.Cluster = clients.Cluster; clients.Cluster = argo })
	if err != nil || !slices.Equal(names, []string{"storage-3"}) {
		t.Fatalf("%v: %v\n%s", names, err, lastLines(out))
	}
	if !strings.Contains(out, `"osds":4,"osds_up":4,"osds_in":4,"groups":32,"groups_clean":32`) {
		t.Errorf("no event of Ceph has the OSD and clean groups:\n%s", lastLines(out))
	}
	requireStorageAdded(t, s, argo)

	for _, name := range []string{"root", "rook-ceph"} {
		askCluster(t, s, http.MethodDelete, "/apis/argoproj.io/v1alpha1/namespaces/syn/applications/"+name, new(map[string]any))
	}
	if names, out, err = addStorage(t.Context(), t, s, 1, nil); err != nil || !slices.Equal(names, []string{"storage-4"}) {
		t.Fatalf("without Argo CD: %v: %v\n%s", names, err, lastLines(out))
	}
	if setup, err := cluster.GetCephSetup(t.Context()); err != nil || setup.Devices != 5 {
		t.Errorf("without Argo CD: the setup is %+v: %v", setup, err)
	}
	if left := facts(t, s).Storage; left != nil || len(listSilences(t, s)) > 0 {
		t.Errorf("the facts have %+v", left)
	}

	askCluster(t, s, http.MethodDelete, "/apis/ceph.rook.io/v1/namespaces/syn-rook-ceph-cluster/cephclusters/cluster", new(map[string]any))
	if names, err := addNodes(t, s, "storage", 2, false); err != nil || !slices.Equal(names, []string{"storage-5", "storage-6"}) {
		t.Errorf("without Ceph: %v: %v", names, err)
	}
}

// storageAdditionKilledEarly kills an addition before the answers have the node. Until it is ended, nothing else is added, and any other change
// of nodes switches back what it has left.
func storageAdditionKilledEarly(t *testing.T, s run.Run) {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	by := &faultInjector{how: killedAfter}
	by.begin(1, kill)
	_, out, err := addStorage(ctx, t, s, 1, func(clients *nodes.Clients) { clients.Cluster = faultyCeph{faultyCluster{clients.Cluster, by}} })
	by.end()
	if left := facts(t, s).Storage; err == nil || left == nil || left.Added || !left.Silenced || len(listSilences(t, s)) != 1 {
		t.Fatalf("killed early: %v, the facts have %+v\n%s", err, left, lastLines(out))
	}
	refuseOtherAddition(t, s)
	requireRestored(t, s, func() (string, error) {
		return changeNodes(t, s, appnodes.Removal{Names: []string{"lb-0"}}, nil, replaceUntilWarned(s))
	})
	if left := facts(t, s).Storage; left != nil {
		t.Errorf("the facts have %+v", left)
	}
}

// refuseOtherAddition requires that nothing is added to another group, and that it is said what comes first.
func refuseOtherAddition(t *testing.T, s run.Run) {
	t.Helper()
	_, err := addNodes(t, s, "workers", 1, false)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "the change of the storage node storage-3 has not ended") ||
		!strings.Contains(fault.HintOf(err), "exoshift nodes add --group storage --count 1") {
		t.Errorf("another addition: exit code %d, %v: %s", exit.Code(err), err, fault.HintOf(err))
	}
}

// replaceUntilWarned replaces nodes, and stops before anything of that is done.
func replaceUntilWarned(s run.Run) func(context.Context, appnodes.Cluster, appnodes.Removal, appnodes.Display) error {
	return func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		return cluster.Replace(ctx, wanted, nodeInstaller(s), stoppingWarning{shown.(removalOutput), stop})
	}
}

// requireRestored requires that another change of nodes switches back what was left.
func requireRestored(t *testing.T, s run.Run, other func() (string, error)) {
	t.Helper()
	if out, err := other(); err == nil || !strings.Contains(out, "switched back, as the change") {
		t.Errorf("another verb: %v\n%s", err, lastLines(out))
	}
	requireSwitchedBack(t, s)
}

// requireStorageAdded requires that Ceph has a fourth OSD and all data, and that nothing is left of the addition.
func requireStorageAdded(t *testing.T, s run.Run, argo *argoCD) {
	t.Helper()
	requireStored(t, s, "storage-0", "storage-1", "storage-2", "storage-3")
	if len(argo.seen) > 0 {
		t.Error(argo.seen)
	}
	if left := facts(t, s).Storage; left != nil {
		t.Errorf("the facts have %+v", left)
	}
}
