package openshift

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	silenceName = "silence" // of the CronJob, its runs and its ConfigMap
	// silenceLasts is longer than the pause between two runs of the CronJob (inferred).
	silenceLasts = 12 * time.Hour
)

// silencing is a silence that the catalog wants. Labels are compared word by word.
type silencing struct {
	Matchers []struct{ Name, Value string }
}

// silence is what the job is for: Alertmanager holds back what the catalog lists.
func (c *cluster) silence() error {
	wanted, _ := c.objects.Get(mapResource, monitoring, silenceName)
	content, _ := wanted.Map("data")["silences.json"].(string)
	var silences []silencing
	if err := json.Unmarshal([]byte(content), &silences); err != nil {
		return fmt.Errorf("silences.json: %w", err)
	}
	return c.sightings.Put(silenceName, sighting{silenceName, content, c.clock.Now()})
}

// silenced tells whether a silence is for an alert.
func (c *cluster) silenced(a alert) bool {
	kept, made := c.sightings.Get(silenceName)
	if !made || c.clock.Now().Sub(kept.Since) > silenceLasts {
		return false
	}
	var silences []silencing
	if json.Unmarshal([]byte(kept.State), &silences) != nil {
		return false
	}
	labels := map[string]string{"alertname": a.name, "severity": a.severity, "namespace": a.namespace}
	for _, one := range silences {
		all := len(one.Matchers) > 0
		for _, matcher := range one.Matchers {
			all = all && labels[matcher.Name] == matcher.Value
		}
		if all {
			return true
		}
	}
	return false
}
