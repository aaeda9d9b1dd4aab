package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/console"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

func installCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install a cluster, or go on with an installation that was stopped",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			return installCluster(cmd, o, std)
		},
	}
	addAnswersFlag(cmd, "the answers file")
	addDirFlag(cmd, "the cluster's folder (default $XDG_STATE_HOME/exoshift/<cluster id>)")
	cmd.Flags().Bool("yes", false, "create what the plan says without asking")
	addScreenFlags(cmd)
	addAccessibleFlag(cmd)
	waitFlag(cmd)
	releaseFlags(cmd)
	addHostKeysFlag(cmd)
	addRenewFlag(cmd)
	newKeyFlag(cmd)
	addCatalogFlag(cmd)
	addBootstrapAccessFlag(cmd)
	return cmd
}

func installCluster(cmd *cobra.Command, o options, std streams) error {
	if o.answers == "" {
		return installInteractive(cmd.Context(), o, std)
	}
	read, err := o.readAnswers(std, environment.LookupEnv)
	if err != nil {
		return err
	}
	return installAnswered(cmd.Context(), o, std, read)
}

// installAnswered asks for missing answers, if the run is interactive.
func installAnswered(ctx context.Context, o options, std streams, read loaded) error {
	switch {
	case len(read.needs) == 0:
		return installAs(ctx, o, std, read.answers.Spec, read.secrets)
	case !o.output.isInteractive():
		return read.complete(std)
	}
	d := &startScreen{flags: o, std: std, frontend: o.output.newFrontend(std), open: func(ctx context.Context) (*interviewBackend, error) {
		return newPartialInterview(ctx, o, read)
	}}
	return d.run(ctx)
}

func installAs(ctx context.Context, o options, std streams, spec state.Spec, secrets wizard.Secrets) error {
	if err := compareWithFlags(o, spec, std); err != nil {
		return err
	}
	if err := confirmPlan(ctx, &o, spec, secrets, std); err != nil {
		return err
	}
	folder, err := clusterdir.CreateFor(o.dir, spec)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := newLiveRun(ctx, o, spec, secrets, folder)
	if err != nil {
		return err
	}
	return s.Install(ctx, o.newDisplay(std))
}

// compareAnswers reports which answers differ from those of the folder's cluster, and refuses changes that no installation
// applies.
func compareAnswers(folder state.Folder, spec state.Spec, std streams) error {
	answers, err := changes.Compare(folder, spec)
	if err != nil || len(answers) == 0 {
		return err
	}
	console.PrintAnswerChanges(std.err, answers)
	return changes.CheckRefused(answers)
}

func compareWithFlags(o options, spec state.Spec, std streams) error {
	dir := o.dir
	if dir == "" {
		var err error
		if dir, err = clusterdir.DefaultPath(spec.Cluster.ID); err != nil {
			return err
		}
	}
	folder, err := state.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	return compareAnswers(folder, spec, std)
}

// confirmPlan asks for confirmation before anything is created; without a terminal --yes is required.
func confirmPlan(ctx context.Context, o *options, spec state.Spec, secrets wizard.Secrets, std streams) error {
	if o.yes {
		return nil
	}
	s, leave, err := run.OpenPreview(ctx, o.host, o.dir, o.runOptions(), spec, secrets)
	if err != nil {
		return err
	}
	defer func() { _ = leave() }() // it is read-only
	if err := promptRenewal(ctx, s.Folder, o, std); err != nil {
		return err
	}
	s.Access.SetLinkPrinter(std.linkPrinter())
	preview, err := s.Preview(ctx)
	if err != nil {
		return err
	}
	if !o.output.isInteractive() {
		console.PrintPlan(std.err, spec, preview)
		if err := changes.CheckPlan(preview); err != nil {
			return err
		}
		return exit.WithCode(exit.Usage, errors.New("nothing was created: give --yes to create what the plan says"))
	}
	console.PrintPlan(o.output.wrapWriter(std.out), spec, preview)
	if err := changes.CheckPlan(preview); err != nil {
		return err
	}
	yes, err := promptYesNo(ctx, std, "\nCreate this? It costs money from then on.")
	if err == nil && !yes {
		err = exit.WithCode(exit.Usage, errors.New("nothing was created"))
	}
	return err
}

func promptYesNo(ctx context.Context, std streams, question string) (yes bool, err error) {
	fmt.Fprint(std.out, question+" [y/N] ")
	answer, err := std.readLine(ctx)
	if err != nil {
		return false, fmt.Errorf("nothing was created: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

func resumeCommand(verb string, o options, more ...string) string {
	words := []string{"exoshift", verb}
	if o.answers != "" {
		words = append(words, "--answers", o.answers)
	}
	for _, assignment := range o.set {
		words = append(words, "--set", assignment)
	}
	if o.dir != "" {
		words = append(words, "--dir", o.dir)
	}
	if o.yes {
		words = append(words, "--yes")
	}
	if o.output == outputAccessible {
		words = append(words, "--accessible")
	}
	if o.waitForDNS != install.DefaultWaitForDNS {
		words = append(words, "--wait-for-dns", o.waitForDNS.String())
	}
	if o.installer != "" {
		words = append(words, "--openshift-install", o.installer)
	}
	if o.releaseKey != "" {
		words = append(words, "--release-key", o.releaseKey)
	}
	if o.hostKeysFile != "" {
		words = append(words, "--"+hostKeysName, o.hostKeysFile)
	}
	if o.renew {
		words = append(words, "--renew-certificates")
	}
	if !o.bootstrapAccess {
		words = append(words, "--look-inside=false")
	}
	return shellescape.QuoteCommand(append(words, more...))
}

// promptRenewal asks whether to replace expired certificates, with which no cluster can be started. Without a terminal, or
// after a no, the run continues: the cluster may be running already. The installation checks that, and else fails with the
// name of the flag.
func promptRenewal(ctx context.Context, folder state.Folder, o *options, std streams) error {
	facts, err := folder.LoadFacts()
	if err != nil {
		return err
	}
	ended := !facts.IgnitionExpires.IsZero() && time.Now().After(facts.IgnitionExpires)
	if !o.output.isInteractive() || !ended || !facts.BootstrapRemoved.IsZero() {
		return nil
	}
	fmt.Fprintf(std.out, "The certificates that this cluster was to be started with ended at %s.\n"+
		"New ones are generated only together with the bootstrap machine and the nodes that hold the\n"+
		"old ones: these are deleted and started anew. Network, DNS, load balancers, image and buckets stay.\n"+
		"A cluster that lives already needs none.\n",
		facts.IgnitionExpires.UTC().Format("2006-01-02 15:04 MST"))
	if o.renew {
		return nil
	}
	o.renew, err = promptYesNo(ctx, std, "Replace them?")
	return err
}
