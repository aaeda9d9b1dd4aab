package operators

import (
	"time"

	"exoshift/state"
)

// Tracker follows the operators and the version over all polls of a cluster.
type Tracker struct {
	version   string // version of percent
	percent   int
	operators map[string]*operatorRecord
}

// NewTracker returns a tracker of a cluster that was not polled yet.
func NewTracker() *Tracker { return &Tracker{operators: map[string]*operatorRecord{}} }

// UpdateVersion keeps the highest percentage of a release: its operator counts from zero again after each failure.
func (t *Tracker) UpdateVersion(status *state.VersionStatus) {
	if status.Version == "" {
		return
	}
	if t.version != status.Version {
		t.version, t.percent = status.Version, 0
	}
	if status.IsInstalled() {
		status.Percent = 100
	}
	t.percent = max(t.percent, status.Percent)
	status.Percent = t.percent
}

// UpdateOperators returns the status of the operators that a poll found, and forgets those that are gone.
func (t *Tracker) UpdateOperators(found []ClusterOperator, now time.Time) []state.OperatorStatus {
	kept := map[string]*operatorRecord{}
	statuses := make([]state.OperatorStatus, len(found))
	for i, operator := range found {
		record := t.operators[operator.Metadata.Name]
		if record == nil {
			record = newOperatorRecord(operator, now)
		}
		record.update(operator, now)
		kept[operator.Metadata.Name] = record
		statuses[i] = record.toStatus(operator, now)
	}
	if len(found) > 0 {
		t.operators = kept
	}
	return statuses
}
