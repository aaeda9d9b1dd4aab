package openshift

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	silenceName = "silence" // of the CronJob, its runs and its ConfigMap
	// silenceDuration is longer than the pause between two runs of the CronJob (inferred).
	silenceDuration = 12 * time.Hour
)

// silenceRule is a silence that the catalog wants. Labels are compared word by word.
type silenceRule struct {
	Matchers []struct{ Name, Value string }
}

// applySilences is what the job is for: Alertmanager holds back what the catalog lists.
func (c *cluster) applySilences() error {
	wanted, _ := c.objects.Get(mapResource, monitoring, silenceName)
	content, _ := wanted.Map("data")["silences.json"].(string)
	var silences []silenceRule
	if err := json.Unmarshal([]byte(content), &silences); err != nil {
		return fmt.Errorf("silences.json: %w", err)
	}
	return c.stateRecords.Put(silenceName, stateRecord{silenceName, content, c.clock.Now()})
}

// isSilenced tells whether a silence is for an alert.
func (c *cluster) isSilenced(a alert) bool {
	kept, made := c.stateRecords.Get(silenceName)
	if !made || c.clock.Now().Sub(kept.Since) > silenceDuration {
		return false
	}
	var silences []silenceRule
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
