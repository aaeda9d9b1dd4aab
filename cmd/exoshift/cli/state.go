package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/fleet"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/run"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/console"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
)

const stateName = "state"

// AddStateFlag adds --state, which several machines can share.
func AddStateFlag(cmd *cobra.Command) {
	cmd.Flags().String(stateName, "", "location of the clusters' folders: a folder, file:///DIRECTORY, or s3://BUCKET/PREFIX?endpoint=https://HOST; also state in your configuration")
}

// ParseState returns the address that --state or its variable names.
func ParseState(cmd *cobra.Command) (sharedstate.Address, error) {
	flags, err := BindFlags(cmd)
	if err != nil {
		return sharedstate.Address{}, err
	}
	text, err := readStateAddress(cmd, flags)
	if err != nil {
		return sharedstate.Address{}, err
	}
	if text == "" {
		return sharedstate.Address{}, exit.WithCode(exit.Usage, errors.New("set the shared state with --state, or with "+sharedstate.Variable))
	}
	return sharedstate.ParseAddress(text)
}

// readStateAddress returns what --state says, or else the variable, or else the user's configuration. An empty flag is a folder of
// this machine, whatever the others say.
func readStateAddress(cmd *cobra.Command, flags *viper.Viper) (string, error) {
	given := cmd.Flags().Lookup(stateName)
	if given == nil {
		return "", nil
	}
	if text := flags.GetString(stateName); text != "" || given.Changed {
		return text, nil
	}
	return layers.ReadStateAddress()
}

// NewAccess returns what opens shared state at an address. Whoever opens it more than once signs in once.
func NewAccess(at sharedstate.Address, net network.Network, std Streams) sharedstate.Access {
	access := environment.NewOwnAccess()
	access.SetLinkPrinter(std.LinkPrinter())
	return sharedstate.Access{Address: at, Net: net, Lookup: environment.LookupEnv, Person: access}
}

// bindState gives a verb's cluster, whose ID may be an argument, the folder that --state or --dir names. --dir precedes the variable
// and the user's configuration.
func bindState(o *Options, cmd *cobra.Command, flags *viper.Viper, args []string) error {
	address, err := readStateAddress(cmd, flags)
	if err != nil {
		return err
	}
	switch given := cmd.Flags().Lookup(stateName); {
	case given == nil, address == "":
		return nil
	case cmd.Flags().Changed("dir") && given.Changed:
		return exit.WithCode(exit.Usage, errors.New("--state and --dir exclude each other"))
	case cmd.Flags().Changed("dir"):
		return nil
	}
	at, err := sharedstate.ParseAddress(address)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		o.ID = args[0]
	}
	o.State = &at
	return nil
}

// RunOnCluster calls body with the folder of the cluster that was named, in shared state with a private copy of it. changes says
// whether the folder is changed, which needs the cluster's lock.
func RunOnCluster(ctx context.Context, o Options, std Streams, verb string, changes bool, body func(context.Context, Options) error) error {
	if o.State == nil {
		return body(ctx, o)
	}
	if err := nameCluster(&o, verb); err != nil {
		return err
	}
	if !o.State.IsShared() {
		o.Dir = filepath.Join(o.State.Folders, o.ID)
		return body(ctx, o)
	}
	net, err := o.OpenNetwork(ctx)
	if err != nil {
		return err
	}
	access := NewAccess(*o.State, net, std)
	if changes {
		err := access.Run(ctx, o.ID, verb, newWaitPrinter(std, o.ID), func(ctx context.Context, s *sharedstate.Session) error {
			o.Dir, o.Private, o.receive, o.recordPlan = s.Folder.Path(), &s.Folder, s.Workspace.ReceiveCommands, s.RecordPlan
			return body(ctx, o)
		})
		return o.explainHeld(verb, err)
	}
	err = access.Read(ctx, o.ID, func(folder state.Folder, counter int) error {
		o.Dir, o.Private = folder.Path(), &folder
		o.recordDrift = func(drift bool) error { return access.RecordDrift(ctx, o.ID, counter, drift) }
		return body(ctx, o)
	})
	if errors.Is(err, fs.ErrNotExist) && o.Private == nil && o.Answers != "" { // a cluster that was not begun
		o.Dir, err = sharedstate.WorkPath()
		if err == nil {
			o.Dir = filepath.Join(o.Dir, "none")
			return body(ctx, o)
		}
	}
	return err
}

// KeepDrift records in shared state what `plan --expect-no-change` finds about answers in force: whoever looks at the fleet sees it.
// That it could not be recorded is no failure of the plan.
func KeepDrift(o Options, std Streams, result error) {
	drift, unknown := fleet.ToDrift(result)
	if o.recordDrift == nil || unknown != nil || o.Answers != "" || len(o.Set) > 0 {
		return
	}
	if err := o.recordDrift(*drift); err != nil {
		fmt.Fprintf(std.Err, "note: the result was not kept for exoshift fleet status: %s\n", console.SanitizeLine(err.Error()))
	}
}

// nameCluster takes the cluster's ID from the answers file unless it is named.
func nameCluster(o *Options, verb string) error {
	if o.Answers != "" {
		all, err := o.MergeLayers()
		if err != nil {
			return err
		}
		if id := all.Answers.Spec.Cluster.ID; o.ID == "" {
			o.ID = id
		} else if id != o.ID {
			return exit.WithCode(exit.Usage, fmt.Errorf("%s is not the cluster of %s; that is %q", o.ID, o.Answers, id))
		}
	}
	if o.ID == "" {
		return exit.WithCode(exit.Usage, fmt.Errorf("the cluster ID is missing: exoshift %s --state %s ID", verb, o.State.Text))
	}
	return nil
}

// applyCommand does what somebody elsewhere asks of a run.
func applyCommand(shown run.View, command shared.Command) {
	switch command.Action {
	case shared.CommandStop:
		shown.Stop()
	case shared.CommandApproveNewKeys:
		shown.ApproveNewKeys()
	case shared.CommandDecide:
		shown.Decide(command.Rule, provisioner.Reply(command.Reply))
	}
}

func newWaitPrinter(s Streams, id string) func(lease.Holder) {
	return func(holder lease.Holder) {
		fmt.Fprintf(s.Err, "exoshift: cluster %s is in use: %s\n  checking whether that run is still alive, for at most %s\n",
			id, console.SanitizeLine(holder.String()), strings.TrimSuffix(lease.Lifetime.String(), "0s"))
	}
}

// QuoteShell returns a word as it is typed in a shell.
func QuoteShell(word string) string { return shellescape.Quote(word) }
