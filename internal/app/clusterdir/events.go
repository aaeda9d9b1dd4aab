package clusterdir

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
)

// ReadEvents emits the events of all runs of a folder.
func ReadEvents(folder state.Folder, emit func(provisioner.Event)) error {
	file, err := fileread.Open(folder.Path(state.EventsFile), fileread.Lines)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	defer file.Close()
	_, err = parseEvents(bufio.NewReader(file), "", emit)
	return err
}

// parseEvents emits the events of complete lines. torn is the beginning of the first line; an incomplete last line is
// returned. Invalid lines are skipped: their writer was killed.
func parseEvents(lines *bufio.Reader, torn string, emit func(provisioner.Event)) (rest string, err error) {
	for {
		line, err := lines.ReadString('\n')
		torn += line
		if errors.Is(err, io.EOF) {
			return torn, nil
		}
		if err != nil {
			return torn, fmt.Errorf("read the events: %w", err)
		}
		var e provisioner.Event
		if json.Unmarshal([]byte(torn), &e) == nil {
			emit(e)
		}
		torn = ""
	}
}

// EventReader reads the events of a folder's runs, each once, as they are appended.
type EventReader struct {
	Folder state.Folder
	read   int64 // bytes of complete lines
}

// Read emits the events that are new since the last call.
func (r *EventReader) Read(emit func(provisioner.Event)) error {
	file, err := fileread.Open(r.Folder.Path(state.EventsFile), fileread.Lines)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(r.read, io.SeekStart); err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	torn, err := parseEvents(bufio.NewReader(file), "", emit)
	if err != nil {
		return err
	}
	end, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	r.read = end - int64(len(torn))
	return nil
}

// FindRunningRecord returns the record of the run that works on a folder now: that of the last installation if none does.
func FindRunningRecord(folder state.Folder) string {
	installed, unread := os.Stat(folder.Path(state.EventsFile))
	verb, none := os.Stat(folder.Path(state.NodesFile))
	if unread == nil && none == nil && folder.IsLocked() && verb.ModTime().After(installed.ModTime()) {
		return state.NodesFile
	}
	return state.EventsFile
}

const pollInterval = 200 * time.Millisecond

// FollowEvents sends the events of a record, and those that are appended to it, until the end of ctx. It closes events.
func FollowEvents(ctx context.Context, record *os.File, events chan<- provisioner.Event) {
	defer close(events)
	lines, torn := bufio.NewReader(record), ""
	for {
		var err error
		torn, err = parseEvents(lines, torn, func(e provisioner.Event) {
			select {
			case events <- e:
			case <-ctx.Done():
			}
		})
		if err != nil || (network.Clock{}).Sleep(ctx, pollInterval) != nil {
			return
		}
	}
}
