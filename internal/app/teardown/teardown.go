package teardown

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// Options are what a person decides about a teardown.
type Options struct {
	DryRun                bool   // nothing is deleted
	DeleteBackups         bool   // delete the bucket that holds backups, too
	IncludeForeignRecords bool   // delete the DNS zone with records that the installation did not create
	Program               string // name, version and system of this program
	Retry                 string // the command that goes on with the teardown
}

// Display shows a teardown to a person or a program, and asks before anything is deleted.
type Display interface {
	// ShowPlan shows what would be deleted.
	ShowPlan(inventory destroy.Inventory)
	// Confirm returns an error unless all that may be deleted.
	Confirm(ctx context.Context) error
	// Warn shows a line beside the teardown.
	Warn(line string)
	// Open decouples the teardown from its readers, and returns what shows its events. events is the path of the complete record;
	// "" if none is kept.
	Open(events string) (show func(provisioner.Event))
	// Close shows how the teardown ended, and waits for readers.
	Close(end Outcome) error
	// ShowRemaining shows what is left at the end, to programs.
	ShowRemaining(inventory destroy.Inventory, failure error) error
}

// Outcome is how a teardown ended.
type Outcome struct {
	Inventory destroy.Inventory // as it was before
	Remaining destroy.Inventory
	Failure   error
	Events    string // path of the complete record; "" if none is kept
}

// Destroy deletes everything that belongs to the cluster. Its folder, if it has one, must be locked.
func (c Cluster) Destroy(ctx context.Context, options Options, shown Display) error {
	journal, closeJournal, err := c.openJournal(options)
	if err != nil {
		return err
	}
	defer closeJournal()
	clients, disconnect, err := c.NewClients(journal)
	if err != nil {
		return err
	}
	defer disconnect()
	recipe, err := c.readRecipe(options)
	if err != nil {
		return err
	}
	teardown := destroy.New(c.Spec, clients, recipe)
	inventory, err := teardown.TakeInventory(ctx)
	if err != nil {
		return &provisioner.StepError{Step: provisioner.Step{ID: "inventory", Phase: destroy.Phase}, Err: err}
	}
	inventory.Notes = append(inventory.Notes, c.describeUnregistered()...)
	shown.ShowPlan(inventory)
	switch {
	case options.DryRun:
		return shown.ShowRemaining(inventory, nil)
	case inventory.IsEmpty():
		return errors.Join(shown.ShowRemaining(inventory, nil), c.markDestroyed())
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	if err := c.save(recipe.Remembered, inventory); err != nil {
		return err
	}
	if err := c.cleanUpMachines(ctx, shown.Warn); err != nil {
		shown.Warn(err.Error()) // the teardown reports what it still blocks
	}
	return c.execute(ctx, options, shown, teardown, inventory)
}

// cleanUpMachines removes the machines of checks and copies that were killed.
func (c Cluster) cleanUpMachines(ctx context.Context, progress func(string)) error {
	dir, err := connectivity.RunsPath(c.Folder, c.Facts.Rehearsal)
	if err != nil {
		return err
	}
	return connectivity.CleanUpLeftovers(ctx, c.Net, c.Spec, c.Secrets, dir, progress)
}

// execute runs the plan, and shows what the last inventory found.
func (c Cluster) execute(ctx context.Context, options Options, shown Display, teardown *destroy.Teardown, inventory destroy.Inventory) error {
	events, err := c.openEvents()
	if err != nil {
		return err
	}
	defer events.Close()
	kept := ""
	if c.HasFolder {
		kept = events.Name()
	}
	show := shown.Open(kept)
	record := json.NewEncoder(events)
	var unwritten error
	emit := provisioner.Stream(c.Net.Clock, func(e provisioner.Event) {
		unwritten = errors.Join(unwritten, record.Encode(e))
		show(e)
	})
	emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "destroy " + c.Spec.Cluster.ID, Program: options.Program, Command: options.Retry})
	teardown.EmitOutages(emit)
	failure := provisioner.Run(ctx, teardown.Plan(inventory), emit)
	if failure == nil {
		failure = errors.Join(unwritten, c.markDestroyed())
	}
	emit(run.NewFinishedEvent(failure, options.Retry))
	unshown := shown.Close(Outcome{Inventory: inventory, Remaining: filterRemaining(inventory, failure), Failure: failure, Events: kept})
	if failure != nil {
		return exit.MarkPrinted(failure)
	}
	return unshown
}

// filterRemaining keeps all objects after a failure that does not list the leftovers.
func filterRemaining(inventory destroy.Inventory, failure error) destroy.Inventory {
	rest := destroy.Inventory{Kept: inventory.Kept, Notes: inventory.Notes, Actions: inventory.Actions}
	var leftover *destroy.LeftoverError
	switch {
	case errors.As(failure, &leftover):
		for _, one := range leftover.Left {
			rest.Objects = append(rest.Objects, one.Found)
		}
	case failure != nil:
		rest.Objects = inventory.Objects
	}
	return rest
}

func (c Cluster) readRecipe(options Options) (destroy.Options, error) {
	recipe := destroy.Options{
		Names: install.ListNames(c.Spec), DeleteBackups: options.DeleteBackups, IncludeForeignRecords: options.IncludeForeignRecords, OwnKey: c.Secrets.APIKey,
	}
	if !c.HasFolder {
		return recipe, nil
	}
	var err error
	if recipe.Journal, err = c.Folder.ListEntries(); err != nil {
		return recipe, err
	}
	content, err := c.Folder.Read(destroy.InventoryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return recipe, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &recipe.Remembered)
	}
	if err != nil {
		return recipe, fault.New(fault.Invalid, "read what an earlier teardown found in "+c.Folder.Path(destroy.InventoryFile), err).
			WithHint("restore it from a backup; or remove it: then volumes and load balancers of the cluster that only this file proves to be its own are kept and listed")
	}
	return recipe, nil
}

// save records the inventory, merged with those of earlier teardowns, before anything is deleted: for a detached volume it is
// the only proof of ownership.
func (c Cluster) save(earlier []destroy.Found, inventory destroy.Inventory) error {
	if !c.HasFolder {
		return nil
	}
	content, err := json.Marshal(append(earlier, inventory.Objects...))
	if err != nil {
		return fmt.Errorf("keep what was found: %w", err)
	}
	return c.Folder.Write(destroy.InventoryFile, append(content, '\n'))
}

// markDestroyed keeps the folder without its keys.
func (c Cluster) markDestroyed() error {
	if !c.HasFolder {
		return nil
	}
	c.Facts.ClusterID, c.Facts.Destroyed = c.Spec.Cluster.ID, c.Net.Clock.Now().UTC().Truncate(time.Second)
	if err := c.Folder.SaveFacts(c.Facts); err != nil {
		return err
	}
	return c.Folder.RemoveKeys()
}

// openEvents discards events without a folder.
func (c Cluster) openEvents() (*os.File, error) {
	if !c.HasFolder {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return c.Folder.Append(state.TeardownFile)
}

// openJournal records nothing without a folder: objects are found by their labels.
func (c Cluster) openJournal(options Options) (journal state.Recorder, closeJournal func(), err error) {
	if !c.HasFolder || options.DryRun {
		return state.NoJournal{}, func() {}, nil
	}
	opened, err := c.Folder.OpenJournal(c.Net.Clock.Now)
	return opened, func() { _ = opened.Close() }, err // each entry is synced already
}
