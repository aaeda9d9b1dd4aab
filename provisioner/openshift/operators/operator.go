// Package operators follows the cluster's operators and its version from poll to poll: which are stable, which flap, and how far
// the release is installed.
package operators

import (
	"cmp"
	"slices"
	"time"

	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

// ClusterOperator is a config.openshift.io/v1 ClusterOperator.
type ClusterOperator struct {
	Metadata kubeapi.Named `json:"metadata"`
	Status   struct {
		Conditions kubeapi.Conditions `json:"conditions"`
	} `json:"status"`
}

// stableTime is how long an operator must be healthy before it counts as stable: openshift-install waits as long for operators
// that no longer progress.
const stableTime = 30 * time.Second

// An operator that changed this often within this time is not stable until its state lasts. A change counts when an operator that
// was healthy becomes unhealthy, or healthy again, and when a healthy one begins to progress: each roll-out of a revision is a
// change, and takes minutes on each master; one failure is normal while an API rolls out, but not two within this time.
const (
	maxChanges      = 4
	changesWindow   = 10 * time.Minute
	flappingTimeout = 5 * time.Minute
)

type health struct{ available, progressing, degraded bool }

func (h health) isHealthy() bool { return h.available && !h.degraded }
func (h health) isSettled() bool { return h.isHealthy() && !h.progressing }

// operatorRecord is the history of an operator over all polls. Times are by our clock: the server's are only compared with each
// other and with times long ago.
type operatorRecord struct {
	health     health
	wasHealthy bool        // it has been healthy
	changed    [3]string   // transition times of the conditions, by the server's clock
	since      time.Time   // start of the current state
	counted    []time.Time // changes
	flapping   bool
}

func newOperatorRecord(operator ClusterOperator, now time.Time) *operatorRecord {
	record := &operatorRecord{since: now}
	record.health, record.changed = operator.parseHealth()
	latest := slices.Max(record.changed[:]) // RFC 3339 in UTC sorts as text
	if at, err := time.Parse(time.RFC3339, latest); err == nil && now.Sub(at) > kubeapi.MaxClockSkew {
		record.since = at
	}
	return record
}

func (o ClusterOperator) parseHealth() (health, [3]string) {
	available, progressing, degraded := o.findCondition("Available"), o.findCondition("Progressing"), o.findCondition("Degraded")
	return health{
		available:   available.Status == "True",
		progressing: progressing.Status == "True",
		degraded:    degraded.Status == "True",
	}, [3]string{available.Changed, progressing.Changed, degraded.Changed}
}

func (o ClusterOperator) findCondition(kind string) kubeapi.Condition {
	return o.Status.Conditions.Find(kind)
}

func (r *operatorRecord) update(operator ClusterOperator, now time.Time) {
	found, changed := operator.parseHealth()
	for range r.countChanges(found, changed) {
		r.counted = append(r.counted, now)
	}
	if found != r.health || changed != r.changed {
		r.health, r.changed, r.since = found, changed, now
	}
	r.wasHealthy = r.wasHealthy || found.isHealthy()
	r.prune(now)
}

// countChanges recognizes conditions that changed and changed back between two polls by their transition times.
func (r *operatorRecord) countChanges(found health, changed [3]string) int {
	switch {
	case !r.wasHealthy:
		return 0
	case found.isHealthy() != r.health.isHealthy(), found.isHealthy() && found.progressing && !r.health.progressing:
		return 1
	case !found.isHealthy() || found != r.health:
		return 0
	case changed[0] != r.changed[0], changed[2] != r.changed[2]:
		return 2
	case changed[1] != r.changed[1]:
		return 1
	}
	return 0
}

// prune drops changes that are too old to count.
func (r *operatorRecord) prune(now time.Time) {
	r.counted = slices.DeleteFunc(r.counted, func(at time.Time) bool { return now.Sub(at) > changesWindow })
	r.flapping = r.flapping || len(r.counted) >= maxChanges
	if last := len(r.counted) - 1; r.flapping && (last < 0 || now.Sub(r.counted[last]) >= flappingTimeout) {
		r.flapping, r.counted = false, nil
	}
}

func (r *operatorRecord) toStatus(operator ClusterOperator, now time.Time) state.OperatorStatus {
	decisive := operator.findCause()
	return state.OperatorStatus{
		Name: operator.Metadata.Name, Available: r.health.available, Progressing: r.health.progressing, Degraded: r.health.degraded,
		Reason: decisive.Reason, Message: cmp.Or(decisive.Message, decisive.Reason), Since: r.since, Flapping: r.flapping,
		Stable: r.health.isSettled() && !r.flapping && now.Sub(r.since) > stableTime,
	}
}

// findCause returns the zero condition if the operator is healthy, or has not reported.
func (o ClusterOperator) findCause() kubeapi.Condition {
	for _, kind := range []string{"Degraded", "Progressing"} {
		if found := o.findCondition(kind); found.Status == "True" {
			return found
		}
	}
	if found := o.findCondition("Available"); found.Status != "True" {
		return found
	}
	return kubeapi.Condition{}
}
