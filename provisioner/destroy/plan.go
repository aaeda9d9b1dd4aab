package destroy

import (
	"context"
	"fmt"
	"time"

	"exoshift/provisioner"
)

const maxPasses = 3

// Dependencies of an object may need time to disappear.
const passInterval = 10 * time.Second

// Plan returns the steps that delete an inventory. Repeating it with a new inventory continues where it stopped.
func (t *Teardown) Plan(inventory Inventory) provisioner.Plan {
	plan := t.registration().signInSteps()
	var all, before, stage []string // IDs of all steps, of the previous stage, and of this stage
	at := -1
	for _, batch := range groupByKind(inventory.Objects) {
		kind := batch[0].Kind
		if now := findStage(kind); now != at {
			at, stage, before = now, nil, stage
		}
		step := provisioner.Step{
			ID: "delete-" + kind, Phase: Phase, Title: formatTitle(kind, len(batch)), Needs: before, Usual: estimateDuration(len(batch)),
			Do: func(ctx context.Context, report provisioner.Report) error {
				return t.deleter.deleteAll(ctx, report, batch)
			},
		}
		plan, stage, all = append(plan, step), append(stage, step.ID), append(all, step.ID)
	}
	plan = append(plan, provisioner.Step{
		ID: stepProof, Phase: Phase, Title: "Verify that nothing is left", Needs: all, Do: t.verifyEmpty,
	})
	return append(plan, t.registration().removalSteps()...)
}

func (t *Teardown) registration() registration {
	return registration{t.clients.Syn, t.identity, t.options.DeleteBackups}
}

const stepProof = "proof"

func formatTitle(kind string, n int) string {
	if n == 1 {
		return "Delete 1 " + FormatKind(kind)
	}
	return fmt.Sprintf("Delete %d %ss", n, FormatKind(kind))
}

// A deletion takes about half a minute, as an instance does in the recordings.
func estimateDuration(n int) time.Duration {
	rounds := (n + parallel - 1) / parallel
	return time.Duration(rounds) * 30 * time.Second
}

func (t *Teardown) verifyEmpty(ctx context.Context, report provisioner.Report) error {
	for pass := range maxPasses + 1 {
		inventory, err := t.TakeInventory(ctx)
		if err != nil {
			return err
		}
		if len(inventory.Objects) == 0 {
			return nil
		}
		if pass == maxPasses {
			return t.deleter.newLeftoverError(inventory.Objects)
		}
		report.EmitProgress(fmt.Sprintf("%d objects still exist; retrying", len(inventory.Objects)))
		if err := t.clients.Clock.Sleep(ctx, passInterval); err != nil {
			return err
		}
		for _, batch := range groupByKind(inventory.Objects) {
			if err := t.deleter.deleteAll(ctx, report, batch); err != nil {
				return err
			}
		}
	}
	return nil
}
