// Package rotateverbs has the verb `rotate`, with those below it, and `kubeconfig`: credentials of an installed cluster.
package rotateverbs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/rotation"
	"exoshift/provisioner/install"
	engine "exoshift/provisioner/rotation"
)

// NewCommand returns the verb `rotate`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rotate",
		Short:   "Replace credentials of an installed cluster, without a moment without valid ones",
		Long:    "Replace credentials of an installed cluster, without a moment without valid ones.",
		Example: "  exoshift rotate api-keys all --dry-run\n  exoshift rotate api-keys ccm --yes\n  exoshift rotate kubeconfig --dry-run",
		RunE:    cli.RunGroup,
	}
	cmd.AddCommand(newKeysCommand(std), newRotateKubeconfigCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

// all stands for all kinds of keys.
const all = "all"

// names are the kinds of keys that can be named.
func names() []string { return append(engine.ListKinds(), all) }

func newKeysCommand(std cli.Streams) *cobra.Command {
	var wanted rotation.Request
	cmd := &cobra.Command{
		Use:   "api-keys [ccm|csi|registry|backup|all]... [ID]",
		Short: "Replace the API keys that the cluster itself uses",
		Long: `Replace the API keys that the cluster itself uses: of the cloud controller (ccm), of the driver for block storage (csi), and of the
object storage, which the image registry and backups share (registry, backup). all is the default.

For each key, one after the other: a new key with the same IAM role is put into every Secret that has the old one, what reads it is restarted, and
the use of the new key is proven: by a load balancer that the cloud controller makes for a Service without endpoints, by a volume of 1 GiB that the
driver attaches to a node, by an object in each bucket and the operator of the image registry. What that makes is deleted again. Only then is the
old key deleted, by its ID.

Refused are a key in a Secret that is not ours, a cluster whose operators are not well, and credentials that may not create and delete API keys.
The same command goes on with a rotation that was interrupted.`,
		Example: `  exoshift rotate api-keys --dry-run
  exoshift rotate api-keys ccm csi c-demo-1 --yes`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeKinds(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkArguments(cmd, args); err != nil {
				return exit.WithCode(exit.Usage, err)
			}
			kinds, left := parseKinds(args)
			o, err := cli.BindCluster(cmd, left, std)
			switch {
			case err != nil && o.State == nil && len(left) > 0:
				return fmt.Errorf("%s: not one of the keys %s, and %w", left[0], strings.Join(names(), ", "), err)
			case err != nil:
				return err
			}
			wanted.Kinds = kinds
			return rotateKeys(cmd.Context(), o, std, wanted)
		},
	}
	addFlags(cmd, &wanted, "replace them without asking")
	return cmd
}

func addFlags(cmd *cobra.Command, wanted *rotation.Request, yes string) {
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, yes)
	cli.AddScreenFlags(cmd)
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show what would be changed; change nothing")
}

// parseKinds returns the kinds of keys among the arguments, none for all, and what is left: the ID of a cluster.
func parseKinds(args []string) (kinds, left []string) {
	for _, arg := range args {
		switch {
		case !slices.Contains(names(), arg):
			left = append(left, arg)
		case !slices.Contains(kinds, arg):
			kinds = append(kinds, arg)
		}
	}
	if slices.Contains(kinds, all) {
		kinds = nil
	}
	return kinds, left
}

// checkArguments requires at most one word that is no kind of keys: the ID of a cluster, unless --dir names that.
func checkArguments(cmd *cobra.Command, args []string) error {
	_, left := parseKinds(args)
	most := 1
	if cmd.Flags().Changed("dir") {
		most = 0
	}
	if len(left) <= most {
		return nil
	}
	return fmt.Errorf("%s: not one of the keys %s, which may be followed by the ID of a cluster unless --dir names its folder", left[0], strings.Join(names(), ", "))
}

func completeKinds(std cli.Streams) cobra.CompletionFunc {
	clusters := cli.CompleteClusters(std)
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := clusters(cmd, nil, begun)
		for _, name := range names() {
			if !slices.Contains(args, name) && strings.HasPrefix(name, begun) {
				found = append(found, name)
			}
		}
		return found, directive
	}
}

func rotateKeys(ctx context.Context, o cli.Options, std cli.Streams, wanted rotation.Request) error {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, rotation.VerbKeys, !wanted.DryRun, func(ctx context.Context, o cli.Options) error {
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			wanted.Retry = formatRetry(o, wanted)
			shown := display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun)}
			return rotation.Cluster{Cluster: opened}.RotateKeys(ctx, wanted, shown)
		})
	})
}

// formatRetry returns the command that goes on with a rotation.
func formatRetry(o cli.Options, wanted rotation.Request) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // these verbs have no such flags
	return o.FormatCommand(rotation.VerbKeys, wanted.Kinds...)
}
