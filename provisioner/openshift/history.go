package openshift

import (
	"time"

	"exoshift/state"
)

type history struct {
	reached   map[string]bool // phases
	answers   int             // of the API, consecutive
	version   string          // version of percent
	percent   int
	operators map[string]*operatorRecord
	nodeCache nodeCache
	grants    grants
}

func newHistory() history {
	return history{reached: map[string]bool{}, operators: map[string]*operatorRecord{}, grants: grants{}}
}

// markReached also marks the phases that must precede it.
func (m *history) markReached(phase string) {
	if m.reached[phase] {
		return
	}
	m.reached[phase] = true
	for _, earlier := range listImpliedPhases(phase) {
		m.markReached(earlier)
	}
}

// minAnswers is how many consecutive times the temporary API must be ready before that counts: it flaps while its pods restart.
const minAnswers = 2

func (m *history) count(answered bool) {
	m.answers++
	if !answered {
		m.answers = 0
	}
	if m.answers >= minAnswers {
		m.markReached(state.PhaseTemporaryAPI)
	}
}

// updateVersion keeps the highest percentage of a release: its operator counts from zero again after each failure.
func (m *history) updateVersion(status *state.VersionStatus) {
	if status.Version == "" {
		return
	}
	if m.version != status.Version {
		m.version, m.percent = status.Version, 0
	}
	if status.IsInstalled() {
		status.Percent = 100
	}
	m.percent = max(m.percent, status.Percent)
	status.Percent = m.percent
}

func (m *history) updateOperators(found []clusterOperator, now time.Time) []state.OperatorStatus {
	kept := map[string]*operatorRecord{}
	statuses := make([]state.OperatorStatus, len(found))
	for i, operator := range found {
		record := m.operators[operator.Metadata.Name]
		if record == nil {
			record = newOperatorRecord(operator, now)
		}
		record.update(operator, now)
		kept[operator.Metadata.Name] = record
		statuses[i] = record.toStatus(operator, now)
	}
	if len(found) > 0 {
		m.operators = kept
	}
	return statuses
}
