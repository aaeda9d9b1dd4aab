package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	appupgrade "exoshift/internal/app/upgrade"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/upgrade"
	"exoshift/state"
	stateupgrade "exoshift/state/upgrade"
)

// The releases of the simulated update service: the last of each minor version is recommended, the one before it is not.
const (
	newRelease   = "4.20.99"
	riskyRelease = "4.20.98"
	nextMinor    = "4.21.99"
	nextGate     = "ack-4.20-kube-1.34-api-removals-in-4.21" // what has to be acknowledged before
)

// upgradeOutput keeps what an update shows.
type upgradeOutput struct {
	cli.Display
	out    *bytes.Buffer
	status *stateupgrade.Status
	plan   *appupgrade.Plan
}

func (o upgradeOutput) ShowUpdates(status stateupgrade.Status) error {
	*o.status = status
	return nil
}

func (o upgradeOutput) ShowPlan(plan appupgrade.Plan) error {
	*o.plan = plan
	return nil
}
func (upgradeOutput) Confirm(context.Context) error { return nil }
func (o upgradeOutput) Close(_ appupgrade.Plan, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure))
}

func updateCluster(ctx context.Context, t *testing.T, s run.Run, wanted appupgrade.Request, alter func(*upgrade.Clients)) (upgradeOutput, error) {
	t.Helper()
	shown := upgradeOutput{out: &bytes.Buffer{}, status: &stateupgrade.Status{}, plan: &appupgrade.Plan{}}
	shown.Display = jsonDisplay(cli.Streams{Out: shown.out, Err: io.Discard})
	if wanted.Backup.Folder == "" && wanted.To != "" && wanted.ReadKeys == nil {
		wanted.Backup = etcdbackup.Choice{Without: true}
	}
	err := appupgrade.Cluster{Cluster: clusterOf(t, s), Alter: alter}.Run(ctx, wanted, shown)
	return shown, err
}

func requestOf(to string) appupgrade.Request {
	return appupgrade.Request{Options: upgrade.Options{To: to}}
}

// upgradeKiller ends a process at a call that changes something, after its effect. From then on nothing has an effect.
type upgradeKiller struct {
	upgrade.Cluster
	at    string
	dead  *atomic.Bool
	polls *atomic.Int32 // after the operators had the release
}

// pollsLater has it killed after five minutes in which the operators, but not all nodes, have the release.
const pollsLater = "20 polls later"

func (k upgradeKiller) GetUpdateStatus(ctx context.Context) (stateupgrade.Status, error) {
	status, err := k.Cluster.GetUpdateStatus(ctx)
	if k.at == pollsLater && err == nil && status.Version == newRelease && !status.Partial && k.polls.Add(1) >= 20 {
		k.dead.Store(true)
		return status, errKilled
	}
	return status, err
}

func (k upgradeKiller) do(call string, change func() (state.Action, error)) (state.Action, error) {
	if k.dead.Load() {
		return "", errKilled
	}
	action, err := change()
	if call == k.at {
		k.dead.Store(true)
		return "", errors.Join(errKilled, err)
	}
	return action, err
}

func (k upgradeKiller) SetPaused(ctx context.Context, pool string, paused bool) (state.Action, error) {
	return k.do(fmt.Sprint("pause ", paused, " ", pool), func() (state.Action, error) { return k.Cluster.SetPaused(ctx, pool, paused) })
}

func (k upgradeKiller) RequestUpdate(ctx context.Context, version string) (state.Action, error) {
	return k.do("request", func() (state.Action, error) { return k.Cluster.RequestUpdate(ctx, version) })
}

// updateKilled updates the cluster, and is killed at a call; "": it is not.
func updateKilled(t *testing.T, s run.Run, wanted appupgrade.Request, call string) upgradeOutput {
	t.Helper()
	var dead atomic.Bool
	var polls atomic.Int32
	shown, err := updateCluster(t.Context(), t, s, wanted, func(clients *upgrade.Clients) { clients.Cluster = upgradeKiller{clients.Cluster, call, &dead, &polls} })
	if dead.Load() != (call != "") || (err == nil) != (call == "") {
		t.Fatalf("killed at %q: %t: %v\n%s", call, dead.Load(), err, lastLines(shown.out.String()))
	}
	return shown
}

