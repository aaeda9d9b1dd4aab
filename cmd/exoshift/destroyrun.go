package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
)

func (d destroyFlags) clear(ctx context.Context, std streams, s teardownContext) error {
	journal, err := d.openJournal(s)
	if err != nil {
		return err
	}
	defer func() { _ = journal.Close() }() // each entry is synced already
	world, disconnect, err := s.newClients(journal)
	if err != nil {
		return err
	}
	defer disconnect()
	options, err := d.readTeardownOptions(s)
	if err != nil {
		return err
	}
	teardown := destroy.New(s.spec, world, options)
	inventory, err := teardown.TakeInventory(ctx)
	if err != nil {
		return &provisioner.StepError{Step: provisioner.Step{ID: "inventory", Phase: destroy.Phase}, Err: err}
	}
	inventory.Notes = append(inventory.Notes, s.formatUnregistered()...)
	if !d.output.isJSON() {
		console.PrintDestroyPlan(d.output.wrapWriter(std.out), d.summarizePlan(s, inventory))
	}
	switch {
	case d.dryRun:
		return d.close(std, inventory, nil)
	case inventory.IsEmpty():
		return errors.Join(d.close(std, inventory, nil), s.markDestroyed())
	}
	if err := d.confirm(ctx, std, s.spec.Cluster.ID); err != nil {
		return err
	}
	if err := s.save(options.Remembered, inventory); err != nil {
		return err
	}
	note := func(text string) { fmt.Fprintln(std.err, console.SanitizeLine(text)) }
	if !s.facts.Rehearsal {
		if err := connectivity.CleanUpLeftovers(ctx, s.net, s.spec, s.secrets, note); err != nil {
			note(err.Error()) // the teardown reports what it still blocks
		}
	}
	return d.execute(ctx, std, s, teardown, inventory)
}

// summarizePlan only counts the objects if the confirmation prompt follows, which lists them.
func (d destroyFlags) summarizePlan(s teardownContext, inventory destroy.Inventory) console.Teardown {
	told := s.newTeardownView(inventory)
	if !d.dryRun && d.confirmID != s.spec.Cluster.ID {
		told.ListCommand = d.formatCommand("--dry-run")
	}
	return told
}

// close writes the last line of JSON output: the remaining objects.
func (d destroyFlags) close(std streams, inventory destroy.Inventory, failure error) error {
	if !d.output.isJSON() {
		return nil
	}
	return console.WriteInventoryJSON(std.out, inventory, failure)
}

func (d destroyFlags) confirm(ctx context.Context, std streams, cluster string) error {
	if d.confirmID == cluster {
		return nil
	}
	fmt.Fprintf(std.out, "\nThis cannot be undone. Type the cluster's ID to delete all this: ")
	answer, err := std.readLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was touched: %w", err)
	}
	if typed := strings.TrimSpace(answer); typed != cluster {
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was touched: %q is not this cluster, which is %s", typed, cluster))
	}
	return nil
}

// execute runs the plan, and returns what the last inventory found.
func (d destroyFlags) execute(ctx context.Context, std streams, s teardownContext, teardown *destroy.Teardown, inventory destroy.Inventory) error {
	events, err := s.openEvents()
	if err != nil {
		return err
	}
	defer events.Close()
	kept := ""
	if s.hasFolder {
		kept = events.Name()
	}
	std.startRun(d.output, kept)
	show := d.output.newPrinter(std.out)
	record := json.NewEncoder(events)
	var unwritten error
	emit := provisioner.Stream(s.net.Clock, func(e provisioner.Event) {
		unwritten = errors.Join(unwritten, record.Encode(e))
		show(e)
	})
	emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "destroy " + s.spec.Cluster.ID})
	failure := provisioner.Run(ctx, teardown.Plan(inventory), emit)
	if failure == nil {
		failure = errors.Join(unwritten, s.markDestroyed())
	}
	emit(newFinishedEvent(failure, d.formatRetry(s)))
	if !d.output.isJSON() {
		console.PrintDestroySummary(d.output.wrapWriter(std.out), s.newTeardownView(inventory), failure, d.formatRetry(s))
	}
	shown := d.close(std, filterRemaining(inventory, failure), failure)
	std.endRun(kept, func(string) {})
	if failure != nil {
		return exit.MarkPrinted(failure)
	}
	return shown
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

func (d destroyFlags) formatRetry(s teardownContext) string {
	more := []string{"--confirm-destroy", s.spec.Cluster.ID}
	if d.deleteBackups {
		more = append(more, "--delete-backups")
	}
	if d.includeForeignRecords {
		more = append(more, "--include-foreign-records")
	}
	return d.formatCommand(more...)
}

func (d destroyFlags) formatCommand(more ...string) string {
	known := options{answers: d.answers, set: d.set, dir: d.dir, output: d.output, waitForDNS: install.DefaultWaitForDNS, bootstrapAccess: true}
	return resumeCommand("destroy", known, more...)
}

func (d destroyFlags) readTeardownOptions(s teardownContext) (destroy.Options, error) {
	options := destroy.Options{
		Names: install.ListNames(s.spec), DeleteBackups: d.deleteBackups, IncludeForeignRecords: d.includeForeignRecords, OwnKey: s.secrets.APIKey,
	}
	if !s.hasFolder {
		return options, nil
	}
	var err error
	if options.Journal, err = s.folder.ListEntries(); err != nil {
		return options, err
	}
	content, err := s.folder.Read(inventoryFile)
	if errors.Is(err, fs.ErrNotExist) {
		return options, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &options.Remembered)
	}
	if err != nil {
		return options, fmt.Errorf("read what an earlier teardown found in %s: %w", s.folder.Path(inventoryFile), err)
	}
	return options, nil
}

func (d destroyFlags) openJournal(s teardownContext) (closingJournal, error) {
	if !s.hasFolder || d.dryRun {
		return discardJournal{}, nil
	}
	return s.folder.OpenJournal(s.net.Clock.Now)
}
