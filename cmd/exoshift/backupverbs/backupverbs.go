// Package backupverbs has the verb `backup` with those below it: make backups of an installed cluster, list, verify and delete them.
package backupverbs

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/backup"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/console"
	"exoshift/provisioner/install"
)

// NewCommand returns the verb `backup`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Make backups of an installed cluster, list, verify and delete them",
		Long: `Make backups of an installed cluster, list, verify and delete them.

A backup is a snapshot of etcd with the resources of the static pods, by the cluster's own cluster-backup.sh, and the objects of the
API. It is encrypted before it is stored in the bucket of the cluster's backups, and read back before it counts as one.`,
		Example: `  exoshift backup create c-demo-1
  exoshift backup list c-demo-1
  exoshift backup show latest -d ~/.local/state/exoshift/c-demo-1 --verify
  exoshift backup prune c-demo-1 --keep 7 --keep-within 720h`,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newCreateCommand(std), newListCommand(std), newShowCommand(std), newPruneCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func addClusterFlags(cmd *cobra.Command) {
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
}

func newCreateCommand(std cli.Streams) *cobra.Command {
	var wanted backup.Request
	var recipients []string
	cmd := &cobra.Command{
		Use:   "create [ID]",
		Short: "Make a backup of etcd and of the objects of the API",
		Long: `Make a backup of etcd and of the objects of the API.

On one master with a healthy member of etcd, a privileged pod in a namespace of its own runs cluster-backup.sh. What that has written is
encrypted here, in memory, to the recipients of shared state and those of --recipient, stored in the bucket, and deleted from the master
with the pod. Then the backup is read back: its hashes, and, with an identity of a recipient at hand (EXOSHIFT_AGE_IDENTITY), what
etcdutl snapshot status says of the snapshot.

Refused is a backup while etcd lacks a member or a revision (exit code 12), and while an operator of the control plane progresses (exit
code 14). Whatever is interrupted is no backup: the next one, or exoshift backup prune, deletes what it has left.`,
		Example: `  exoshift backup create c-demo-1 --dry-run
  exoshift backup create -d rehearsal --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p --yes
  exoshift backup create --state s3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io c-demo-1 --yes -o json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return create(cmd.Context(), o, std, wanted, recipients)
		},
	}
	addClusterFlags(cmd)
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "also encrypt to this age or SSH public key; may be repeated (default without shared state: that of EXOSHIFT_AGE_IDENTITY)")
	cli.AddYesFlag(cmd, "make it without asking")
	cli.AddScreenFlags(cmd)
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "check whether a backup can be made, and show how; make none")
	return cmd
}

func create(ctx context.Context, o cli.Options, std cli.Streams, wanted backup.Request, recipients []string) (err error) {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, backup.Verb, !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			if wanted.Keys, err = cli.ReadBackupKeys(ctx, o, std, recipients); err != nil {
				return err
			}
			wanted.Retry = formatRetry(o, recipients)
			return backup.Cluster{Cluster: opened}.Create(ctx, wanted, display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun)})
		})
	})
}

func formatRetry(o cli.Options, recipients []string) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // these verbs have no such flags
	more := []string{}
	for _, recipient := range recipients {
		more = append(more, "--recipient", recipient)
	}
	return o.FormatCommand(backup.Verb, more...)
}

func newListCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [ID]",
		Short: "List the backups of a cluster, the newest first",
		Long: `List the backups of a cluster, the newest first, also of one that was destroyed: exoshift destroy keeps them. Nothing is changed.

With --output json, each backup is an object on a line of its own.`,
		Example: `  exoshift backup list c-demo-1
  exoshift backup list c-demo-1 -o json | jq 'select(.state == "verified")'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "backup list", false, func(ctx context.Context, o cli.Options) error {
				return cli.WithKeptCluster(ctx, o, func(opened nodes.Cluster) error {
					found, leftovers, err := backup.Cluster{Cluster: opened}.List(ctx)
					if err != nil {
						return err
					}
					if o.Output.IsJSON() {
						return writeListJSON(std.Out, found)
					}
					if destroyed := opened.Facts.Destroyed; !destroyed.IsZero() {
						fmt.Fprintf(std.Out, "%s was destroyed at %s. These backups are kept:\n", console.SanitizeLine(opened.Spec.Cluster.ID), formatTime(destroyed))
					}
					return printList(std.Out, opened.Spec, found, leftovers, opened.Now())
				})
			})
		},
	}
	addClusterFlags(cmd)
	cli.AddOutputFlag(cmd, "output format", cli.OutputAuto, cli.OutputTUI, cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func newShowCommand(std cli.Streams) *cobra.Command {
	var verify bool
	cmd := &cobra.Command{
		Use:   "show [ID] NAME",
		Short: "Show what a backup has; latest is the newest one",
		Long: `Show what a backup has; latest is the newest one. With --verify it is read back again: what is stored is compared with what was sent, and,
with an identity of a recipient at hand (EXOSHIFT_AGE_IDENTITY), decrypted in memory. A damaged one is exit code 12. Its content is never printed.`,
		Example: `  exoshift backup show c-demo-1 latest
  exoshift backup show 20270309T220000Z -d ~/.local/state/exoshift/c-demo-1 --verify`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, name, err := bindName(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "backup show", false, func(ctx context.Context, o cli.Options) error {
				return cli.WithKeptCluster(ctx, o, func(opened nodes.Cluster) error {
					return show(ctx, o, std, backup.Cluster{Cluster: opened}, name, verify)
				})
			})
		},
	}
	addClusterFlags(cmd)
	cmd.Flags().BoolVar(&verify, "verify", false, "read the backup back")
	cli.AddOutputFlag(cmd, "output format", cli.OutputAuto, cli.OutputTUI, cli.OutputPlain, cli.OutputJSON)
	return cmd
}

// bindName takes the last argument for the name of a backup, and the one before it for the cluster's ID.
func bindName(cmd *cobra.Command, args []string, std cli.Streams) (o cli.Options, name string, err error) {
	name = args[len(args)-1]
	o, err = cli.BindCluster(cmd, args[:len(args)-1], std)
	if err == nil && o.State != nil && len(args) < 2 {
		err = exit.WithCode(exit.Usage, errors.New("name the cluster, and the backup or latest: exoshift backup list shows them"))
	}
	return o, name, err
}

func show(ctx context.Context, o cli.Options, std cli.Streams, cluster backup.Cluster, name string, verify bool) error {
	found, err := cluster.Show(ctx, name)
	if err != nil {
		return err
	}
	if !verify {
		return printBackup(o, std, found, nil)
	}
	keys, err := cli.ReadIdentities(ctx, o, std)
	if err != nil {
		return err
	}
	decrypted, failure := cluster.Verify(ctx, found, keys, cli.NewFindingPrinter(o, std))
	if failure == nil {
		return printBackup(o, std, found, &decrypted)
	}
	found.Problem = "it could not be read back"
	return errors.Join(printBackup(o, std, found, nil), failure)
}
