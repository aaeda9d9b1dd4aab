package openshift_test

import (
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/kube"
)

const (
	silenceJobs = "jobs.batch"
	monitored   = "openshift-monitoring"
)

func silencer(t *testing.T) *rehearsal {
	t.Helper()
	r := rehearse(t)
	r.put(t, "namespaces", "", named(monitored))
	r.put(t, "cronjobs.batch", monitored, object(t, "silence", `{"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "0 */4 * * *",
		"jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "silence", "image": "oc"}]}}}}}}`))
	return r
}

func (r *rehearsal) silenceJob(t *testing.T) (kube.Object, bool) {
	t.Helper()
	return r.objects.Get(silenceJobs, monitored, "silence-exoshift")
}

func TestSilenceAlerts_JobIsRemoved(t *testing.T) {
	for outcome, kind := range map[string]fault.Kind{"Complete": -1, "Failed": fault.Conflict} {
		t.Run(outcome, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := silencer(t)
				for range 2 { // it is started once
					if err := r.SilenceAlerts(t.Context()); !fault.Is(err, fault.Transient) {
						t.Fatal(err)
					}
				}
				job, found := r.silenceJob(t)
				if image := job.List("spec.template.spec.containers")[0].GetString("image"); !found || image != "oc" {
					t.Fatalf("the job runs %q", image)
				}
				r.change(t, silenceJobs, monitored, "silence-exoshift", "status.conditions", conditions([3]string{outcome, "True", ""}))
				err := r.SilenceAlerts(t.Context())
				if kind < 0 && err != nil || kind >= 0 && !fault.Is(err, kind) {
					t.Error(err)
				}
				if _, found := r.silenceJob(t); found {
					t.Error("the job is still there")
				}
			})
		})
	}
}

func TestSilenceAlerts_UnsupportedCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if err := rehearse(t).SilenceAlerts(t.Context()); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
}
