// Package recoververbs has the verb `recover etcd`.
package recoververbs

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/recovery"
	"exoshift/provisioner/install"
)

// NewCommand returns the verb `recover`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "recover",
		Short:   "Recover a cluster that has lost what it cannot run without",
		Long:    "Recover a cluster that has lost what it cannot run without.",
		Example: `  exoshift recover etcd c-demo-1 --from-member master-0 --dry-run`,
		RunE:    cli.RunGroup,
	}
	cmd.AddCommand(newEtcdCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

// flags of `recover etcd`.
type flags struct {
	recovery.Request
	member  string // --from-member
	host    string // --recovery-host
	confirm string // --confirm-restore
}

func newEtcdCommand(std cli.Streams) *cobra.Command {
	var given flags
	cmd := &cobra.Command{
		Use:   "etcd [ID]",
		Short: "Give etcd its quorum back, from a member that is left or from a backup",
		Long: `Give etcd its quorum back: from a member that is left, by quorum-restore.sh, which OpenShift has on its masters since 4.18; or from a
backup, by cluster-restore.sh.

What to do depends on what is left:
  the API answers                  nothing is recovered: a master that is not well is replaced by exoshift nodes replace
  a master has the data of etcd    exoshift recover etcd --from-member, with the master that has come furthest
  no master has it                 exoshift recover etcd --from, with a backup of exoshift backup list
  all masters are lost             a new cluster, with the objects from their backup

The masters are asked by SSH, with the cluster's key from the SSH agent. Their security group is opened to this machine for that, and closed
again however it ends. The members on the other masters are stopped, the member that is left becomes a cluster of its own, and the API answers
again. Then masters whose disk is whole get a member again, and those that are lost are replaced one after the other, as exoshift nodes
replace does it. What was not written to the member that is left is lost.

A backup is read back as a whole before anything is changed, which takes an identity of a recipient (EXOSHIFT_AGE_IDENTITY). It is decrypted on
its way to the master, where only root can read it, and deleted from there once it is restored. Whatever was written after it is lost, also
what a master may still have: the ID of the cluster has to be typed, or given by --confirm-restore. --yes does not suffice.

Refused are an etcd that has a quorum, a member that others have come further than, a learner, and one that does not run; and all of it while a
machine of a master runs that does not answer. Refused is a backup of another cluster, of another release than the masters have, one that
is damaged (exit code 12), and one that cannot be decrypted. The same command goes on with a recovery that was interrupted.`,
		Example: `  exoshift recover etcd c-demo-1 --from-member master-0 --dry-run
  exoshift recover etcd c-demo-1 --from-member master-0 --yes
  exoshift recover etcd c-demo-1 --from 20270309T220000Z --dry-run
  exoshift recover etcd c-demo-1 --from latest --confirm-restore c-demo-1`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if err := given.check(); err != nil {
				return err
			}
			return carryOut(cmd.Context(), o, std, given)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, "recover it from a member without asking")
	cli.AddScreenFlags(cmd)
	cmd.Flags().StringVar(&given.member, "from-member", "", "the master whose member of etcd is left, such as master-0")
	cmd.Flags().StringVar(&given.Backup, "from", "", "the name of the backup that is restored, or latest")
	cmd.Flags().StringVar(&given.host, "recovery-host", "", "the master on which the backup is restored (default: the first one whose machine runs)")
	cmd.Flags().StringVar(&given.confirm, "confirm-restore", "", "cluster ID: overwrite its etcd with the backup without a prompt")
	cmd.Flags().StringArrayVar(&given.HostKeys, "host-key", nil, "fingerprint of the SSH key of a master that is no known host, such as SHA256:...; may be repeated")
	cmd.Flags().BoolVar(&given.DryRun, "dry-run", false, "show what would be changed; change nothing")
	return cmd
}

// check checks which flags are given together.
func (f *flags) check() error {
	switch {
	case f.member == "" && f.Backup == "":
		return exit.WithCode(exit.Usage, errors.New("name the master whose member of etcd is left (--from-member master-0), or a backup (--from, see exoshift backup list)"))
	case f.member != "" && f.Backup != "":
		return exit.WithCode(exit.Usage, errors.New("give --from-member or --from, not both: a member that is left loses less than a backup"))
	case f.Backup == "" && (f.host != "" || f.confirm != ""):
		return exit.WithCode(exit.Usage, errors.New("--recovery-host and --confirm-restore are for a backup: --from"))
	}
	if f.From = f.member; f.Backup != "" {
		f.From = f.host
	}
	return nil
}

// carryOut opens the cluster, for itself alone if it is changed, and has its etcd recovered.
func carryOut(ctx context.Context, o cli.Options, std cli.Streams, given flags) error {
	given.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, recovery.Verb, !given.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !given.DryRun, func(opened nodes.Cluster) (err error) {
			shown := display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, given.DryRun), given.confirm}
			if given.Backup != "" {
				if err := shown.checkConfirmation(recovery.IsRestored(opened.Facts)); err != nil {
					return err
				}
				if given.Identities, err = cli.ReadIdentities(ctx, o, std); err != nil {
					return err
				}
				given.Emit = cli.NewFindingPrinter(o, std)
			}
			given.Retry = func(backup, from string) string { return formatRetry(o, given, backup, from) }
			given.Installer = newInstaller(o, opened)
			return recovery.Cluster{Cluster: opened}.RecoverEtcd(ctx, given.Request, shown)
		})
	})
}

func newInstaller(o cli.Options, cluster nodes.Cluster) nodes.Installer {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // the verb has no such flags
	if o.State == nil {
		o.Dir = cluster.Folder.Path()
	}
	return nodes.Installer{OpenRun: o.OpenRun, Options: o.RunOptions()}
}

// formatRetry names the master and the backup that were chosen, also if nobody did by a flag.
func formatRetry(o cli.Options, given flags, backup, from string) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // the verb has no such flags
	more := []string{"--from-member", from}
	if backup != "" {
		more = []string{"--from", backup, "--recovery-host", from, "--confirm-restore", given.confirm}
		if given.confirm == "" {
			more = more[:4]
		}
	}
	for _, key := range given.HostKeys {
		more = append(more, "--host-key", key)
	}
	return o.FormatCommand(recovery.Verb, more...)
}
