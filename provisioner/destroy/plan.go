package destroy

import (
	"context"
	"fmt"
	"time"

	"exoshift/provisioner"
)

// passes is how often what is still there is tried again, after the first time.
const passes = 3

// pause is between two passes: what held an object may need time to vanish.
const pause = 10 * time.Second

// Plan returns the steps that delete an inventory. Running it again, with a new inventory, goes on where it stopped.
func (t *Teardown) Plan(inventory Inventory) provisioner.Plan {
	plan := t.signInSteps()
	var all, before, stage []string // IDs of steps: every one, of the stage before, of this stage
	at := -1
	for _, batch := range batches(inventory.Objects) {
		kind := batch[0].Kind
		if now := stageOf(kind); now != at {
			at, stage, before = now, nil, stage
		}
		step := provisioner.Step{
			ID: "delete-" + kind, Phase: Phase, Title: title(kind, len(batch)), Needs: before, Usual: usual(len(batch)),
			Do: func(ctx context.Context, report provisioner.Report) error { return t.deleteAll(ctx, report, batch) },
		}
		plan, stage, all = append(plan, step), append(stage, step.ID), append(all, step.ID)
	}
	plan = append(plan, provisioner.Step{
		ID: stepProof, Phase: Phase, Title: "Look again until nothing is left", Needs: all, Do: t.proof,
	})
	return append(plan, t.synSteps()...)
}

// stepProof is the step that finds nothing left.
const stepProof = "proof"

func title(kind string, n int) string {
	if n == 1 {
		return "Delete 1 " + Noun(kind)
	}
	return fmt.Sprintf("Delete %d %ss", n, Noun(kind))
}

// usual is how long a batch takes if each deletion takes about half a minute, as an instance does in the recordings.
func usual(n int) time.Duration {
	rounds := (n + parallel - 1) / parallel
	return time.Duration(rounds) * 30 * time.Second
}

// proof takes inventories, and deletes what is still there, until one is empty or the passes are used up.
func (t *Teardown) proof(ctx context.Context, report provisioner.Report) error {
	for pass := range passes + 1 {
		inventory, err := t.Look(ctx)
		if err != nil {
			return err
		}
		if len(inventory.Objects) == 0 {
			return nil
		}
		if pass == passes {
			return t.leftover(inventory.Objects)
		}
		report.Progress(fmt.Sprintf("%d objects are still there; trying again", len(inventory.Objects)))
		if err := t.world.Clock.Sleep(ctx, pause); err != nil {
			return err
		}
		for _, batch := range batches(inventory.Objects) {
			if err := t.deleteAll(ctx, report, batch); err != nil {
				return err
			}
		}
	}
	return nil
}
