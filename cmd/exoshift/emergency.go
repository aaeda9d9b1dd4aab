package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/emergency"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
)

type emergencyFlags struct {
	cli.Options
	kubeconfig string // path of the emergency credentials
	invalidate bool
}

func newEmergencyCommand(std cli.Streams) *cobra.Command {
	var e emergencyFlags
	cmd := &cobra.Command{
		Use:   "emergency-access [ID]",
		Short: "Verify emergency access, and invalidate the installer's kubeconfig",
		Long: `Verify the emergency access of a cluster, and invalidate the kubeconfig of openshift-install, which is valid for ten years.

openshift-install creates an administrator kubeconfig that cannot be revoked individually. With Project Syn, the cluster
creates emergency credentials. This command verifies that they give access to this cluster, with TLS verified, as an
emergency account with all permissions. With --invalidate, and after a confirmation, it then invalidates the other
kubeconfig; if the emergency access does not work after that, the change is reverted.`,
		Example: `  exoshift emergency-access -d ~/.local/state/exoshift/c-demo-1 --kubeconfig emergency.kubeconfig
  exoshift emergency-access -d ~/.local/state/exoshift/c-demo-1 --kubeconfig emergency.kubeconfig --invalidate`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "emergency-access", e.invalidate, func(ctx context.Context, o cli.Options) error {
				e.Options = o
				return e.run(ctx, std)
			})
		},
	}
	cmd.Flags().StringVar(&e.kubeconfig, "kubeconfig", "", "file with the emergency credentials")
	cmd.Flags().BoolVar(&e.invalidate, "invalidate", false, "invalidate the administrator's kubeconfig in the cluster's folder, after a confirmation")
	cli.AddYesFlag(cmd, "invalidate it without a prompt")
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	return cmd
}

func (e emergencyFlags) run(ctx context.Context, std cli.Streams) error {
	if e.kubeconfig == "" {
		return exit.WithCode(exit.Usage, errors.New("--kubeconfig FILE is required: the file with the emergency credentials"))
	}
	access, err := emergency.Open(ctx, std.Host, e.Dir, e.kubeconfig)
	if err != nil {
		return err
	}
	defer access.Close()
	return e.verify(ctx, std, access)
}

func (e emergencyFlags) verify(ctx context.Context, std cli.Streams, access emergency.Access) error {
	verified, err := access.Verify(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "The emergency access works: %s has all permissions; its newest token is of %s.\n",
		console.SanitizeLine(verified.User), verified.TokenMade.UTC().Format(time.DateTime+" MST"))
	if !e.invalidate {
		fmt.Fprintf(std.Out, "The administrator's kubeconfig is still valid, for ten years. To invalidate it, run this command again with --invalidate.\n")
		return nil
	}
	return e.invalidateKubeconfig(ctx, std, access)
}

// invalidateKubeconfig revokes the administrator's kubeconfig after a confirmation.
func (e emergencyFlags) invalidateKubeconfig(ctx context.Context, std cli.Streams, access emergency.Access) error {
	alerting, err := access.AreAlertsRouted()
	if err != nil {
		return err
	}
	if !alerting {
		fmt.Fprintln(std.Out, "Alerts are not routed to on-call yet. Run the installation again first: it needs the kubeconfig that would be invalidated.")
	}
	if !e.Yes {
		if !std.IsTerminal() {
			return exit.WithCode(exit.Usage, errors.New("nothing was changed: use --yes to invalidate the administrator's kubeconfig"))
		}
		yes, err := promptYesNo(ctx, std, "\nInvalidate the administrator's kubeconfig? Afterwards only the emergency access and the cluster's own logins work.")
		if err != nil {
			return err
		}
		if !yes {
			return exit.WithCode(exit.Usage, errors.New("nothing was changed"))
		}
	}
	fmt.Fprintln(std.Out, "Invalidating it and waiting until every API server rejects it; this takes a few minutes.")
	if err := access.Revoke(ctx); err != nil {
		return err
	}
	fmt.Fprintln(std.Out, "The administrator's kubeconfig is rejected, and the emergency access works.")
	return access.RecordInvalidated()
}