// clusterUpdated is updated within its minor version, a pool of one worker before any other node but the masters. Its run is killed now and
// then, and the same command goes on.
func clusterUpdated(t *testing.T, s run.Run, _ *simcloud.Zone) {
	makeCanary(t, s)
	passTime(t, s, 2*time.Minute) // the list of updates is fetched
	shown, err := updateCluster(t.Context(), t, s, appupgrade.Request{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkListed(t, *shown.status)
	updatesRefused(t, s)
	wanted, keys := requestOf(newRelease), newBackupKeys(t)
	wanted.Canary = "canary"
	wanted.ReadKeys = func(context.Context) (backup.Keys, error) { return keys, nil }
	serveWebOn(t, s, "canary", 1, 1) // which keeps the canary from being drained
	var out strings.Builder
	for _, call := range []string{"pause true worker", "request", pollsLater, "pause false worker", ""} {
		out.WriteString(updateKilled(t, s, wanted, call).out.String())
		if call == pollsLater {
			checkCanaryAwaited(t, s)
			requestCluster(t, s, http.MethodDelete, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web", "", nil)
		}
	}
	checkUpdated(t, s, newRelease)
	checkProgress(t, out.String())
	checkCanaryFirst(t, out.String())
	if all := listBackups(t, s); len(all) != 1 {
		t.Errorf("backups: %+v", all)
	}
	if known := facts(t, s); known.Version() != newRelease || known.OpenShiftVersion != "4.20.5" {
		t.Errorf("the facts know %s, installed as %s", known.Version(), known.OpenShiftVersion)
	}
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
}

func checkListed(t *testing.T, status stateupgrade.Status) {
	t.Helper()
	recommended := map[string]bool{}
	for _, release := range status.Updates {
		recommended[release.Version] = release.Recommended
	}
	if len(recommended) != 2 || !recommended[newRelease] || recommended[riskyRelease] || len(status.FindRelease(riskyRelease).Risks) != 1 {
		t.Errorf("the updates are %+v", status.Updates)
	}
	if status.Version != "4.20.5" || status.Channel != "stable-4.20" || !status.Retrieved || len(status.ListMissing()) != 1 || len(status.Removed) != 1 {
		t.Errorf("the cluster reports %+v", status)
	}
}

func setPool(t *testing.T, s run.Run, pool, patch string) {
	t.Helper()
	patchCluster(t, s, "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/"+pool, patch)
}

func patchCluster(t *testing.T, s run.Run, path, patch string) {
	t.Helper()
	var object map[string]any
	requestCluster(t, s, http.MethodGet, path, "", &object)
	var change map[string]any
	if err := json.Unmarshal([]byte(patch), &change); err != nil {
		t.Fatal(err)
	}
	mergeInto(object, change)
	content, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	requestCluster(t, s, http.MethodPut, path, string(content), nil)
}

func mergeInto(object, change map[string]any) {
	for key, value := range change {
		if inner, ok := value.(map[string]any); ok {
			if object[key] == nil {
				object[key] = map[string]any{}
			}
			mergeInto(object[key].(map[string]any), inner)
			continue
		}
		object[key] = value
	}
}

// checkUpdated requires that everything has the release, that nothing is paused or cordoned, and that the checks of OpenShift were not
// skipped.
func checkUpdated(t *testing.T, s run.Run, version string) {
	t.Helper()
	shown, err := updateCluster(t.Context(), t, s, appupgrade.Request{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	status := *shown.status
	if status.Version != version || status.Partial || status.CountUpdated(version) != len(status.Operators) || len(status.Nodes) > 0 {
		t.Errorf("after the update the cluster reports %+v", status)
	}
	for _, pool := range status.Pools {
		if !pool.IsUpdated() || pool.Paused {
			t.Errorf("after the update: %+v", pool)
		}
	}
	requireUncordoned(t, s)
	if known := facts(t, s).Upgrade; known != nil {
		t.Errorf("the facts know %+v", known)
	}
	var clusterVersion struct{ Spec map[string]any }
	requestCluster(t, s, http.MethodGet, "/apis/config.openshift.io/v1/clusterversions/version", "", &clusterVersion)
	if desired := fmt.Sprint(clusterVersion.Spec["desiredUpdate"]); desired != "map[version:"+version+"]" {
		t.Errorf("the ClusterVersion wants %s", desired)
	}
}

// checkProgress requires that the quorum of etcd is seen, and never lost, and that nodes of a pool are updated one at a time.
func checkProgress(t *testing.T, out string) {
	t.Helper()
	pools, booting, operators := map[string]bool{}, map[string]string{}, 0
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		switch e := eventsOf(t, line)[0]; {
		case e.Type == provisioner.TypeEtcd && *e.Voters < *e.Quorum:
			t.Errorf("etcd lost its quorum: %s", line)
		case e.Type == provisioner.TypeNode && e.State == provisioner.NodeNotReady:
			pool := poolOf(e.Name)
			if other := booting[pool]; other != "" && other != e.Name {
				t.Errorf("of the pool %s, %s and %s boot at once", pool, other, e.Name)
			}
			booting[pool] = e.Name
		case e.Type == provisioner.TypeNode:
			maps.DeleteFunc(booting, func(_, name string) bool { return name == e.Name })
		case e.Type == provisioner.TypePool:
			pools[e.Name] = pools[e.Name] || *e.Ready < *e.Machines
		case e.Type == provisioner.TypeWait && strings.Contains(e.Last, "operators have"):
			operators++
		}
	}
	if len(pools) != 3 || slices.Contains([]bool{pools["master"], pools["worker"]}, false) || operators < 10 {
		t.Errorf("pools that were updated: %v; %d events about operators", pools, operators)
	}
}

// upgradeScenarios are the scenarios about updates, each with what the program has to do in it.
func upgradeScenarios() map[string]func(*testing.T, run.Run, *simcloud.Zone) {
	return map[string]func(*testing.T, run.Run, *simcloud.Zone){"upgrade-stuck-operator": stuckOperatorMended, "upgrade-pool-degraded": degradedPoolMended}
}

// failUpdate requires that an update ends with an exit code, a finding and what to do, and that it goes on with the same command.
func failUpdate(t *testing.T, s run.Run, code int, rule string, says ...string) {
	t.Helper()
	passTime(t, s, 2*time.Minute)
	shown, err := updateCluster(t.Context(), t, s, requestOf(newRelease), nil)
	out := shown.out.String()
	if exit.Code(err) != code || !strings.Contains(fault.HintOf(err), "the same command goes on") {
		t.Fatalf("exit code %d, hint %q: %v\n%s", exit.Code(err), fault.HintOf(err), err, lastLines(out))
	}
	requireFinding(t, out, rule, says...)
	if known := facts(t, s).Upgrade; known == nil || !known.Requested || known.To != newRelease {
		t.Errorf("the facts know %+v", known)
	}
	other, err := updateCluster(t.Context(), t, s, requestOf(riskyRelease), nil)
	if exit.Code(err) != exit.Answers || !strings.Contains(fmt.Sprint(err), "has not ended: exoshift upgrade --to "+newRelease) {
		t.Errorf("another update meanwhile: %v\n%s", err, lastLines(other.out.String()))
	}
}

func stuckOperatorMended(t *testing.T, s run.Run, _ *simcloud.Zone) {
	exhaustive(t)
	failUpdate(t, s, exit.Operators, "upgrade-stuck-operator", "monitoring is degraded since", "unknown field", "oc get clusteroperator monitoring")
	const path = "/api/v1/namespaces/openshift-monitoring/configmaps/cluster-monitoring-config"
	var config struct{ Data map[string]string }
	requestCluster(t, s, http.MethodGet, path, "", &config)
	before, _, _ := strings.Cut(config.Data["config.yaml"], "techPreviewUserWorkload")
	mended, err := json.Marshal(map[string]any{"data": map[string]any{"config.yaml": before}})
	if err != nil {
		t.Fatal(err)
	}
	patchCluster(t, s, path, string(mended))
	updateKilled(t, s, requestOf(newRelease), "")
	checkUpdated(t, s, newRelease)
}

func degradedPoolMended(t *testing.T, s run.Run, _ *simcloud.Zone) {
	exhaustive(t)
	failUpdate(t, s, exit.Nodes, "upgrade-pool-degraded", "Node worker-0 is reporting", "rpm-ostree", "spec.nodeName=worker-0")
	requestCluster(t, s, http.MethodDelete, "/api/v1/namespaces/openshift-machine-config-operator/pods/machine-config-daemon-worker-0", "", nil)
	updateKilled(t, s, requestOf(newRelease), "")
	checkUpdated(t, s, newRelease)
}

// minorUpdated follows another channel, and is updated only once it was acknowledged what OpenShift asks for; masters first, then the rest.
func minorUpdated(t *testing.T, s run.Run, _ *simcloud.Zone) {
	exhaustive(t)
	passTime(t, s, 2*time.Minute)
	shown, err := updateCluster(t.Context(), t, s, appupgrade.Request{Options: upgrade.Options{Channel: "stable-4.21"}}, nil)
	if err != nil || shown.status.Channel != "stable-4.21" || shown.status.FindRelease(nextMinor) == nil {
		t.Fatalf("%v: %+v", err, shown.status.Updates)
	}
	wanted := requestOf(nextMinor)
	if _, err := updateCluster(t.Context(), t, s, wanted, nil); exit.Code(err) != exit.Answers || !strings.Contains(fmt.Sprint(err), "--acknowledge "+nextGate) {
		t.Errorf("without an acknowledgement: %v", err)
	}
	wanted.Acknowledge, wanted.PausePools = []string{nextGate}, true
	updateKilled(t, s, wanted, "pause true worker")
	updateKilled(t, s, wanted, "")
	shown, err = updateCluster(t.Context(), t, s, appupgrade.Request{}, nil)
	if pool := shown.status.FindPool("worker"); err != nil || !pool.Paused || pool.Updated > 0 || !shown.status.FindPool("master").IsUpdated() || shown.status.Partial {
		t.Errorf("after the masters: %v: %+v", err, shown.status.Pools)
	}
	wanted.PausePools = false
	updateKilled(t, s, wanted, "pause false worker")
	updateKilled(t, s, wanted, "")
	checkUpdated(t, s, nextMinor)
}
