package backup

import (
	"context"
	"time"

	"exoshift/provisioner"
)

// Requirement is the backup of etcd that a verb needs to come back to, as it was found. The zero value requires nothing.
type Requirement struct {
	Text    string // which backup it is
	Refusal string // why there is none; "": there is one, one is made, or nobody wants one
	// Make makes one, before the verb changes anything; without is a master whose member does not count, "": there is none. nil: none has to be
	// made.
	Make func(ctx context.Context, report provisioner.Report, without string) error
}

// Plan returns the step that makes the backup: no step if none has to be made.
func (r Requirement) Plan(without string) provisioner.Plan {
	if r.Make == nil {
		return nil
	}
	return provisioner.Plan{{ID: "backup", Title: "Make a backup of etcd", Phase: phaseEtcd, Usual: 3 * time.Minute, Do: func(ctx context.Context, report provisioner.Report) error {
		return r.Make(ctx, report, without)
	}}}
}
