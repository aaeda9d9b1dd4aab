package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/tui/dashboard"
	"exoshift/wizard"
)

func newStatusCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show a running or finished installation from its folder",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			return runStatus(cmd.Context(), o, std)
		},
	}
	addDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	addScreenFlags(cmd)
	addAccessibleFlag(cmd)
	return cmd
}

func runStatus(ctx context.Context, o options, std streams) error {
	folder, err := findFolder(o.dir)
	if err != nil {
		return exit.WithCode(exit.Usage, err)
	}
	spec, err := readCurrentAnswers(folder)
	if err != nil {
		return err
	}
	board := provisioner.NewBoard(install.Steps(spec))
	if err := readEvents(folder, board.Fold); err != nil {
		return err
	}
	killed := board.Run.State == provisioner.Started && !folder.IsLocked()
	if o.output == outputTUI && !killed {
		return watch(ctx, folder, spec, o.ascii, std)
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return err
	}
	if o.output.isJSON() {
		return json.NewEncoder(std.out).Encode(map[string]any{"v": provisioner.Version, "type": "status", "board": board, "facts": facts})
	}
	console.PrintStatus(o.output.wrapWriter(std.out), board, facts, folder.Path())
	if killed {
		fmt.Fprintln(std.out, "Nobody is at work on it: the last run was killed. The same command goes on.")
	}
	return nil
}

func findFolder(dir string) (state.Folder, error) {
	if dir != "" {
		return state.Open(dir)
	}
	place, err := defaultPath("")
	if err != nil {
		return state.Folder{}, err
	}
	answers, err := filepath.Glob(filepath.Join(place, "*", state.AnswersFile))
	if err != nil {
		return state.Folder{}, err
	}
	switch len(answers) {
	case 0:
		return state.Folder{}, fmt.Errorf("there is no installation in %s; name its folder with --dir", place)
	case 1:
		return state.Open(filepath.Dir(answers[0]))
	}
	for n, path := range answers {
		answers[n] = filepath.Base(filepath.Dir(path))
	}
	return state.Folder{}, fmt.Errorf("there are several installations in %s: %s; name one with --dir", place, strings.Join(answers, ", "))
}

func readCurrentAnswers(folder state.Folder) (state.Spec, error) {
	content, err := folder.Read(state.AnswersFile)
	if err != nil {
		return state.Spec{}, err
	}
	spec, faults := wizard.Parse(folder.Path(state.AnswersFile), content)
	if len(faults) > 0 {
		return spec, exit.WithCode(exit.Answers, errors.New(faults[0].String()))
	}
	return spec, nil
}

func readEvents(folder state.Folder, tell func(provisioner.Event)) error {
	file, err := fileread.Open(folder.Path(state.EventsFile), fileread.Lines)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	defer file.Close()
	_, err = parseEvents(bufio.NewReader(file), "", tell)
	return err
}

// parseEvents emits the events of complete lines. torn is the beginning of the first line; an incomplete last line is
// returned. Invalid lines are skipped: their writer was killed.
func parseEvents(lines *bufio.Reader, torn string, tell func(provisioner.Event)) (rest string, err error) {
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
			tell(e)
		}
		torn = ""
	}
}

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
