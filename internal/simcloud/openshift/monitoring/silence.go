package monitoring

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"exoshift/internal/simcloud/openshift/cluster"
)

const (
	// SilenceName is the name of the CronJob, its Jobs and its ConfigMap.
	SilenceName = "silence"
	// silenceDuration is longer than the interval of the CronJob (inferred).
	silenceDuration = 12 * time.Hour
)

// silenceRule is a silence of the catalog. Its matchers compare for equality only.
type silenceRule struct {
	Matchers []struct{ Name, Value string }
}

// ApplySilences is a run of the catalog's CronJob: it applies the silences of its ConfigMap.
func ApplySilences(c *cluster.Cluster) error {
	wanted, _ := c.Objects.Get(cluster.ConfigMapResource, Namespace, SilenceName)
	content, _ := wanted.Map("data")["silences.json"].(string)
	var silences []silenceRule
	if err := json.Unmarshal([]byte(content), &silences); err != nil {
		return fmt.Errorf("silences.json: %w", err)
	}
	return c.StateRecords.Put(SilenceName, cluster.StateRecord{What: SilenceName, State: content, Since: c.Clock.Now()})
}

func isSilenced(c *cluster.Cluster, a alert) bool {
	labels := map[string]string{"alertname": a.name, "severity": a.severity, "namespace": a.namespace, "syn_component": a.component}
	for _, one := range listSilences(c) {
		if one.isActive(c.Clock.Now()) && one.matches(labels) {
			return true
		}
	}
	kept, made := c.StateRecords.Get(SilenceName)
	if !made || c.Clock.Now().Sub(kept.Since) > silenceDuration {
		return false
	}
	var silences []silenceRule
	if json.Unmarshal([]byte(kept.State), &silences) != nil {
		return false
	}
	return slices.ContainsFunc(silences, func(one silenceRule) bool { return one.matches(labels) })
}

func (r silenceRule) matches(labels map[string]string) bool {
	for _, matcher := range r.Matchers {
		if labels[matcher.Name] != matcher.Value {
			return false
		}
	}
	return len(r.Matchers) > 0
}
