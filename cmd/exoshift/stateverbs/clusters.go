package stateverbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state/shared"
)

func newImportCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "import [ID]",
		Short:             "Copy a cluster's folder of this machine to shared state",
		Long:              "Copy a cluster's folder of this machine to shared state. The folder stays; from then on, use --state for all work on the cluster.",
		Example:           "  exoshift state import -d ~/.local/state/exoshift/c-demo-1",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteLocal,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			dir, _ := cmd.Flags().GetString("dir")
			find := clusterdir.Find
			if len(args) > 0 && dir == "" {
				find, dir = clusterdir.FindID, args[0]
			}
			folder, err := find(dir)
			if err != nil {
				return err
			}
			facts, err := folder.LoadFacts()
			if err != nil {
				return err
			}
			spec, err := clusterdir.ReadAnswers(folder)
			if err != nil {
				return err
			}
			if facts.Rehearsal {
				return exit.WithCode(exit.Usage, fmt.Errorf("%s belongs to a rehearsal, not to a real cluster", folder.Path()))
			}
			unlock, err := folder.Lock(cmd.Context())
			if err != nil {
				return err
			}
			defer unlock()
			access, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			if err := place.Import(cmd.Context(), spec.Cluster.ID, folder, access.NewHolder("state import")); err != nil {
				return err
			}
			fmt.Fprintf(std.Out, "Cluster %s is in shared state. Continue there, and remove or archive %s:\n  exoshift status --state %s %s\n",
				spec.Cluster.ID, folder.Path(), cli.QuoteShell(access.Address.Text), spec.Cluster.ID)
			return nil
		},
	}
	cli.AddStateFlag(cmd)
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	return cmd
}

func newExportCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "export ID FOLDER",
		Short:             "Copy a cluster's folder from shared state to this machine, with its keys in clear",
		Example:           "  exoshift state export c-demo-1 ./c-demo-1",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: cli.CompleteShared(std, cobra.ShellCompDirectiveFilterDirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			if err := place.Export(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			fmt.Fprintf(std.Out, "%s is a copy with the keys of the cluster. Changes in it do not reach shared state.\n", args[1])
			return nil
		},
	}
	cli.AddStateFlag(cmd)
	return cmd
}

// line is a cluster in shared state, for programs.
type line struct {
	Type   string     `json:"type"`
	ID     string     `json:"id"`
	Locked bool       `json:"locked"`
	Holder string     `json:"holder,omitempty"`
	Since  *time.Time `json:"since,omitempty"`
}

func newListCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the clusters in shared state, and who works on them",
		Example: "  exoshift state list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			_, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			return list(cmd.Context(), place, o, std)
		},
	}
	cli.AddStateFlag(cmd)
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func list(ctx context.Context, place *shared.Place, o cli.Options, std cli.Streams) error {
	ids, err := place.List(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		lease, err := place.ReadLease(ctx, id)
		if err != nil {
			return err
		}
		shown := line{Type: "cluster", ID: id}
		if lease.Holder != nil {
			shown.Locked, shown.Holder, shown.Since = true, lease.Holder.String(), &lease.Holder.Since
		}
		if o.Output.IsJSON() {
			if err := json.NewEncoder(std.Out).Encode(shown); err != nil {
				return fmt.Errorf("list shared state: %w", err)
			}
			continue
		}
		if shown.Holder == "" {
			shown.Holder = "free"
		}
		fmt.Fprintf(std.Out, "%-20s  %s\n", console.SanitizeLine(id), console.SanitizeLine(shown.Holder))
	}
	if len(ids) == 0 && !o.Output.IsJSON() {
		fmt.Fprintln(std.Out, "No clusters in shared state.")
	}
	return nil
}

func newUnlockCommand(std cli.Streams) *cobra.Command {
	var run string
	cmd := &cobra.Command{
		Use:   "unlock ID --run RUN",
		Short: "Release the lock of a run that is no longer alive",
		Long: `Release the lock of a run that is no longer alive.

This is rarely needed: the lock of a lost machine expires after two minutes. A run that is still alive stops within 20
seconds. Who released the lock is recorded.`,
		Example:           "  exoshift state unlock c-demo-1 --run 5RKX2ZQ4WB7M",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteShared(std, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if run == "" {
				return exit.WithCode(exit.Usage, errors.New("--run is required: the run whose lock to release; exoshift state list shows it"))
			}
			access, place, end, err := open(cmd, std)
			if err != nil {
				return err
			}
			defer end()
			held, err := place.Unlock(cmd.Context(), args[0], run, access.NewHolder("state unlock"))
			if err != nil {
				return err
			}
			fmt.Fprintf(std.Out, "The lock of cluster %s is released. It was held: %s\n", args[0], console.SanitizeLine(held.String()))
			return nil
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "the run, as exoshift state list shows it")
	cli.AddStateFlag(cmd)
	return cmd
}
