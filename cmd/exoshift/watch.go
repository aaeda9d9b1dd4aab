package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/tui/dashboard"
)

const pollInterval = 200 * time.Millisecond

// watch shows the dashboard of a run of another process. It reads the events of that run only, so it can be started and
// stopped at any time.
func watch(ctx context.Context, folder state.Folder, spec state.Spec, ascii bool, std streams) error {
	file, err := fileread.Open(folder.Path(state.EventsFile), fileread.Lines)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the events: %w", err))
	}
	defer file.Close()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	events := make(chan provisioner.Event, 256)
	go followEvents(ctx, file, events)
	err = dashboard.Run(ctx, dashboard.Options{
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
	if errors.Is(err, dashboard.ErrLeft) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

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
