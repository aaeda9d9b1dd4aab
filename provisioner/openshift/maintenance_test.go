package openshift_test

import (
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const (
	upgradeNamespace = "appuio-openshift-upgrade-controller"
	upgradeConfigs   = "upgradeconfigs.managedupgrade.appuio.io"
	upgradeJobs      = "upgradejobs.managedupgrade.appuio.io"
)

func upgradable(t *testing.T) *rehearsal {
	t.Helper()
	r := rehearse(t)
	for resource, name := range map[string]string{"upgradeconfigs": "UpgradeConfig", "upgradejobs": "UpgradeJob"} {
		kind := kube.Kind{Group: "managedupgrade.appuio.io", Version: "v1beta1", Resource: resource, Kind: name, Namespaced: true}
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
	}
	r.put(t, "namespaces", "", named(upgradeNamespace))
	r.put(t, upgradeConfigs, upgradeNamespace, object(t, "tuesday-1000", `{"apiVersion": "managedupgrade.appuio.io/v1beta1", "kind": "UpgradeConfig",
		"metadata": {"labels": {"argocd.argoproj.io/instance": "openshift-upgrade-controller"}, "annotations": {"argocd.argoproj.io/tracking-id": "x"}},
		"spec": {"schedule": {"cron": "0 10 * * 2", "isoWeek": "@even", "suspend": true, "location": "UTC"}, "pinVersionWindow": "72h",
			"maxSchedulingDelay": "1h", "jobTemplate": {"metadata": {"labels": {"upgradeconfig/name": "tuesday-1000", "kept": "yes"}},
			"spec": {"config": {"upgradeTimeout": "24h"}}}}}`))
	return r
}

func (r *rehearsal) maintain(t *testing.T, want state.Action) {
	t.Helper()
	if got, err := r.EnsureMaintenance(t.Context(), "tuesday-1000"); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func (r *rehearsal) job(t *testing.T, name string, texts ...[3]string) {
	t.Helper()
	job := with(named(name), "status.conditions", conditions(texts...))
	job.Set("metadata.labels", map[string]any{"upgradeconfig/name": "first"})
	r.put(t, upgradeJobs, upgradeNamespace, job)
}

func (r *rehearsal) maintenance(t *testing.T) state.Maintenance {
	t.Helper()
	got, err := r.GetMaintenance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEnsureMaintenance_UsesNextWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := upgradable(t) // a bubble begins at midnight UTC of 2000-01-01, which is one o'clock in Zurich
		time.Sleep(17*time.Minute + 30*time.Second)
		r.maintain(t, state.Created)
		first, _ := r.objects.Get(upgradeConfigs, upgradeNamespace, "first")
		want := map[string]any{"schedule": map[string]any{"cron": "19 1 * * *", "location": "Europe/Zurich"}, "pinVersionWindow": "0m", "maxSchedulingDelay": "1h",
			"jobTemplate": map[string]any{"metadata": map[string]any{"labels": map[string]any{"upgradeconfig/name": "first", "kept": "yes"}},
				"spec": map[string]any{"config": map[string]any{"upgradeTimeout": "24h"}}}}
		if diff := cmp.Diff(want, first.Map("spec")); diff != "" {
			t.Error(diff)
		}
		if first.GetString("kind") != "UpgradeConfig" || len(first.Map("metadata.labels")) != 0 || len(first.Map("metadata.annotations")) != 1 {
			t.Errorf("metadata: %v", first["metadata"])
		}
		r.maintain(t, state.Found)
	})
}

func TestEnsureMaintenance_RequiresControllerAndWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := rehearse(t).EnsureMaintenance(t.Context(), "tuesday-1000"); !fault.Is(err, fault.NotFound) || fault.HintOf(err) == "" {
			t.Errorf("without a controller: %v", err)
		}
		r := upgradable(t)
		if _, err := r.EnsureMaintenance(t.Context(), "monday-1400"); !fault.Is(err, fault.Transient) {
			t.Errorf("without the window: %v", err)
		}
		if _, err := r.EnsureMaintenance(t.Context(), ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("without a name: %v", err)
		}
		if got := r.maintenance(t); got != (state.Maintenance{}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestEnsureMaintenance_KeepsForeign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := upgradable(t)
		r.put(t, upgradeConfigs, upgradeNamespace, named("first"))
		if _, err := r.EnsureMaintenance(t.Context(), "tuesday-1000"); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
		if got, err := r.EndMaintenance(t.Context()); err != nil || got != state.Found {
			t.Errorf("%q, %v", got, err)
		}
		if _, exists := r.objects.Get(upgradeConfigs, upgradeNamespace, "first"); !exists {
			t.Error("it is gone")
		}
	})
}

func TestMaintenance_ProgressOfJob(t *testing.T) {
	started := [3]string{"Started", "True", ""}
	for name, test := range map[string]struct {
		conditions [][3]string
		want       state.Maintenance
	}{
		"made":     {nil, state.Maintenance{State: "Pending", Message: "its job waits"}},
		"checking": {[][3]string{started, {"PreHealthCheckDone", "False", "etcd is degraded"}}, state.Maintenance{State: "Running", Message: "it checks the cluster: etcd is degraded"}},
		"upgrading": {[][3]string{started, {"PreHealthCheckDone", "True", ""}, {"UpgradeCompleted", "False", ""}},
			state.Maintenance{State: "Running", Message: "it upgrades the cluster"}},
		"paused": {[][3]string{started, {"Paused", "True", "pools wait"}}, state.Maintenance{State: "Paused", Message: "pools wait"}},
		"failed": {[][3]string{started, {"Failed", "True", "too\nlate"}}, state.Maintenance{State: "Failed", Message: "too late"}},
		"done":   {[][3]string{started, {"Paused", "False", ""}, {"Succeeded", "True", "done"}}, state.Maintenance{State: "Succeeded", Message: "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := upgradable(t)
				r.maintain(t, state.Created)
				if got := r.maintenance(t); got.State != "Pending" {
					t.Errorf("at first: %v", got)
				}
				time.Sleep(2 * time.Minute)
				r.job(t, "first-1", test.conditions...)
				if diff := cmp.Diff(test.want, r.maintenance(t)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestEndMaintenance_IsNotRecreated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := upgradable(t)
		r.maintain(t, state.Created)
		time.Sleep(2 * time.Minute)
		r.job(t, "first-1", [3]string{"Succeeded", "True", ""})
		for _, want := range []state.Action{state.Deleted, state.Found} {
			if got, err := r.EndMaintenance(t.Context()); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		if got := r.maintenance(t); got.State != "Succeeded" {
			t.Errorf("got %v", got)
		}
		r.maintain(t, state.Found)
		if _, exists := r.objects.Get(upgradeConfigs, upgradeNamespace, "tuesday-1000"); !exists {
			t.Error("the window is gone")
		}
	})
}

func TestMaintenance_ReschedulesFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := upgradable(t)
		r.maintain(t, state.Created)
		time.Sleep(2 * time.Minute)
		r.job(t, "first-1", [3]string{"Failed", "True", ""})
		time.Sleep(10 * time.Minute)
		r.maintain(t, state.Created)
		if got := r.maintenance(t); got.State != "Pending" {
			t.Errorf("the earlier attempt counts: %v", got)
		}
		time.Sleep(2 * time.Minute)
		r.job(t, "first-2", [3]string{"Succeeded", "True", ""})
		if got := r.maintenance(t); got.State != "Succeeded" {
			t.Errorf("got %v", got)
		}
	})
}
