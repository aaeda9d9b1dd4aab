package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appbackup "exoshift/internal/app/backup"
	"exoshift/internal/app/etcdbackup"
	apppower "exoshift/internal/app/power"
	"exoshift/internal/app/run"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/power"
	"exoshift/state"
)

// faultyPower is the cluster for what stops and starts it; the machines are behind the injector anyway.
type faultyPower struct {
	power.Cluster
	by *faultInjector
}

func (s *faultInjector) injectIntoPower(clients *power.Clients) {
	clients.Cluster = faultyPower{clients.Cluster, s}
}

func (c faultyPower) SetCordon(ctx context.Context, node string, cordoned bool) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = c.Cluster.SetCordon(ctx, node, cordoned)
		return err
	})
	return action, err
}

func (c faultyPower) Approve(ctx context.Context) (decided []state.CSRDecision, err error) {
	err = c.by.change(func() (err error) {
		decided, err = c.Cluster.Approve(ctx)
		return err
	})
	return decided, err
}

// powerWithFaults stops and starts a cluster for each call that has a fault. After each stop every machine is stopped, and after each start every
// node is ready, and none is cordoned.
func powerWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	agedByADay(t, s)
	before := listTally(t, s)
	newVerb := func(name string, check func()) faultyVerb {
		wanted := apppower.Request{Backup: etcdbackup.Choice{Without: true}}
		return faultyVerb{
			name: name,
			run: func(ctx context.Context) (string, error) {
				return changePower(ctx, t, s, name, wanted, by.injectIntoPower)
			},
			again: func() (string, error) { return changePower(t.Context(), t, s, name, wanted, nil) },
			check: check,
		}
	}
	stop := newVerb(apppower.VerbStop, func() {
		if states := countStates(t, s); len(states) != 1 || states["stopped"] == 0 || facts(t, s).Hibernation == nil {
			t.Errorf("after the stop: %v", states)
		}
	})
	start := newVerb(apppower.VerbStart, func() { checkRunning(t, s, before) })
	more := true
	for at := range listFaultyCalls(first, 12, 24, &more) {
		stopped, started := stop.runWithFault(t, s, by, at), start.runWithFault(t, s, by, at)
		if more = stopped >= at || started >= at; !more && (stopped < 20 || started < 12) {
			t.Errorf("there were only %d and %d calls", stopped, started)
		}
	}
}

// checkRunning requires that every node is ready, none is cordoned, and that nothing is doubled or left over.
func checkRunning(t *testing.T, s run.Run, before []string) {
	t.Helper()
	for _, node := range listNodes(t, s) {
		if node.Node == nil || !node.Node.Ready || node.Node.Cordoned {
			t.Errorf("%s: %+v", node.Name, node.Node)
		}
	}
	if known := facts(t, s).Hibernation; known != nil {
		t.Errorf("the facts know %+v", known)
	}
	checkTally(t, s, before)
}

// repairWithFaults repairs certificates that ended while the machines were off, for each approval that has a fault.
func repairWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	before := listTally(t, s)
	every := func(string) bool { return true }
	isBalancer := func(name string) bool { return strings.HasPrefix(name, "lb-") }
	verb := faultyVerb{
		name: "repair certificates",
		run: func(ctx context.Context) (string, error) {
			_, out, err := repairCertificates(ctx, t, s, apppower.Request{}, by.injectIntoPower)
			return out, err
		},
		again: func() (string, error) {
			_, out, err := repairCertificates(t.Context(), t, s, apppower.Request{}, nil)
			return out, err
		},
		check: func() { checkRunning(t, s, before) },
	}
	more := true
	for at := range listFaultyCalls(first, 4, 4, &more) {
		switchMachines(t, s, "stop", every)
		passTime(t, s, 40*24*time.Hour)
		switchMachines(t, s, "start", isBalancer)
		switchMachines(t, s, "start", func(name string) bool { return !isBalancer(name) })
		passTime(t, s, 10*time.Minute)
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 4 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}

// pruneWithFaults deletes a backup and what an interrupted one has left, for each call that has a fault. The newest backup stays whole.
func pruneWithFaults(t *testing.T, s run.Run, by *faultInjector, first int) {
	keys := newBackupKeys(t)
	waitForBackups(t, s, keys)
	if out, err := createBackup(t.Context(), t, s, keys, nil); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	prune := func(ctx context.Context, alter func(*backup.Clients)) (string, error) {
		var shown pruneOutput
		cluster := appbackup.Cluster{Cluster: clusterOf(t, s), Alter: alter}
		err := cluster.Prune(ctx, appbackup.Deletion{Retention: backup.Retention{Count: 1}}, &shown)
		return fmt.Sprint(shown.done), err
	}
	verb := faultyVerb{
		name:  "backup prune",
		run:   func(ctx context.Context) (string, error) { return prune(ctx, by.injectIntoBackup) },
		again: func() (string, error) { return prune(t.Context(), nil) },
		check: func() {
			if all := listBackups(t, s); len(all) != 1 {
				t.Errorf("there are %d backups", len(all))
			}
		},
	}
	more := true
	for at := range listFaultyCalls(first, 2, 6, &more) {
		copyBackup(t, s, "20000101T000000Z")
		calls := verb.runWithFault(t, s, by, at)
		if more = calls >= at; !more && calls < 6 {
			t.Errorf("there were only %d calls", calls)
		}
	}
}

// copyBackup stores the only backup under another name, too, and what belongs to none.
func copyBackup(t *testing.T, s run.Run, name string) {
	t.Helper()
	storage, bucket := openStorage(t, s), s.Spec.Bucket(state.BucketBackups)
	stored, err := storage.ListObjects(t.Context(), bucket, "exoshift-backup/")
	if err != nil || len(stored) != 4 {
		t.Fatalf("%d objects, %v", len(stored), err)
	}
	from := strings.Split(stored[0].Key, "/")[1]
	for _, object := range slices.Backward(stored) {
		content, err := storage.GetObject(t.Context(), bucket, object.Key, 1<<24)
		if err == nil && strings.HasSuffix(object.Key, ".json") {
			content = []byte(strings.ReplaceAll(string(content), from, name))
		}
		if err == nil {
			_, err = storage.EnsureObject(t.Context(), bucket, strings.Replace(object.Key, from, name, 1), content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := storage.EnsureObject(t.Context(), bucket, "exoshift-backup/19990101T000000Z/snapshot.db.age", []byte("half")); err != nil {
		t.Fatal(err)
	}
}
