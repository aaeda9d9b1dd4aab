package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/tui/dashboard"
)

func newStatusCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [ID | FILE.tar.gz]",
		Short: "Show the state of an installation",
		Long: `Show the state of a running or finished installation, from its folder or from a bundle. No service is contacted.

Without an ID, the only cluster of this machine is shown. "exoshift list" lists all.`,
		Example: `  exoshift status
  exoshift status c-demo-1
  exoshift status c-demo-1 -o json
  exoshift status exoshift-bundle-20260504T145931Z.tar.gz`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClustersOrFiles(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			var archive string
			if len(args) > 0 && isArchive(args[0]) {
				archive, args = args[0], nil
			}
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			o.Dir = cmp.Or(archive, o.Dir)
			if archive != "" {
				return runStatus(cmd.Context(), o, std)
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "status", false, func(ctx context.Context, o cli.Options) error { return runStatus(ctx, o, std) })
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddScreenFlags(cmd)
	cli.AddAccessibleFlag(cmd)
	return cmd
}

func runStatus(ctx context.Context, o cli.Options, std cli.Streams) error {
	folder, remove, damage, err := findFolder(o.Dir)
	if err != nil {
		return err
	}
	defer remove()
	shown := readStatus(folder)
	shown.shared = o.FormatShared()
	if isArchive(o.Dir) {
		shown.place = o.Dir
	} else if shown.problem == nil && o.Output == cli.OutputTUI && shown.hasRun() {
		return watch(ctx, folder, shown.spec, o, std)
	}
	if err := shown.print(o.Output, std); err != nil {
		return err
	}
	if shown.place != folder.Path() {
		shown.noteProblem(std)
		return damage
	}
	return shown.problem
}

// status is what is known of an installation from its folder. Faults of a file are no reason not to show the others.
type status struct {
	folder  state.Folder
	place   string // of the folder, or of the archive it comes from
	shared  string // the shared state and the cluster's ID, of whose folder this is a copy; ""
	spec    state.Spec
	board   *provisioner.Board
	facts   state.Facts
	newest  int   // format of its events
	problem error // of what could not be read
}

func readStatus(folder state.Folder) status {
	s := status{folder: folder, place: folder.Path()}
	var unreadAnswers, unreadFacts error
	s.spec, unreadAnswers = clusterdir.ReadAnswers(folder)
	s.board = provisioner.NewBoard(install.Steps(s.spec))
	unreadEvents := clusterdir.ReadEvents(folder, func(e provisioner.Event) {
		s.newest = max(s.newest, e.V)
		s.board.Fold(e)
	})
	s.facts, unreadFacts = folder.LoadFacts()
	s.problem = errors.Join(unreadAnswers, unreadEvents, unreadFacts)
	return s
}

func (s status) where() handover.Locations {
	if s.shared != "" {
		return handover.Locations{State: s.shared}
	}
	return handover.Locations{Folder: s.place, Killed: s.place == s.folder.Path() && s.isKilled()}
}

// noteProblem is for a bundle: that tokens stand in its answers is no fault of the bundle.
func (s status) noteProblem(std cli.Streams) {
	if s.problem != nil {
		text := strings.ReplaceAll(s.problem.Error(), s.folder.Path(), s.place)
		fmt.Fprintf(std.Err, "note: not everything could be read: %s\n", console.SanitizeLine(text))
	}
}

// hasRun reports whether the dashboard has something to show: a run that goes on or has ended, of a cluster that exists.
func (s status) hasRun() bool { return s.facts.Destroyed.IsZero() && !s.isKilled() }

// isKilled reports whether a run began and neither ended nor goes on.
func (s status) isKilled() bool {
	return s.board.Run.State == provisioner.Started && !s.folder.IsLocked()
}

func (s status) print(output interface {
	IsJSON() bool
	WrapWriter(io.Writer) io.Writer
}, std cli.Streams) error {
	warnOfFormat(s.place, s.newest, std)
	if output.IsJSON() {
		return json.NewEncoder(std.Out).Encode(map[string]any{"v": provisioner.Version, "type": "status", "board": s.board, "facts": s.facts})
	}
	console.PrintStatus(output.WrapWriter(std.Out), s.board, s.facts, s.where())
	return nil
}

// watch shows the dashboard of a run of another process. It reads the events of that run only, so it can be started and
// stopped at any time.
func watch(ctx context.Context, folder state.Folder, spec state.Spec, o cli.Options, std cli.Streams) error {
	record, plan := clusterdir.FindRunningRecord(folder), install.Steps(spec)
	if record == state.NodesFile {
		plan = nil // its events have it
	}
	file, err := fileread.Open(folder.Path(record), fileread.Lines)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the events: %w", err))
	}
	defer file.Close()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	events := make(chan provisioner.Event, 256)
	go clusterdir.FollowEvents(ctx, file, events)
	err = dashboard.Run(ctx, dashboard.Options{
		Title:    spec.Cluster.ID,
		Subtitle: cli.FormatSubtitle(folder, spec),
		Plan:     plan,
		Nodes:    spec.Nodes(),
		Events:   events,
		In:       std.In,
		Out:      std.TerminalWriter(),
		ASCII:    o.ASCII,
		Silent:   o.Silent,
		NoColor:  os.Getenv("NO_COLOR") != "",
		Handover: func() handover.Report { return clusterdir.DescribeHandover(folder, spec, true) },
	})
	if errors.Is(err, dashboard.ErrLeft) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
