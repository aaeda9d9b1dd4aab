package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
)

// records are the files that a run writes to the folder besides its results.
type records struct {
	journal *state.Journal
	events  *os.File
	output  *os.File // of openshift-install
	err     error    // the first write error
}

func openRecords(folder state.Folder, clock network.Clock) (*records, error) {
	journal, err := folder.OpenJournal(clock.Now)
	if err != nil {
		return nil, err
	}
	events, err := folder.Append(state.EventsFile)
	if err != nil {
		return nil, errors.Join(err, journal.Close())
	}
	output, err := folder.Append(state.LogFile)
	if err != nil {
		return nil, errors.Join(err, journal.Close(), events.Close())
	}
	return &records{journal: journal, events: events, output: output}, nil
}

// writeEvent is not safe for concurrent use.
func (r *records) writeEvent(e provisioner.Event) {
	if err := json.NewEncoder(r.events).Encode(e); err != nil && r.err == nil {
		r.err = fmt.Errorf("record the events: %w", err)
	}
}

func (r *records) log(line string) { fmt.Fprintln(r.output, line) }

func (r *records) close() { _ = errors.Join(r.journal.Close(), r.events.Close(), r.output.Close()) }
