package openshift

import (
	"errors"
	"fmt"
	"time"

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
		"metadata": map[string]any{"name": firstMaintenance, "annotations": map[string]any{createdAnnotation: "true"}},
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
