package openshift

import (
	"reflect"

	"exoshift/internal/simcloud/kube"
)

// assessment is what the application controller thinks of an application.
type assessment struct {
	revision  string
	synced    bool
	health    finding // reason is the health
	resources []kube.Object
	operation kube.Object // of this look; nil: none
}

// broken returns the status of an application that cannot be compared.
func (assessment) broken(err error, application kube.Object, now string) kube.Object {
	status := kube.Object(application.Map("status")).Clone()
	if status == nil {
		status = kube.Object{}
	}
	status.Set("sync.status", "Unknown")
	if status.Text("health.status") == "" {
		status.Set("health.status", "Healthy") // of nothing
	}
	condition := kube.Object{"type": "ComparisonError", "lastTransitionTime": now,
		"message": "Failed to load target state: failed to generate manifest for source 1 of 1: " + err.Error()}
	for _, old := range status.List("conditions") {
		if old.Text("message") == condition.Text("message") {
			condition["lastTransitionTime"] = old["lastTransitionTime"]
		}
	}
	status.Set("conditions", []kube.Object{condition})
	return status
}

// settled returns the status of an application that was compared.
func (s assessment) settled(application kube.Object, now string) kube.Object {
	status := kube.Object(application.Map("status")).Clone()
	if status == nil {
		status = kube.Object{}
	}
	delete(status, "conditions")
	status.Set("sync", kube.Object{"status": "OutOfSync", "revision": s.revision})
	if s.synced {
		status.Set("sync.status", "Synced")
	}
	health := kube.Object{"status": s.health.reason, "lastTransitionTime": now}
	if s.health.message != "" {
		health["message"] = s.health.message
	}
	if old := kube.Object(status.Map("health")); old.Text("status") == s.health.reason {
		health["lastTransitionTime"] = old["lastTransitionTime"]
	}
	status.Set("health", health)
	status.Set("resources", s.resources)
	if s.operation != nil {
		status.Set("operationState", s.operation)
		if s.operation.Text("phase") != "Succeeded" {
			status.Set("conditions", []kube.Object{{"type": "SyncError", "message": "Failed last sync attempt: " + s.operation.Text("message"), "lastTransitionTime": now}})
		}
	} else if !s.synced {
		if kept := application.Get("status.conditions"); kept != nil {
			status["conditions"] = kept
		}
	}
	return status
}

// write keeps an application's status, if it is another than before.
func (c *cluster) write(application kube.Object, status kube.Object) error {
	if reflect.DeepEqual(map[string]any(status), application.Map("status")) {
		return nil
	}
	_, err := c.objects.Change(applicationResource, application.Namespace(), application.Name(), func(o kube.Object) error {
		o["status"] = status
		return nil
	})
	return err
}
