package openshift

import (
	"cmp"
	"context"
	"slices"

	"exoshift/state"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	maintenancePending   = "Pending"
	maintenanceRunning   = "Running"
	maintenanceSucceeded = "Succeeded"
	maintenanceFailed    = "Failed"
	maintenancePaused    = "Paused"
)

type maintenance struct {
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
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

func getMaintenance(ctx context.Context, api *Client) (seen maintenance, err error) {
	if seen.config, seen.scheduled, err = getObject[upgradeConfig](ctx, api, upgradeConfigs, firstMaintenance); err != nil {
		return seen, err
	}
	if seen.jobs, err = listObjects[upgradeJob](ctx, api, upgradeJobs, jobLabel+"="+firstMaintenance); err != nil {
		return seen, err
	}
	slices.SortStableFunc(seen.jobs, func(a, b upgradeJob) int {
		return b.Metadata.CreationTimestamp.Compare(a.Metadata.CreationTimestamp.Time)
	})
	return seen, nil
}

func (m maintenance) isOurs() bool { return m.config.Metadata.Annotations[createdAnnotation] != "" }

// findJob ignores jobs of an earlier attempt.
func (m maintenance) findJob() (upgradeJob, bool) {
	if len(m.jobs) == 0 {
		return upgradeJob{}, false
	}
	made := m.jobs[0].Metadata.CreationTimestamp
	if m.scheduled && made.Before(&m.config.Metadata.CreationTimestamp) {
		return upgradeJob{}, false
	}
	return m.jobs[0], true
}

func (m maintenance) toState() state.Maintenance {
	job, made := m.findJob()
	switch {
	case made:
		return job.toState()
	case !m.scheduled:
		return state.Maintenance{}
	case m.config.Status.LastScheduled != "":
		return state.Maintenance{State: maintenancePending, Message: "its time has come, and its controller made no job: maintenance may be suspended"}
	}
	return state.Maintenance{State: maintenancePending, Message: "it is scheduled"}
}

func (j upgradeJob) toState() state.Maintenance {
	found := j.Status.Conditions
	for _, kind := range []string{maintenanceFailed, maintenanceSucceeded, maintenancePaused} {
		if found.is(kind) {
			told := found.find(kind)
			return state.Maintenance{State: kind, Message: sanitize(cmp.Or(told.Message, told.Reason))}
		}
	}
	if found.is("Started") {
		return state.Maintenance{State: maintenanceRunning, Message: sanitize(found.describeStage())}
	}
	return state.Maintenance{State: maintenancePending, Message: "its job waits"}
}

// describeStage describes the first stage of a running job that is not done.
func (c conditions) describeStage() string {
	for _, stage := range []struct{ kind, title string }{
		{"PreHealthCheckDone", "it checks the cluster"},
		{"UpgradeCompleted", "it upgrades the cluster"},
		{"PostHealthCheckDone", "it checks the cluster after the upgrade"},
	} {
		if told := c.find(stage.kind); told.Status != "True" {
			return joinMessage(stage.title, told.Message)
		}
	}
	return "it ends"
}
