// Package powerverbs has the verbs `stop` and `start`, for a whole cluster, and `repair`, for what a stop may leave.
package powerverbs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/power"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/install"
)

// NewCommands returns the verbs.
func NewCommands(std cli.Streams) []*cobra.Command {
	return []*cobra.Command{newStopCommand(std), newStartCommand(std), newRepairCommand(std)}
}

func newStopCommand(std cli.Streams) *cobra.Command {
	var wanted power.Request
	cmd := &cobra.Command{
		Use:   "stop [ID]",
		Short: "Stop all machines of a cluster, to start them again later",
		Long: `Stop all machines of a cluster, to start them again later. Nothing is deleted.

UpgradeConfigs are suspended, Ceph gets the flags noout and norebalance, the nodes are cordoned, and the machines stopped in this order:
workers and infra nodes, storage nodes, masters, load balancers. All of that is ended by exoshift start, in the reverse order. The plan says what that saves, and by when the cluster has to be started again: its certificates end, and OpenShift allows 90 days.

Refused is a cluster that is younger than a day or not well, one whose certificates would end before --until, one with an
instance pool, which might replace machines that are stopped, and one with an UpgradeConfig that Argo CD looks after and that is not
suspended. A backup by exoshift backup create of the last 24 hours is used, and otherwise one is made first; --etcd-backup names one
by cluster-backup.sh, and --without-backup does without.

Until the first machine is stopped, a failure or Ctrl-C ends all that was begun; from then on, the same command goes on, or exoshift start.`,
		Example: `  exoshift stop c-demo-1 --dry-run
  exoshift stop c-demo-1 --until 2027-01-04T06:00:00+01:00
  exoshift stop --dir rehearsal --without-backup --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if err := bindStop(cmd, &wanted); err != nil {
				return err
			}
			return carryOut(cmd.Context(), o, std, power.VerbStop, wanted)
		},
	}
	addFlags(cmd, &wanted, "stop it without asking")
	cmd.Flags().String("until", "", "when it is to be started again, as in RFC 3339 (default: in 30 days)")
	cmd.Flags().StringVar(&wanted.Backup.Folder, "etcd-backup", "", "the folder with the backup of etcd by cluster-backup.sh")
	cmd.Flags().BoolVar(&wanted.Backup.Without, "without-backup", false, "stop it without a backup of etcd")
	return cmd
}

func newStartCommand(std cli.Streams) *cobra.Command {
	var wanted power.Request
	cmd := &cobra.Command{
		Use:   "start [ID]",
		Short: "Start the machines of a cluster that was stopped, until everything is available",
		Long: `Start the machines of a cluster that was stopped, by exoshift stop or otherwise, until everything is available.

The machines are started in this order: load balancers, masters, storage nodes, workers and infra nodes; each group is waited for.
Nodes that were off for longer than their certificates are valid request new ones. These are approved by the rules of an
installation, if the machine of the node was started here before the request, and the node is not ready. Then the cordons are ended, and
the operators are waited for. The same command goes on with a start that was interrupted.`,
		Example: `  exoshift start c-demo-1 --dry-run
  exoshift start c-demo-1 --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return carryOut(cmd.Context(), o, std, power.VerbStart, wanted)
		},
	}
	addFlags(cmd, &wanted, "start it without asking")
	return cmd
}

func addFlags(cmd *cobra.Command, wanted *power.Request, yes string) {
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, yes)
	cli.AddScreenFlags(cmd)
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show what would be changed; change nothing")
}

func bindStop(cmd *cobra.Command, wanted *power.Request) (err error) {
	if wanted.Backup.Without && wanted.Backup.Folder != "" {
		return exit.WithCode(exit.Usage, errors.New("--etcd-backup and --without-backup exclude each other"))
	}
	until := cmd.Flag("until").Value.String()
	if until == "" {
		return nil
	}
	if wanted.Until, err = time.Parse(time.RFC3339, until); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--until %s: give a time as in RFC 3339, such as 2027-03-09T22:00:00+01:00", until))
	}
	return nil
}

// carryOut opens the cluster, for itself alone if it is changed, and has it stopped or started.
func carryOut(ctx context.Context, o cli.Options, std cli.Streams, verb string, wanted power.Request) error {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, verb, !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			wanted.Retry = formatRetry(o, verb, wanted)
			wanted.ReadKeys = func(ctx context.Context) (backup.Keys, error) { return cli.ReadBackupKeys(ctx, o, std, nil) }
			cluster, shown := power.Cluster{Cluster: opened}, display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun)}
			switch verb {
			case power.VerbStop:
				return cluster.Stop(ctx, wanted, shown)
			case power.VerbRepair:
				return cluster.RepairCertificates(ctx, wanted, shown)
			}
			return cluster.Start(ctx, wanted, shown)
		})
	})
}

func formatRetry(o cli.Options, verb string, wanted power.Request) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // these verbs have no such flags
	var more []string
	if !wanted.Until.IsZero() {
		more = append(more, "--until", wanted.Until.Format(time.RFC3339))
	}
	if wanted.Backup.Folder != "" {
		more = append(more, "--etcd-backup", wanted.Backup.Folder)
	}
	if wanted.Backup.Without {
		more = append(more, "--without-backup")
	}
	return o.FormatCommand(verb, more...)
}
