package diagnosis

import (
	"time"

	"exoshift/state"
)

// BackupUnreadable is the rule about a backup that is not what was stored.
const BackupUnreadable = "backup-unreadable"

// UnreadableBackup is a backup that was read back in vain.
type UnreadableBackup struct {
	Name   string
	Reason string // which part of it, and what is wrong with that
}

// BackupRules are about backups of a cluster that runs.
func BackupRules() []Rule {
	return []Rule{{
		ID:    BackupUnreadable,
		Cause: "What the bucket returns of a backup is not what was stored there, so it is no backup to come back to.",
		Fix: "Make another backup, and keep earlier ones until it is verified. If that one is damaged, too, have Exoscale look into the bucket. " +
			"To recover etcd, choose an earlier one:\nexoshift backup create; exoshift backup show {subject} --verify\nexoshift backup list; exoshift recover etcd --from BACKUP --dry-run",
		Confidence:  High,
		Disposition: Stop,
		detect:      detectUnreadableBackup,
	}}
}

func detectUnreadableBackup(m *inputIndex) (found detection) {
	for _, one := range m.Unreadable {
		found.subject = append(found.subject, one.Name)
		found.evidence = append(found.evidence, one.Name+": "+one.Reason)
	}
	return found
}

// EvaluateBackup returns the findings about a backup that was read back in vain.
func EvaluateBackup(now time.Time, spec state.Spec, damaged UnreadableBackup) []Finding {
	evaluator := &Evaluator{rules: BackupRules(), candidates: map[string]*candidate{}}
	return evaluator.Evaluate(Input{Now: now, Wall: now, Spec: spec, Unreadable: []UnreadableBackup{damaged}})
}
