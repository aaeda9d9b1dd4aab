// Package upgradeverb has the verb `upgrade`, which lists what a cluster can be updated to, and updates it.
package upgradeverb

import (
	"context"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/upgrade"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/install"
)

// NewCommand returns the verb.
func NewCommand(std cli.Streams) *cobra.Command {
	var wanted upgrade.Request
	cmd := &cobra.Command{
		Use:   "upgrade [ID]",
		Short: "List the updates of a cluster, or update it to another release of OpenShift",
		Long: `List the updates of a cluster, or update it to another release of OpenShift.

Without --to and --channel, it lists what the cluster can be updated to, by the channel that it follows. An update that is not recommended
to the cluster is listed with the risks, and is refused without --allow-not-recommended. --channel alone sets the channel, waits for its list and prints that.

With --to, it shows whether what has to hold does hold: etcd, operators, machine config pools, Ceph, certificates, alerts, a backup of etcd. A
backup by exoshift backup create of the last 24 hours is used, and otherwise one is made first; --etcd-backup names one by
cluster-backup.sh, and --without-backup does without. Refused are a way back, a skipped minor version, a release that is not in the list,
and an update while another one goes on. For an update to another minor version, OpenShift may ask administrators to acknowledge something:
each key has to be given with --acknowledge, after the APIs in use that will be removed were shown. The checks of OpenShift itself are never skipped.

With --canary POOL, all other machine config pools but that of the masters are paused; once the nodes of POOL have the release and are
well, the others follow one by one. With --pause-pools, the update ends with the masters, and the same command without it goes on. Paused
pools get no new certificates either, so do not leave them for weeks. Until the update is requested, a failure or Ctrl-C ends the pauses;
from then on, the same command goes on.

A cluster of Project Syn is updated by its own upgrade controller, in the windows of its UpgradeConfigs, to the newest release that its channel
recommends. There, this verb shows the windows, and changes the configuration of the tenant instead: --channel and --to set the channel,
--suspend and --resume suspend the UpgradeConfigs or end that, which --to does, too. The change is shown as a difference, committed
and pushed, and waited for until the cluster has it. Nothing else is changed.`,
		Example: `  exoshift upgrade c-demo-1
  exoshift upgrade c-demo-1 --channel stable-4.21
  exoshift upgrade c-demo-1 --to 4.20.99 --dry-run
  exoshift upgrade c-demo-1 --to 4.20.99 --canary canary --without-backup --yes
  exoshift upgrade c-syn-1 --to 4.21.99 --dry-run
  exoshift upgrade c-syn-1 --suspend`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if err := upgrade.CheckRequest(wanted); err != nil {
				return err
			}
			return carryOut(cmd.Context(), o, std, wanted)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, "update it without asking")
	cli.AddScreenFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&wanted.To, "to", "", "the release to update to, such as 4.20.99")
	flags.StringVar(&wanted.Channel, "channel", "", "the channel to follow from now on, such as stable-4.21")
	flags.BoolVar(&wanted.AllowNotRecommended, "allow-not-recommended", false, "also update to a release that is not recommended to this cluster")
	flags.StringArrayVar(&wanted.Acknowledge, "acknowledge", nil, "a key that OpenShift asks administrators to acknowledge (can be given several times)")
	flags.StringVar(&wanted.Canary, "canary", "", "the machine config pool that is updated before all others but the masters")
	flags.BoolVar(&wanted.PausePools, "pause-pools", false, "end once the masters have the release; the other pools stay paused")
	flags.StringVar(&wanted.Backup.Folder, "etcd-backup", "", "the folder with the backup of etcd by cluster-backup.sh")
	flags.BoolVar(&wanted.Backup.Without, "without-backup", false, "update it without a backup of etcd")
	flags.BoolVar(&wanted.Suspend, "suspend", false, "with Project Syn: suspend the UpgradeConfigs, so that no window updates the cluster")
	flags.BoolVar(&wanted.Resume, "resume", false, "with Project Syn: end the suspension of the UpgradeConfigs")
	flags.BoolVar(&wanted.DryRun, "dry-run", false, "show what has to hold and what would be changed; change nothing")
	return cmd
}

// carryOut opens the cluster, for itself alone if it is changed.
func carryOut(ctx context.Context, o cli.Options, std cli.Streams, wanted upgrade.Request) error {
	wanted.Program = o.Program
	changes := wanted.Changes() && !wanted.DryRun
	return cli.RunOnCluster(ctx, o, std, upgrade.Verb, changes, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, changes, func(opened nodes.Cluster) error {
			wanted.Retry = formatRetry(o, wanted)
			if cluster := (upgrade.Cluster{Cluster: opened}); cluster.IsManaged() {
				return cluster.RunManaged(ctx, wanted, newInstaller(o, opened), managedDisplay{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun)})
			}
			wanted.ReadKeys = func(ctx context.Context) (backup.Keys, error) { return cli.ReadBackupKeys(ctx, o, std, nil) }
			return upgrade.Cluster{Cluster: opened}.Run(ctx, wanted, display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun)})
		})
	})
}

func newInstaller(o cli.Options, cluster nodes.Cluster) nodes.Installer {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // this verb has no such flags
	if o.State == nil {
		o.Dir = cluster.Folder.Path()
	}
	return nodes.Installer{OpenRun: o.OpenRun, Options: o.RunOptions()}
}

// formatRetry leaves --pause-pools out, which is what the same command ends.
func formatRetry(o cli.Options, wanted upgrade.Request) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // this verb has no such flags
	var more []string
	add := func(flag, value string) {
		if value != "" {
			more = append(more, flag, value)
		}
	}
	add("--to", wanted.To)
	add("--channel", wanted.Channel)
	if wanted.AllowNotRecommended {
		more = append(more, "--allow-not-recommended")
	}
	for _, key := range wanted.Acknowledge {
		add("--acknowledge", key)
	}
	add("--canary", wanted.Canary)
	add("--etcd-backup", wanted.Backup.Folder)
	for flag, set := range map[string]bool{"--without-backup": wanted.Backup.Without, "--suspend": wanted.Suspend, "--resume": wanted.Resume} {
		if set {
			more = append(more, flag) // at most one of them
		}
	}
	return o.FormatCommand(upgrade.Verb, more...)
}
