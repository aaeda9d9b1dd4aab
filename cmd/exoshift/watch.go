package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/tui"
)

// pollInterval is how often a watched run's record is read on.
const pollInterval = 200 * time.Millisecond

// watch shows the dashboard of a run that another process may be at work on. It reads the record of that run only, so
// it can come and go as it likes.
func watch(ctx context.Context, folder state.Folder, spec state.Spec, ascii bool, std streams) error {
	file, err := fileread.Open(folder.Path(state.EventsFile), fileread.Lines)
	if err != nil {
		return usageError{fmt.Errorf("read the events: %w", err)}
	}
	defer file.Close()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	events := make(chan provisioner.Event, 256)
	go followEvents(ctx, file, events)
	err = tui.Run(ctx, tui.Options{
		Title:    spec.Cluster.ID,
		Subtitle: formatSubtitle(folder, spec),
		Plan:     install.Steps(spec),
		Nodes:    spec.Nodes(),
		Events:   events,
		In:       std.in,
		Out:      std.terminalWriter(),
		ASCII:    ascii,
		Handover: func() handover.Report { return readHandover(folder, spec, true) },
	})
	if errors.Is(err, tui.ErrLeft) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// followEvents sends what the record holds and what is added to it, until ctx ends.
func followEvents(ctx context.Context, record *os.File, events chan<- provisioner.Event) {
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
