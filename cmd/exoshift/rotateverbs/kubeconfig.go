package rotateverbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/rotation"
	"exoshift/provisioner/install"
)

func newRotateKubeconfigCommand(std cli.Streams) *cobra.Command {
	var wanted rotation.Request
	cmd := &cobra.Command{
		Use:   "kubeconfig [ID]",
		Short: "Replace the administrator's kubeconfig, and have the old one refused",
		Long: `Replace the administrator's kubeconfig in the folder of a cluster, and have the old one refused.

openshift-install makes a kubeconfig that is valid for ten years, and cannot be revoked by itself: its signer has to be removed. This command
makes a kubeconfig of a new signer, whose key nobody keeps, has the API servers accept that beside the old one, proves it, and replaces the
file in the folder. A second access, by a token, is tested before the old signer is removed; with it, the old signer would be restored if the new
kubeconfig did not work any more. The command ends once every API server refuses the old kubeconfig.

Copies of the old kubeconfig stop working. Signers of other kubeconfigs stay. The same command goes on with a rotation that was interrupted.`,
		Example: `  exoshift rotate kubeconfig c-demo-1 --dry-run
  exoshift rotate kubeconfig c-demo-1 --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return rotateKubeconfig(cmd.Context(), o, std, wanted)
		},
	}
	addFlags(cmd, &wanted, "replace it without asking")
	return cmd
}

func rotateKubeconfig(ctx context.Context, o cli.Options, std cli.Streams, wanted rotation.Request) error {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, rotation.VerbKubeconfig, !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // this verb has no such flags
			wanted.Retry = o.FormatCommand(rotation.VerbKubeconfig)
			shown := display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun)}
			return rotation.Cluster{Cluster: opened}.RotateKubeconfig(ctx, wanted, shown)
		})
	})
}

// Bounds of the validity of kubeconfigs: the API issues no shorter ones, and whoever needs more can ask again.
const (
	minimumValidity = 10 * time.Minute
	maximumValidity = 7 * 24 * time.Hour
	defaultValidity = 8 * time.Hour
)

// NewKubeconfigCommand returns the verb `kubeconfig`.
func NewKubeconfigCommand(std cli.Streams) *cobra.Command {
	var validity time.Duration
	var out string
	cmd := &cobra.Command{
		Use:   "kubeconfig [ID]",
		Short: "Issue a kubeconfig that ends by itself",
		Long: `Issue a kubeconfig for an installed cluster that ends by itself, with all permissions.

It has a token of the service account exoshift-admin in the namespace kube-system, which is made with the first one. All of its tokens end at
once if that account is deleted: oc -n kube-system delete serviceaccount exoshift-admin.

It is written to the standard output, or to a new file that only you may read. When it ends is written to the standard error.`,
		Example:           `  exoshift kubeconfig c-demo-1 --expires-in 8h --out demo.kubeconfig`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			if validity < minimumValidity || validity > maximumValidity {
				return exit.WithCode(exit.Usage, fmt.Errorf("--expires-in %s: give a time from %s to %s", validity, minimumValidity, maximumValidity))
			}
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return issueKubeconfig(cmd.Context(), o, std, validity, out)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cmd.Flags().DurationVar(&validity, "expires-in", defaultValidity, "for how long it is valid, e.g. 30m or 8h")
	cmd.Flags().StringVar(&out, "out", "", "the file to write it to, which must not exist")
	return cmd
}

func issueKubeconfig(ctx context.Context, o cli.Options, std cli.Streams, validity time.Duration, out string) error {
	return cli.RunOnCluster(ctx, o, std, "kubeconfig", false, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, false, func(opened nodes.Cluster) error {
			access, err := rotation.Cluster{Cluster: opened}.IssueKubeconfig(ctx, validity)
			if err != nil {
				return err
			}
			if out == "" {
				_, err = std.Out.Write(access.Kubeconfig)
			} else {
				err = writeNew(out, access.Kubeconfig)
			}
			if err == nil {
				fmt.Fprintf(std.Err, "It is valid until %s.\n", access.Expires.UTC().Format("2006-01-02 15:04 MST"))
			}
			return err
		})
	})
}

// writeNew writes a file that only its owner may read.
func writeNew(path string, content []byte) error {
	file, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("--out: %w", err))
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
