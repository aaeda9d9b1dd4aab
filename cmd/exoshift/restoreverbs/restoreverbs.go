// Package restoreverbs has the verb `restore` with the one below it: restore objects of the API of an installed cluster from a backup.
package restoreverbs

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/nodes"
	"exoshift/internal/app/restore"
	"exoshift/provisioner/install"
)

// NewCommand returns the verb `restore`.
func NewCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "restore",
		Short:   "Restore objects of an installed cluster from a backup",
		Long:    "Restore objects of an installed cluster from a backup.",
		Example: "  exoshift restore objects c-demo-1 --from latest --kind configmap,secret --namespace shop --dry-run",
		RunE:    cli.RunGroup,
	}
	cmd.AddCommand(newObjectsCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newObjectsCommand(std cli.Streams) *cobra.Command {
	var wanted restore.Request
	cmd := &cobra.Command{
		Use:   "objects [ID] --from BACKUP --kind KIND --namespace NAMESPACE",
		Short: "Restore objects of the API, and show the difference first",
		Long: `Restore objects of the API, and show the difference first.

The objects are read from a backup of exoshift backup create, decrypted in memory by the identity of one of its recipients
(EXOSHIFT_AGE_IDENTITY), and compared with those of the cluster. After a yes, what differs is applied by server-side apply as the field
manager exoshift-restore, which takes over fields that others have changed. Values of Secrets are never printed. Nothing is deleted: an
object, or a field, that the backup does not have stays. The same command again does what is left.

Left to the cluster is what it makes itself, such as pods of a ReplicaSet. Refused, with exit code 3 after all else was applied, is what an
application of Argo CD applies, what would change an immutable field, and what belongs into a namespace that is being deleted.

Kinds are named as for kubectl: plural, singular, short, or with their group. Of kinds that are in namespaces, objects of --namespace are
restored; of the kind namespaces, those of these names.`,
		Example: `  exoshift restore objects c-demo-1 --from latest --kind configmap,secret --namespace shop --dry-run
  exoshift restore objects c-demo-1 --from 20270309T220000Z --kind ns,deploy,svc,cm --namespace shop
  exoshift restore objects -d rehearsal --from latest --kind crd --name backups.k8up.io --yes`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if err := checkRequest(wanted); err != nil {
				return exit.WithCode(exit.Usage, err)
			}
			return restoreObjects(cmd.Context(), o, std, wanted)
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cmd.Flags().StringVar(&wanted.From, "from", "", "`backup` by its name; latest is the newest one")
	cmd.Flags().StringSliceVar(&wanted.Selection.Kinds, "kind", nil, "`kinds` of objects, such as configmap or deployments.apps; may be repeated")
	cmd.Flags().StringSliceVar(&wanted.Selection.Namespaces, "namespace", nil, "`namespaces` of the objects; may be repeated")
	cmd.Flags().StringSliceVar(&wanted.Selection.Names, "name", nil, "`names` of the objects; may be repeated (default: all)")
	cli.AddYesFlag(cmd, "restore them without asking")
	cli.AddScreenFlags(cmd)
	cmd.Flags().BoolVar(&wanted.DryRun, "dry-run", false, "show the difference; change nothing")
	return cmd
}

func checkRequest(wanted restore.Request) error {
	switch {
	case wanted.From == "":
		return errors.New("say from which backup: --from NAME, or --from latest; exoshift backup list shows them")
	case len(wanted.Selection.Kinds) == 0:
		return errors.New("say which kinds of objects are restored, such as --kind configmap,secret")
	}
	return nil
}

func restoreObjects(ctx context.Context, o cli.Options, std cli.Streams, wanted restore.Request) error {
	wanted.Program = o.Program
	return cli.RunOnCluster(ctx, o, std, restore.Verb, !wanted.DryRun, func(ctx context.Context, o cli.Options) (err error) {
		if wanted.Identities, err = cli.ReadIdentities(ctx, o, std); err != nil {
			return err
		}
		return cli.WithCluster(ctx, o, !wanted.DryRun, func(opened nodes.Cluster) error {
			wanted.Retry = func(from string) string { return formatRetry(o, from, wanted) }
			return restore.Cluster{Cluster: opened}.RestoreObjects(ctx, wanted, display{cli.NewVerbDisplay(o, std, opened.Spec.Cluster.ID, wanted.DryRun), opened.Now})
		})
	})
}

// formatRetry returns the command that goes on with a restoration, from the backup that was chosen.
func formatRetry(o cli.Options, from string, wanted restore.Request) string {
	o.WaitForDNS, o.BootstrapAccess = install.DefaultWaitForDNS, true // this verb has no such flags
	words := []string{"--from", from, "--kind", strings.Join(wanted.Selection.Kinds, ",")}
	if len(wanted.Selection.Namespaces) > 0 {
		words = append(words, "--namespace", strings.Join(wanted.Selection.Namespaces, ","))
	}
	if len(wanted.Selection.Names) > 0 {
		words = append(words, "--name", strings.Join(wanted.Selection.Names, ","))
	}
	return o.FormatCommand(restore.Verb, words...)
}
