package stateverbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/fleet"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/state/shared"
	"exoshift/tui/dashboard"
)

// followEach is how often the events of another machine are looked for.
const followEach = time.Second

// NewAttachCommand returns the verb `attach`.
func NewAttachCommand(std cli.Streams) *cobra.Command {
	var stop, approve bool
	var decision string
	cmd := &cobra.Command{
		Use:   "attach ID",
		Short: "Watch the run of a cluster in shared state, wherever it runs",
		Long: `Watch the run of a cluster in shared state, wherever it runs.

It shows the dashboard of the run, a few seconds later. Leaving it does not stop the run. Decisions and --stop reach the run
within seconds; who made them is recorded.`,
		Example: `  exoshift attach c-demo-1
  exoshift attach c-demo-1 -o json
  exoshift attach c-demo-1 --stop
  exoshift attach c-demo-1 --decide dns-record-changed=repair`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteShared(std, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			if o.State == nil || !o.State.IsShared() {
				return exit.WithCode(exit.Usage, errors.New("--state or EXOSHIFT_STATE is required; for a run on this machine: exoshift status "+args[0]))
			}
			net, err := o.OpenNetwork(cmd.Context())
			if err != nil {
				return err
			}
			access := cli.NewAccess(*o.State, net, std)
			place, end, err := access.Open(cmd.Context())
			if err != nil {
				return err
			}
			defer end()
			a := attachment{place: place, access: access, id: o.ID, std: std}
			if command, given, err := parseCommand(stop, approve, decision); err != nil || given {
				if err == nil {
					err = a.send(cmd.Context(), command)
				}
				return err
			}
			return a.watch(cmd.Context(), o)
		},
	}
	cli.AddStateFlag(cmd)
	cli.AddScreenFlags(cmd)
	cmd.Flags().BoolVar(&stop, "stop", false, "stop the run after the calls in flight; the same command resumes it")
	cmd.Flags().BoolVar(&approve, "approve-new-keys", false, "approve one more key of each machine that waits for approval")
	cmd.Flags().StringVar(&decision, "decide", "", "answer the question of a run: RULE=repair, RULE=stop, RULE=copy or RULE=wait")
	return cmd
}

// parseCommand returns what the flags ask of the run.
func parseCommand(stop, approve bool, decision string) (command shared.Command, given bool, err error) {
	rule, reply, answered := strings.Cut(decision, "=")
	switch {
	case stop:
		return shared.Command{Action: shared.CommandStop}, true, nil
	case approve:
		return shared.Command{Action: shared.CommandApproveNewKeys}, true, nil
	case decision == "":
		return command, false, nil
	case !answered || !slices.Contains([]provisioner.Reply{provisioner.ReplyRepair, provisioner.ReplyStop, provisioner.ReplyCopy, provisioner.ReplyWait}, provisioner.Reply(reply)):
		return command, false, exit.WithCode(exit.Usage, fmt.Errorf("--decide %s: its form is RULE=repair, RULE=stop, RULE=copy or RULE=wait", decision))
	}
	return shared.Command{Action: shared.CommandDecide, Rule: rule, Reply: reply}, true, nil
}

// attachment is a run of another machine, seen from here.
type attachment struct {
	place  *shared.Place
	access sharedstate.Access
	id     string
	std    cli.Streams
}

// send fails if nobody works on the cluster.
func (a attachment) send(ctx context.Context, command shared.Command) error {
	lease, err := a.place.ReadLease(ctx, a.id)
	if err != nil {
		return err
	}
	if lease.Holder == nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was sent: no run works on cluster %s", a.id))
	}
	command.By = a.access.NewHolder("attach")
	return a.place.Send(ctx, a.id, command)
}

func (a attachment) watch(ctx context.Context, o cli.Options) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	stream, verb, err := a.findStream(ctx)
	if err != nil {
		return err
	}
	events, failed := make(chan provisioner.Event, 256), make(chan error, 1)
	go func() {
		defer close(events)
		failed <- a.follow(ctx, stream, events)
	}()
	if o.Output == cli.OutputTUI && stream != state.TeardownFile { // which has no dashboard anywhere
		return a.showDashboard(ctx, o, verb, events)
	}
	emit := o.Output.NewPrinter(a.std.Out)
	for event := range events {
		emit(event)
	}
	return <-failed
}

