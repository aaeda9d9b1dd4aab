package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	apppower "exoshift/internal/app/power"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/power"
	"exoshift/state"
)

// agedByADay has a cluster be old enough to be stopped.
func agedByADay(t *testing.T, s run.Run) {
	t.Helper()
	known := facts(t, s)
	known.Installed = time.Now().Add(-25 * time.Hour)
	if err := s.Folder.SaveFacts(known); err != nil {
		t.Fatal(err)
	}
}

const upgradeConfigs = "/apis/managedupgrade.appuio.io/v1beta1/namespaces/appuio-openshift-upgrade-controller/upgradeconfigs"

// scheduleUpgrades has the cluster update itself; Argo CD looks after that if it has a label.
func scheduleUpgrades(t *testing.T, s run.Run, labels string) {
	t.Helper()
	for path, object := range map[string]string{
		"/api/v1/namespaces": `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "appuio-openshift-upgrade-controller"}}`,
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions": `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": {"name": "upgradeconfigs.managedupgrade.appuio.io"}, "spec": {"group": "managedupgrade.appuio.io", "scope": "Namespaced", "names": {"plural": "upgradeconfigs",
			"singular": "upgradeconfig", "kind": "UpgradeConfig", "listKind": "UpgradeConfigList"}, "versions": [{"name": "v1beta1", "served": true, "storage": true,
			"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`,
	} {
		requestCluster(t, s, http.MethodPost, path, object, new(map[string]any))
	}
	requestCluster(t, s, http.MethodPost, upgradeConfigs, fmt.Sprintf(`{"apiVersion": "managedupgrade.appuio.io/v1beta1", "kind": "UpgradeConfig",
		"metadata": {"name": "weekly", "labels": %s}, "spec": {"schedule": {"cron": "0 22 * * 4"}}}`, labels), new(map[string]any))
}

// requireSwitchedForStop requires that updates are suspended and Ceph has its flags, or neither.
func requireSwitchedForStop(t *testing.T, s run.Run, switched bool) {
	t.Helper()
	var config struct {
		Spec struct{ Schedule struct{ Suspend bool } }
	}
	askCluster(t, s, http.MethodGet, upgradeConfigs+"/weekly", &config)
	seen, err := openCluster(t, s).GetCeph(t.Context())
	flags := strings.Join(seen.Flags(), " ")
	if err != nil || config.Spec.Schedule.Suspend != switched || (flags == "noout norebalance") != switched || (flags == "") == switched {
		t.Errorf("suspended: %t, the flags are %q: %v", config.Spec.Schedule.Suspend, flags, err)
	}
	if known := facts(t, s).Hibernation; switched != (known != nil && len(known.Flags) == 2 && slices.Equal(known.Suspended, []string{"weekly"})) {
		t.Errorf("the facts know %+v", known)
	}
}

// cephHibernates requires that Ceph moves nothing while its machines are off, and does so again afterwards, also if each run is killed; and that a
// stop that is given up leaves nothing.
func cephHibernates(t *testing.T, s run.Run, _ *simcloud.Zone) {
	agedByADay(t, s)
	scheduleUpgrades(t, s, `{"argocd.argoproj.io/instance": "openshift-upgrade-controller"}`)
	wanted := apppower.Request{Backup: etcdbackup.Choice{Without: true}}
	if _, err := changePower(t.Context(), t, s, apppower.VerbStop, wanted, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "the UpgradeConfig weekly") ||
		strings.Contains(err.Error(), "noout") || facts(t, s).Hibernation != nil {
		t.Errorf("Argo CD sets back what is changed: %v", err)
	}
	requestCluster(t, s, http.MethodDelete, upgradeConfigs+"/weekly", "", new(map[string]any))
	scheduleUpgrades(t, s, `{}`)

	changeKilled(t, s, apppower.VerbStop, "ceph osd set norebalance")
	requireSwitchedForStop(t, s, true)
	out, err := changePower(t.Context(), t, s, apppower.VerbStop, wanted, func(clients *power.Clients) { clients.Cluster = withoutCordon{clients.Cluster} })
	if !errors.Is(err, errNoCordon) || facts(t, s).Hibernation != nil {
		t.Errorf("given up: %v, the facts know %+v\n%s", err, facts(t, s).Hibernation, lastLines(out))
	}
	requireSwitchedForStop(t, s, false)
	passTime(t, s, 3*time.Minute) // the operator of Ceph reports that

	for _, call := range []string{"suspend true weekly", "ceph osd set noout", "cordon true storage-1", "stop storage-1", ""} {
		changeKilled(t, s, apppower.VerbStop, call)
	}
	if states := countStates(t, s); len(states) != 1 || states["stopped"] == 0 {
		t.Errorf("after the stop, the machines are %v", states)
	}
	passTime(t, s, 30*time.Hour)
	for _, call := range []string{"start storage-0", "start worker-0", "ceph osd unset noout", "suspend false weekly", ""} {
		startWithOSDs(t, s, call)
	}
	requireSwitchedForStop(t, s, false)
	if known := facts(t, s).Hibernation; known != nil {
		t.Errorf("the facts know %+v", known)
	}
	waitForCeph(t, s)
	requireStored(t, s, "storage-0", "storage-1", "storage-2")
}

// startWithOSDs starts the cluster, and is killed at a call. No flag may be unset before every OSD is up.
func startWithOSDs(t *testing.T, s run.Run, call string) {
	t.Helper()
	early := ""
	by := &earlyUnset{seen: &early}
	changeKilledBy(t, s, apppower.VerbStart, call, func(clients *power.Clients) {
		by.Cluster = clients.Cluster
		clients.Cluster = by
	})
	if early != "" {
		t.Errorf("killed at %q: a flag was unset too early: %s", call, early)
	}
}

// earlyUnset notices flags that are unset while an OSD is down.
type earlyUnset struct {
	power.Cluster
	seen *string
}

func (c *earlyUnset) RunCeph(ctx context.Context, arguments ...string) error {
	if seen, err := c.GetCeph(ctx); slices.Contains(arguments, "unset") {
		for _, osd := range seen.OSDs {
			if err != nil || !osd.Up {
				*c.seen = fmt.Sprintf("osd.%d: %v", osd.ID, err)
			}
		}
	}
	return c.Cluster.RunCeph(ctx, arguments...)
}

var errNoCordon = errors.New("no cordon")

// withoutCordon cannot cordon, but can end that.
type withoutCordon struct{ power.Cluster }

func (c withoutCordon) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	if cordoned {
		return "", errNoCordon
	}
	return c.Cluster.SetCordon(ctx, node, cordoned)
}

// poolNotStopped requires that a cluster with an instance pool is left as it is, which might replace what is stopped; and that one that somebody
// stopped by hand is started.
func poolNotStopped(t *testing.T, s run.Run, names []string) {
	agedByADay(t, s)
	wanted := apppower.Request{Backup: etcdbackup.Choice{Without: true}}
	_, err := changePower(t.Context(), t, s, apppower.VerbStop, wanted, nil)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "nothing was changed: the machines of workers are members of an instance pool") || facts(t, s).Hibernation != nil {
		t.Errorf("exit code %d, %v", exit.Code(err), err)
	}
	checkWorkers(t, s, 4)
	b := backdoor{t, s}
	for _, instance := range b.list("/instance", "instances") {
		b.ask(http.MethodPut, "/instance/"+instance["id"].(string)+":stop", json.RawMessage("{}"))
	}
	passTime(t, s, time.Hour)
	if states := countStates(t, s); len(states) != 1 || states["stopped"] == 0 {
		t.Errorf("the machines are %v", states)
	}
	changeKilled(t, s, apppower.VerbStart, "start "+names[0])
	changeKilled(t, s, apppower.VerbStart, "")
	if after := checkWorkers(t, s, 4); !slices.Equal(after, names) {
		t.Errorf("the workers are %v, and were %v", after, names)
	}
}
