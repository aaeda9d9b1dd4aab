package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/app/teardown"
	"exoshift/internal/console"
	"exoshift/internal/verify"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/generation"
	"exoshift/provisioner/openshift/release/installdir"
	"exoshift/state"
)

func verifyCommand(std cli.Streams) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify [ID]",
		Short: "Check a cluster's folder, and repair it",
		Long: `Check a cluster's folder, and repair it.

The command checks modes, owners and checksums, whether facts, journal, events and answers agree, and whether keys are left
that are no longer needed. With --repair, it repairs the folder from its other files, or from the cloud by the steps of an
installation; this needs the credentials, and a sign-in if the cluster is connected to Project Syn. Damaged files are kept
under another name. Nothing is changed in the cloud. Objects without proof that they belong to this cluster are not adopted,
but reported with the next step. The exit code is 3 if problems are found, or remain.`,
		Example: `  exoshift verify c-demo-1
  exoshift verify -d ~/.local/state/exoshift/c-demo-1
  exoshift verify -d ~/.local/state/exoshift/c-demo-1 --repair`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "verify", repair, func(ctx context.Context, o cli.Options) error { return verifyFolder(ctx, o, repair, std) })
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what can be repaired")
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func verifyFolder(ctx context.Context, o cli.Options, repair bool, std cli.Streams) error {
	folder, err := clusterdir.Find(o.Dir)
	if err != nil {
		return err
	}
	var report verify.Report
	if repair {
		report, err = repairFolder(ctx, o, folder, std)
	} else {
		report, err = verify.Check(folder, installdir.Read)
	}
	var held *state.LockedError
	if errors.As(err, &held) {
		return err
	}
	place := cmp.Or(o.FormatShared(), folder.Path())
	if o.Output.IsJSON() {
		err = errors.Join(err, console.WriteVerificationJSON(std.Out, place, report))
	} else {
		console.PrintVerification(std.Out, place, report, repair)
	}
	if err == nil && !report.IsSound() {
		err = exit.MarkPrinted(exit.WithCode(exit.Answers, errors.New("the folder has problems")))
	}
	return err
}

func repairFolder(ctx context.Context, o cli.Options, folder state.Folder, std cli.Streams) (verify.Report, error) {
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return verify.Report{}, err
	}
	defer unlock()
	return verify.Repairer{
		Read: installdir.Read, Now: time.Now,
		Strip: func(spec state.Spec) error { return generation.RemoveBootstrapSecrets(spec, folder, installdir.Strip) },
		Recover: func(ctx context.Context, spec state.Spec, known state.Facts) (install.Recovered, error) {
			return recoverFacts(ctx, o, teardown.Cluster{Spec: spec, Folder: folder, HasFolder: true, Facts: known}, std)
		},
	}.Repair(ctx, folder)
}

// recoverFacts looks up missing facts in the cluster's zone. Only a rehearsal has its zone beside its folder.
func recoverFacts(ctx context.Context, o cli.Options, s teardown.Cluster, std cli.Streams) (recovered install.Recovered, err error) {
	if _, err := os.Stat(s.Folder.Path() + environment.ZoneSuffix); err == nil {
		s.Facts.Rehearsal = true
	}
	if s.Secrets, err = readCredentials(s, std); err != nil {
		return recovered, err
	}
	around, err := environment.OpenDeps(ctx, std.Host, s.Folder, s.Facts.Rehearsal, s.Spec, s.Secrets)
	if err != nil {
		return recovered, err
	}
	defer func() { err = errors.Join(err, around.Close()) }()
	around.Access.SetLinkPrinter(std.LinkPrinter())
	looked := run.Run{Spec: s.Spec, Secrets: s.Secrets, Folder: s.Folder, Net: around.Net, Access: around.Access, Options: o.RunOptions()}
	return looked.Recover(ctx, s.Facts)
}
