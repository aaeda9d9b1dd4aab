package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
)

// clear looks, shows what it found and, unless it is a dry run, deletes it.
func (d demolition) clear(ctx context.Context, std streams, s site) error {
	journal, err := d.journal(s)
	if err != nil {
		return err
	}
	defer func() { _ = journal.Close() }() // each entry is on the disk already
	world, disconnect, err := s.world(journal)
	if err != nil {
		return err
	}
	defer disconnect()
	options, err := d.teardownOptions(s)
	if err != nil {
		return err
	}
	teardown := destroy.New(s.spec, world, options)
	inventory, err := teardown.Look(ctx)
	if err != nil {
		return &provisioner.StepError{Step: provisioner.Step{ID: "inventory", Phase: destroy.Phase}, Err: err}
	}
	inventory.Notes = append(inventory.Notes, s.unregistered()...)
	if !d.output.json() {
		console.DestroyPlan(d.output.listener(std.out), d.shortened(s, inventory))
	}
	switch {
	case d.dryRun:
		return d.close(std, inventory, nil)
	case inventory.Empty():
		return errors.Join(d.close(std, inventory, nil), s.destroyed())
	}
	if err := d.agree(ctx, std, s.spec.Cluster.ID); err != nil {
		return err
	}
	if err := s.save(options.Remembered, inventory); err != nil {
		return err
	}
	note := func(text string) { fmt.Fprintln(std.err, console.Clean(text)) }
	if err := s.sweepChecks(ctx, note); err != nil {
		note(err.Error()) // what it holds back shows in the teardown, too
	}
	return d.play(ctx, std, s, teardown, inventory)
}

// shortened is what is told of the plan. Who is asked about it sees it whole on a screen.
func (d demolition) shortened(s site, inventory destroy.Inventory) console.Teardown {
	told := s.told(inventory)
	if !d.dryRun && d.confirm != s.spec.Cluster.ID {
		told.Every = d.command("--dry-run")
	}
	return told
}

// close ends the output: in JSON, what is there is its last line.
func (d demolition) close(std streams, inventory destroy.Inventory, failure error) error {
	if !d.output.json() {
		return nil
	}
	return console.InventoryJSON(std.out, inventory, failure)
}

// agree asks for the cluster's ID, unless the command line has it.
func (d demolition) agree(ctx context.Context, std streams, cluster string) error {
	if d.confirm == cluster {
		return nil
	}
	fmt.Fprintf(std.out, "\nThis cannot be undone. Type the cluster's ID to delete all this: ")
	answer, err := std.readLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was touched: %w", err)
	}
	if typed := strings.TrimSpace(answer); typed != cluster {
		return usageError{fmt.Errorf("nothing was touched: %q is not this cluster, which is %s", typed, cluster)}
	}
	return nil
}

// play runs the plan, and ends with what the last look found.
func (d demolition) play(ctx context.Context, std streams, s site, teardown *destroy.Teardown, inventory destroy.Inventory) error {
	events, err := s.events()
	if err != nil {
		return err
	}
	defer events.Close()
	kept := ""
	if s.kept {
		kept = events.Name()
	}
	std.startRun(d.output, kept)
	show := d.output.printer(std.out)
	record := json.NewEncoder(events)
	var unwritten error
	emit := provisioner.Stream(s.net.Clock, func(e provisioner.Event) {
		unwritten = errors.Join(unwritten, record.Encode(e))
		show(e)
	})
	emit(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "destroy " + s.spec.Cluster.ID})
	failure := provisioner.Run(ctx, teardown.Plan(inventory), emit)
	if failure == nil {
		failure = errors.Join(unwritten, s.destroyed())
	}
	emit(finished(failure, d.again(s)))
	if !d.output.json() {
		console.DestroySummary(d.output.listener(std.out), s.told(inventory), failure, d.again(s))
	}
	shown := d.close(std, left(inventory, failure), failure)
	std.endRun(kept, func(string) {})
	if failure != nil {
		return shownError{failure}
	}
	return shown
}

// left is what is still there of an inventory. A run that was stopped does not know and tells nothing.
func left(inventory destroy.Inventory, failure error) destroy.Inventory {
	rest := destroy.Inventory{Kept: inventory.Kept, Notes: inventory.Notes, People: inventory.People}
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

// again is the command line that goes on.
func (d demolition) again(s site) string {
	more := []string{"--confirm-destroy", s.spec.Cluster.ID}
	if d.deleteBackups {
		more = append(more, "--delete-backups")
	}
	if d.includeForeignRecords {
		more = append(more, "--include-foreign-records")
	}
	return d.command(more...)
}

// command is the command line with more flags. It has none that destroy does not know.
func (d demolition) command(more ...string) string {
	known := options{answers: d.answers, set: d.set, dir: d.dir, output: d.output, waitForDNS: install.DefaultWaitForDNS, lookInside: true}
	return resumeCommand("destroy", known, more...)
}

// teardownOptions returns what the folder knows.
func (d demolition) teardownOptions(s site) (destroy.Options, error) {
	options := destroy.Options{
		Names: install.Names(s.spec), DeleteBackups: d.deleteBackups, IncludeForeignRecords: d.includeForeignRecords, OwnKey: s.secrets.APIKey,
	}
	if !s.kept {
		return options, nil
	}
	var err error
	if options.Journal, err = s.folder.JournalEntries(); err != nil {
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

// journal is the folder's for what changes the cloud.
func (d demolition) journal(s site) (closingJournal, error) {
	if !s.kept || d.dryRun {
		return unrecorded{}, nil
	}
	return s.folder.OpenJournal(s.net.Clock.Now)
}
