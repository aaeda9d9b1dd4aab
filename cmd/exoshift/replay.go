package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/recording"
	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/dashboard"
)

type replayFlags struct {
	cli.Options
	file  string
	run   int // from 1; 0: the last
	until string
	speed float64
}

func newReplayCommand(std cli.Streams) *cobra.Command {
	var r replayFlags
	cmd := &cobra.Command{
		Use:   "replay [ID | FILE | -]",
		Short: "Replay a recorded run",
		Long: `Replay a recorded run, at any speed, up to any moment.

ID is that of a cluster of this machine, or of shared state. FILE is an events.jsonl or a destroy.jsonl of a cluster's folder, a bundle, or what --output json printed; - reads the standard input,
and without it the events of the folder are shown. In the dashboard, space pauses, + and - change the speed. Where the run
was silent for long, because the machine that it ran on was asleep, the silence is cut short.`,
		Example: `  exoshift replay c-demo-1 --speed 120
  exoshift replay events.jsonl --until 12m
  exoshift rehearse -o json --speed 600 | exoshift replay -`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClustersOrFiles(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if r.Options, err = cli.Bind(cmd, std); err != nil {
				return err
			}
			if len(args) > 0 {
				r.file = args[0]
			}
			if !cmd.Flags().Changed("speed") && !cli.IsTerminal(std.Out) {
				r.speed = 0
			}
			if r.State != nil && r.file != "-" && !isFile(r.file) {
				return cli.RunOnCluster(cmd.Context(), r.Options, std, "replay", false, func(ctx context.Context, o cli.Options) error {
					r.Options, r.file = o, ""
					return r.show(ctx, std)
				})
			}
			if folder, err := clusterdir.FindID(r.file); err == nil && !isFile(r.file) {
				r.file, r.Dir = "", folder.Path()
			}
			return r.show(cmd.Context(), std)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddScreenFlags(cmd)
	cmd.Flags().Float64Var(&r.speed, "speed", environment.DefaultSpeed, "times as fast as recorded; 0 prints everything at once (default 0 if the output is not a terminal)")
	cmd.Flags().StringVar(&r.until, "until", "", "stop at an event's number, a duration since the start, or a time")
	cmd.Flags().IntVar(&r.run, "run", 0, "number of the run to replay, from 1 (default: the last one)")
	return cmd
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (r replayFlags) show(ctx context.Context, std cli.Streams) error {
	if math.IsNaN(r.speed) || r.speed < 0 || r.speed > recording.MaxSpeed {
		return exit.WithCode(exit.Usage, fmt.Errorf("--speed %g: must be between 0 and %d", r.speed, recording.MaxSpeed))
	}
	source, read, err := r.open(std)
	if err != nil {
		return err
	}
	defer func() { _ = read.Close() }()
	runs, err := recording.Read(read)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	chosen, err := r.selectRun(runs, source)
	if err != nil {
		return err
	}
	warnOfFormat(source, chosen.FindNewerFormat(), std)
	shown, err := chosen.TruncateAt(r.until)
	if err != nil {
		return err
	}
	p := recording.NewPlayer(r.speed)
	if r.Output == cli.OutputTUI {
		return r.onDashboard(ctx, std, p, shown, chosen.BuildPlan(runs), chosen.ListNodes())
	}
	emit := console.NewPlain(std.Out)
	if r.Output.IsJSON() {
		emit = console.NewJSON(std.Out)
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	err = p.Play(ctx, shown, func(e provisioner.Event) {
		if emit(e); std.IsClosed() {
			leave() // the output is closed
		}
	})
	if err != nil && !std.IsClosed() {
		return exit.MarkPrinted(err)
	}
	return nil
}

func (r replayFlags) open(std cli.Streams) (source string, read io.ReadCloser, err error) {
	switch {
	case r.file != "" && r.Dir != "":
		return "", nil, exit.WithCode(exit.Usage, errors.New("a file and --dir exclude each other"))
	case r.file == "-":
		return "the standard input", io.NopCloser(std.In), nil
	case r.file != "":
		source = r.file
	default:
		folder, err := clusterdir.Find(r.Dir)
		if err != nil {
			return "", nil, err
		}
		source = folder.Path(state.EventsFile)
	}
	if isArchive(source) {
		return openBundledEvents(source, std)
	}
	info, err := os.Stat(source)
	if err == nil && info.IsDir() {
		return "", nil, exit.WithCode(exit.Usage, fmt.Errorf("%s is a folder; for a cluster's folder, use --dir %s", source, source))
	}
	file, err := fileread.Open(source, fileread.Lines)
	if errors.Is(err, fs.ErrNotExist) && r.file != "" {
		return "", nil, exit.WithCode(exit.Usage, fmt.Errorf("no cluster or file %q\n  see: exoshift list", source))
	}
	if err != nil {
		return "", nil, exit.WithCode(exit.Usage, fmt.Errorf("read the events: %w", err))
	}
	return source, file, nil
}

// warnOfFormat says that events are of a newer format than this program reads, if they are; 0 is none of them.
func warnOfFormat(source string, newest int, std cli.Streams) {
	if newest > provisioner.Version {
		fmt.Fprintf(std.Err, "warning: %s has events of format %d, and this version of exoshift reads format %d: some of it may be missing or wrong; use the version that wrote it\n",
			console.SanitizeLine(source), newest, provisioner.Version)
	}
}

func openBundledEvents(name string, std cli.Streams) (source string, read io.ReadCloser, err error) {
	folder, remove, damage, err := openBundle(name)
	if err != nil {
		return "", nil, err
	}
	defer remove()
	if damage != nil {
		fmt.Fprintf(std.Err, "warning: %s\n", console.SanitizeLine(damage.Error()))
	}
	content, err := folder.Read(state.EventsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, exit.WithCode(exit.Usage, fmt.Errorf("the bundle %s has no events\n  see what it has: exoshift bundle open %s", name, shellescape.Quote(name)))
	}
	if err != nil {
		return "", nil, exit.WithCode(exit.Usage, fmt.Errorf("read the events of the bundle %s: %w", name, err))
	}
	return name, io.NopCloser(bytes.NewReader(content)), nil
}

func (r replayFlags) selectRun(runs []recording.Run, source string) (recording.Run, error) {
	switch {
	case len(runs) == 0:
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s has no events; a recording is the events.jsonl of a cluster's folder, or the output of --output json", source))
	case r.run == 0:
		return runs[len(runs)-1], nil
	case r.run < 0 || r.run > len(runs):
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--run %d: %s has the runs 1 to %d", r.run, source, len(runs)))
	}
	return runs[r.run-1], nil
}

func (r replayFlags) onDashboard(ctx context.Context, std cli.Streams, p *recording.Player, shown recording.Run, plan provisioner.Plan, nodes []state.Machine) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	events := make(chan provisioner.Event, 256)
	go func() {
		defer close(events)
		_ = p.Play(ctx, shown, func(e provisioner.Event) { // it ends early if the user quits
			select {
			case events <- e:
			case <-ctx.Done():
			}
		})
	}()
	err := dashboard.Run(ctx, dashboard.Options{
		Title: "replay", Subtitle: shown.Title(), Plan: plan, Nodes: nodes, Events: events, Player: p, Now: p.Now, Wall: p.Now,
		In: std.In, Out: std.TerminalWriter(), ASCII: r.ASCII,
	})
	if errors.Is(err, dashboard.ErrLeft) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
