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
	}
	cmd.AddCommand(newEtcdCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newEtcdCommand(std cli.Streams) *cobra.Command {
	var wanted recovery.Request
	cmd := &cobra.Command{
		Use:   "etcd [ID]",
		Short: "Give etcd its quorum back from a member that is left",
		Long: `Give etcd its quorum back from a member that is left, by quorum-restore.sh, which OpenShift has on its masters since 4.18.

What to do depends on what is left:
  the API answers                  nothing is recovered: a master that is not well is replaced by exoshift nodes replace
  a master has the data of etcd    exoshift recover etcd --from-member, with the master that has come furthest
  no master has it                 a backup has to be restored
  all masters are lost             a new cluster, with the objects from their backup

The masters are asked by SSH, with the cluster's key from the SSH agent. Their security group is opened to this machine for that, and closed
again however it ends. The members on the other masters are stopped, the member that is left becomes a cluster of its own, and the API answers
again. Then masters whose disk is whole get a member again, and those that are lost are replaced one after the other, as exoshift nodes
replace does it. What was not written to the member that is left is lost.

Refused are an etcd that has a quorum, a member that others have come further than, a learner, and one that does not run; and all of it while a
machine of a master runs that does not answer. The same command goes on with a recovery that was interrupted.`,
		Example: `  exoshift recover etcd c-demo-1 --from-member master-0 --dry-run
  exoshift recover etcd c-demo-1 --from-member master-0 --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if wanted.From == "" {
				return exit.WithCode(exit.Usage, errors.New("name the master whose member of etcd is left: --from-member master-0"))
			}
			return carryOut(cmd.Context(), o, std, wanted)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, "recover it without asking")
	cli.AddScreenFlags(cmd)
	cmd.Flags().StringVar(&wanted.From, "from-member", "", "the master whose member of etcd is left, such as master-0")
	cmd.Flags().StringArrayVar(&wanted.HostKeys, "host-key", nil, "fingerprint of the SSH key of a master that is no known host, such as SHA256:...; may be repeated")
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show what would be changed; change nothing")
	return cmd
}

// carryOut opens the cluster, for itself alone if it is changed, and has its etcd recovered.
func carryOut(ctx context.Context, o cli.Options, std cli.Streams, wanted recovery.Request) error {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, recovery.Verb, !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			wanted.Retry, wanted.Installer = formatRetry(o, wanted), newInstaller(o, opened)
			return recovery.Cluster{Cluster: opened}.RecoverEtcd(ctx, wanted, display{o.NewDisplay(std), o, opened.Spec.Cluster.ID, wanted.DryRun})
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

func formatRetry(o cli.Options, wanted recovery.Request) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // the verb has no such flags
	more := []string{"--from-member", wanted.From}
	for _, key := range wanted.HostKeys {
		more = append(more, "--host-key", key)
	}
	return o.FormatCommand(recovery.Verb, more...)
}
