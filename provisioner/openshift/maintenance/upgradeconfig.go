package maintenance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// buildUpgradeConfig copies a window's UpgradeConfig with another schedule. It drops labels and annotations, by which Argo CD
// would take it for its own, and fields that would delay the work to another week, or suspend it.
func buildUpgradeConfig(template map[string]any, at time.Time) (*unstructured.Unstructured, error) {
	spec, ok := template["spec"].(map[string]any)
	if !ok {
		return nil, errors.New("the UpgradeConfig of the window has no spec")
	}
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": template["apiVersion"], "kind": template["kind"], "spec": spec,
		"metadata": map[string]any{"name": firstMaintenance, "annotations": map[string]any{kubeapi.CreatedAnnotation: "true"}},
	}}
	config = config.DeepCopy()
	cron, err := formatCron(at)
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(config.Object, "spec", "schedule", "isoWeek")
	unstructured.RemoveNestedField(config.Object, "spec", "schedule", "suspend")
	for _, field := range []struct {
		value string
		path  []string
	}{
		{cron, []string{"schedule", "cron"}}, {maintenanceZone, []string{"schedule", "location"}}, {"0m", []string{"pinVersionWindow"}},
		{firstMaintenance, []string{"jobTemplate", "metadata", "labels", jobLabel}},
	} {
		if err := unstructured.SetNestedField(config.Object, field.value, append([]string{"spec"}, field.path...)...); err != nil {
			return nil, errors.New("the UpgradeConfig of the window is not in the form of its kind")
		}
	}
	return config, nil
}

// computeStart returns the full minute at which maintenance starts, at least a minute ahead: a minute that has begun is over for
// today.
func computeStart(now time.Time) time.Time {
	return now.Add(2*time.Minute - time.Nanosecond).Truncate(time.Minute)
}

func formatCron(at time.Time) (string, error) {
	zone, err := time.LoadLocation(maintenanceZone)
	if err != nil {
		return "", err
	}
	at = at.In(zone)
	return fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()), nil
}

const (
	maintenancePending   = "Pending"
	maintenanceRunning   = "Running"
	maintenanceSucceeded = "Succeeded"
	maintenanceFailed    = "Failed"
	maintenancePaused    = "Paused"
)

type firstRun struct {
	config    upgradeConfig
	scheduled bool         // the UpgradeConfig exists
	jobs      []upgradeJob // newest first
}

type upgradeConfig struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		LastScheduled string `json:"lastScheduledUpgrade"`
	} `json:"status"`
}

type upgradeJob struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		Conditions kubeapi.Conditions `json:"conditions"`
	} `json:"status"`
}

func getMaintenance(ctx context.Context, api *kubeapi.Client) (seen firstRun, err error) {
	if seen.config, seen.scheduled, err = kubeapi.Get[upgradeConfig](ctx, api, upgradeConfigs, firstMaintenance); err != nil {
		return seen, err
	}
	if seen.jobs, err = kubeapi.List[upgradeJob](ctx, api, upgradeJobs, jobLabel+"="+firstMaintenance); err != nil {
		return seen, err
	}
	stable.Sort(seen.jobs, func(a, b upgradeJob) int {
		return b.Metadata.CreationTimestamp.Compare(a.Metadata.CreationTimestamp.Time)
	})
	return seen, nil
}

func (m firstRun) isOurs() bool {
	return m.config.Metadata.Annotations[kubeapi.CreatedAnnotation] != ""
}

// findJob ignores jobs of an earlier attempt.
func (m firstRun) findJob() (upgradeJob, bool) {
	if len(m.jobs) == 0 {
		return upgradeJob{}, false
	}
	made := m.jobs[0].Metadata.CreationTimestamp
	if m.scheduled && made.Before(&m.config.Metadata.CreationTimestamp) {
		return upgradeJob{}, false
	}
	return m.jobs[0], true
}

func (m firstRun) toState() state.Maintenance {
	job, made := m.findJob()
	switch {
	case made:
		return job.toState()
	case !m.scheduled:
		return state.Maintenance{}
	case m.config.Status.LastScheduled != "":
		return state.Maintenance{State: maintenancePending, Message: "it is due, but its controller created no job: maintenance may be suspended"}
	}
	return state.Maintenance{State: maintenancePending, Message: "it is scheduled"}
}

func (j upgradeJob) toState() state.Maintenance {
	found := j.Status.Conditions
	for _, kind := range []string{maintenanceFailed, maintenanceSucceeded, maintenancePaused} {
		if found.Is(kind) {
			condition := found.Find(kind)
			return state.Maintenance{State: kind, Message: kubeapi.Sanitize(cmp.Or(condition.Message, condition.Reason))}
		}
	}
	if found.Is("Started") {
		return state.Maintenance{State: maintenanceRunning, Message: kubeapi.Sanitize(describeStage(found))}
	}
	return state.Maintenance{State: maintenancePending, Message: "its job waits"}
}

// describeStage describes the first stage of a running job that is not done.
func describeStage(found kubeapi.Conditions) string {
	for _, stage := range []struct{ kind, title string }{
		{"PreHealthCheckDone", "it checks the cluster"},
		{"UpgradeCompleted", "it upgrades the cluster"},
		{"PostHealthCheckDone", "it checks the cluster after the upgrade"},
	} {
		if condition := found.Find(stage.kind); condition.Status != "True" {
			return kubeapi.JoinMessage(stage.title, condition.Message)
		}
	}
	return "it ends"
}