// findStream returns where the run that works on the cluster now keeps its events; without one, that of the installation.
func (a attachment) findStream(ctx context.Context) (stream, verb string, err error) {
	lease, err := a.place.ReadLease(ctx, a.id)
	if err != nil || lease.Holder == nil {
		return state.EventsFile, "", err
	}
	switch verb := lease.Holder.Verb; verb {
	case fleet.VerbDestroy:
		return state.TeardownFile, "", nil
	case fleet.VerbInstall:
		return state.EventsFile, "", nil
	case fleet.VerbAddNodes: // it is an installation, but for storage nodes with Ceph
		return a.findAddition(ctx, lease.Holder.Since)
	default:
		return state.NodesFile, verb, nil
	}
}

// findAddition returns where an addition of nodes keeps its events, which began after a time.
func (a attachment) findAddition(ctx context.Context, since time.Time) (stream, verb string, err error) {
	lines, err := a.place.Follow(a.id, state.NodesFile).Poll(ctx)
	if err != nil {
		return "", "", err
	}
	first, _, _ := bytes.Cut(selectLastRun(lines), []byte("\n"))
	var began provisioner.Event
	if json.Unmarshal(first, &began) == nil && began.Verb == fleet.VerbAddNodes && !began.Time.Before(since) {
		return state.NodesFile, fleet.VerbAddNodes, nil
	}
	return state.EventsFile, "", nil
}

func (a attachment) follow(ctx context.Context, stream string, events chan<- provisioner.Event) error {
	follower, first := a.place.Follow(a.id, stream), true
	for {
		lease, err := a.place.ReadLease(ctx, a.id)
		if err != nil {
			return err
		}
		lines, err := follower.Poll(ctx)
		if err != nil {
			return err
		}
		if first {
			lines, first = selectLastRun(lines), false
		}
		for line := range bytes.Lines(lines) {
			var event provisioner.Event
			if json.Unmarshal(line, &event) != nil {
				continue // its writer was killed
			}
			select {
			case events <- event:
			case <-ctx.Done():
				return nil
			}
		}
		if lease.Holder == nil {
			return nil
		}
		if (network.Clock{}).Sleep(ctx, followEach) != nil {
			return nil //nolint:nilerr // whoever watched has left
		}
	}
}

func selectLastRun(lines []byte) []byte {
	for at := len(lines); at > 0; {
		at = bytes.LastIndexByte(lines[:at-1], '\n') + 1
		var event provisioner.Event
		line, _, _ := bytes.Cut(lines[at:], []byte("\n"))
		if json.Unmarshal(line, &event) == nil && event.Type == provisioner.TypeRun && event.State == provisioner.Started {
			return lines[at:]
		}
	}
	return lines
}

func (a attachment) showDashboard(ctx context.Context, o cli.Options, verb string, events <-chan provisioner.Event) (err error) {
	work, err := sharedstate.WorkPath()
	if err != nil {
		return err
	}
	copied, err := a.place.OpenReadOnly(ctx, a.id, work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	folder, err := copied.Folder()
	if err != nil {
		return err
	}
	spec, err := clusterdir.ReadAnswers(folder)
	if err != nil {
		return err
	}
	var plan provisioner.Plan // a verb on an installed cluster emits its own
	if verb == "" {
		plan = install.Steps(spec)
	}
	send := func(command shared.Command) { _ = a.send(ctx, command) } // the screen shows whether the run follows
	err = dashboard.Run(ctx, dashboard.Options{
		Title: spec.Cluster.ID, Subtitle: cli.FormatSubtitle(folder, spec), Verb: verb, Plan: plan, Nodes: spec.Nodes(), Events: events,
		ApproveKeys: func() { send(shared.Command{Action: shared.CommandApproveNewKeys}) },
		Decide: func(rule string, reply provisioner.Reply) {
			send(shared.Command{Action: shared.CommandDecide, Rule: rule, Reply: string(reply)})
		},
		In: a.std.In, Out: a.std.TerminalWriter(), ASCII: o.ASCII, Silent: o.Silent, NoColor: os.Getenv("NO_COLOR") != "",
	})
	if errors.Is(err, dashboard.ErrLeft) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
