package argo

import (
	"reflect"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

type appComparison struct {
	revision  string
	synced    bool
	health    HealthStatus
	resources []kube.Object
	operation kube.Object // of this reconciliation; nil: none
}

func (appComparison) renderErrorStatus(err error, application kube.Object, now string) kube.Object {
	status := kube.Object(application.Map("status")).Clone()
	if status == nil {
		status = kube.Object{}
	}
	status.Set("sync.status", "Unknown")
	if status.GetString("health.status") == "" {
		status.Set("health.status", "Healthy") // no sources
	}
	condition := kube.Object{"type": "ComparisonError", "lastTransitionTime": now,
		"message": "Failed to load target state: failed to generate manifest for source 1 of 1: " + err.Error()}
	for _, old := range status.List("conditions") {
		if old.GetString("message") == condition.GetString("message") {
			condition["lastTransitionTime"] = old["lastTransitionTime"]
		}
	}
	status.Set("conditions", []kube.Object{condition})
	return status
}

func (s appComparison) renderStatus(application kube.Object, now string) kube.Object {
	status := kube.Object(application.Map("status")).Clone()
	if status == nil {
		status = kube.Object{}
	}
	delete(status, "conditions")
	status.Set("sync", kube.Object{"status": "OutOfSync", "revision": s.revision})
	if s.synced {
		status.Set("sync.status", "Synced")
	}
	health := kube.Object{"status": s.health.Status, "lastTransitionTime": now}
	if s.health.Message != "" {
		health["message"] = s.health.Message
	}
	if old := kube.Object(status.Map("health")); old.GetString("status") == s.health.Status {
		health["lastTransitionTime"] = old["lastTransitionTime"]
	}
	status.Set("health", health)
	status.Set("resources", s.resources)
	if s.operation != nil {
		status.Set("operationState", s.operation)
		if s.operation.GetString("phase") != "Succeeded" {
			status.Set("conditions", []kube.Object{{"type": "SyncError", "message": "Failed last sync attempt: " + s.operation.GetString("message"), "lastTransitionTime": now}})
		}
	} else if !s.synced {
		if kept := application.Get("status.conditions"); kept != nil {
			status["conditions"] = kept
		}
	}
	return status
}

// writeStatus skips unchanged statuses.
func writeStatus(c *cluster.Cluster, application kube.Object, status kube.Object) error {
	if reflect.DeepEqual(map[string]any(status), application.Map("status")) {
		return nil
	}
	_, err := c.Objects.Update(applicationResource, application.Namespace(), application.Name(), func(o kube.Object) error {
		o["status"] = status
		return nil
	})
	return err
}
