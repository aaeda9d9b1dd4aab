package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

type emergencyFlags struct {
	options
	kubeconfig string // path of the emergency credentials
	invalidate bool
}

func newEmergencyCommand(std streams) *cobra.Command {
	var e emergencyFlags
	cmd := &cobra.Command{
		Use:   "emergency-access",
		Short: "Verify a cluster's emergency access, and then invalidate the kubeconfig that is valid for ten years",
		Long: `Verify a cluster's emergency access, and then invalidate the kubeconfig that is valid for ten years.

openshift-install leaves an administrator's kubeconfig that nobody can take back one by one. Once Project Syn runs, the
cluster makes emergency credentials of its own. This command proves that they let you in: with TLS verified, at this very
cluster, as an emergency account that may do everything. Only with --invalidate, and after a yes, it then takes the other
kubeconfig its power; if the emergency access does not work after that, everything is put back.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if e.options, err = bind(cmd, std); err != nil {
				return err
			}
			return e.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringVar(&e.kubeconfig, "kubeconfig", "", "the emergency credentials, as they were fetched")
	cmd.Flags().BoolVar(&e.invalidate, "invalidate", false, "invalidate the administrator's kubeconfig in the cluster's folder, after a yes")
	cmd.Flags().Bool("yes", false, "invalidate it without asking")
	addDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	return cmd
}

func (e emergencyFlags) run(ctx context.Context, std streams) error {
	if e.kubeconfig == "" {
		return exit.WithCode(exit.Usage, errors.New("name the file with the emergency credentials: --kubeconfig FILE"))
	}
	credentials, err := fileread.Text(e.kubeconfig, fileread.Small)
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the emergency credentials, which --kubeconfig names: %w", err))
	}
	folder, err := clusterdir.Find(e.dir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	cluster, leave, err := openCluster(ctx, std.host, folder)
	if err != nil {
		return toUsageError(err)
	}
	defer leave()
	return e.verify(ctx, std, folder, cluster, credentials)
}

// toUsageError marks invalid files and folders as usage errors.
func toUsageError(err error) error {
	if fault.Is(err, fault.Invalid) {
		return exit.WithCode(exit.Usage, err)
	}
	return err
}

func (e emergencyFlags) verify(ctx context.Context, std streams, folder state.Folder, cluster *openshift.Cluster, credentials []byte) error {
	verified, err := cluster.VerifyEmergency(ctx, credentials)
	if err != nil {
		return toUsageError(err)
	}
	fmt.Fprintf(std.out, "The emergency access works: %s, whose newest token was made on %s, may do everything.\n",
		console.SanitizeLine(verified.User), verified.TokenMade.UTC().Format(time.DateTime+" MST"))
	if !e.invalidate {
		fmt.Fprintf(std.out, "The administrator's kubeconfig still works, too, for ten years. To invalidate it, run this again with --invalidate.\n")
		return nil
	}
	return e.invalidateKubeconfig(ctx, std, folder, cluster, credentials)
}

// invalidateKubeconfig revokes the administrator's kubeconfig after a confirmation.
func (e emergencyFlags) invalidateKubeconfig(ctx context.Context, std streams, folder state.Folder, cluster *openshift.Cluster, credentials []byte) error {
	facts, err := folder.LoadFacts()
	if err != nil {
		return err
	}
	if facts.Syn.OnCall.IsZero() {
		fmt.Fprintln(std.out, "Alerts do not reach the people on call yet. Run the installation again first: it needs the kubeconfig that is to be invalid.")
	}
	if !e.yes {
		if !std.isTerminal() {
			return exit.WithCode(exit.Usage, errors.New("nothing was changed: give --yes to invalidate the administrator's kubeconfig"))
		}
		yes, err := promptYesNo(ctx, std, "\nInvalidate the administrator's kubeconfig? From then on only the emergency access and the cluster's own logins work.")
		if err != nil {
			return err
		}
		if !yes {
			return exit.WithCode(exit.Usage, errors.New("nothing was changed"))
		}
	}
	fmt.Fprintln(std.out, "Invalidating it, and watching until every API server refuses it: this takes some minutes.")
	if _, err := cluster.RevokeAdmin(ctx, credentials); err != nil {
		return err
	}
	fmt.Fprintln(std.out, "The administrator's kubeconfig is refused, and the emergency access works.")
	return recordInvalidated(folder)
}

// recordInvalidated records the time, and rewrites the hand-over page without the kubeconfig.
func recordInvalidated(folder state.Folder) error {
	facts, err := folder.LoadFacts()
	if err != nil || !facts.Syn.AdminInvalidated.IsZero() {
		return err
	}
	facts.Syn.AdminInvalidated = time.Now().UTC().Truncate(time.Second)
	if err := folder.SaveFacts(facts); err != nil {
		return err
	}
	spec, err := clusterdir.ReadAnswers(folder)
	if err != nil {
		return err
	}
	page, err := clusterdir.BuildHandover(folder, spec, true)
	if err != nil {
		return err
	}
	return folder.Write(state.HandoverFile, page.RenderMarkdown())
}

func openCluster(ctx context.Context, host *environment.Host, folder state.Folder) (cluster *openshift.Cluster, leave func(), err error) {
	const op = "reach the cluster"
	if _, err := clusterdir.ReadAnswers(folder); err != nil {
		return nil, nil, err
	}
	facts, err := folder.LoadFacts()
	switch {
	case err != nil:
		return nil, nil, err
	case facts.Rehearsal:
		return nil, nil, fault.Newf(fault.Invalid, op, "the cluster of %s was only rehearsed", folder.Path()).
			WithHint("nobody hands out emergency credentials of a simulated cluster: name the folder of a real one")
	case facts.Installed.IsZero():
		return nil, nil, fault.Newf(fault.Invalid, op, "the cluster of %s is not installed", folder.Path()).
			WithHint("emergency credentials are made once Project Syn runs: end the installation first")
	}
	net, err := host.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	cluster = openshift.NewCluster(net, run.Run{Folder: folder}.ReadKubeconfig)
	return cluster, cluster.Close, nil
}
