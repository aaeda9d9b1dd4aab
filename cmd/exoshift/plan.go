package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
	"exoshift/wizard"
)

func newPlanCommand(std streams) *cobra.Command {
	var expectNoChange bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what is there and what an installation would create, change or delete; nothing is changed",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			changes, preview, err := showPlan(cmd.Context(), o, std)
			if err != nil {
				return err
			}
			if !expectNoChange {
				return nil
			}
			return checkUnchanged(changes, preview)
		},
	}
	addAnswersFlag(cmd, "the answers file")
	addCatalogFlag(cmd)
	addDirFlag(cmd, "the cluster's folder (default $XDG_STATE_HOME/exoshift/<cluster id>)")
	cmd.Flags().BoolVar(&expectNoChange, "expect-no-change", false, "fail if anything would be created, changed or deleted")
	addOutputFlag(cmd, "how to show it", outputPlain, outputJSON)
	return cmd
}

// checkUnchanged returns an error if anything would change or be refused, or is unknown.
func checkUnchanged(changes []answerChange, preview install.Preview) error {
	pending, refused := len(preview.ListPending()), countRefused(changes, preview)
	switch {
	case refused > 0:
		return exit.WithCode(exit.Checks, fmt.Errorf("%d answers and machines differ that an installation does not change, and no change was expected", refused))
	case pending > 0:
		return exit.WithCode(exit.Checks, fmt.Errorf("%d objects would be created, changed or deleted, and no change was expected", pending))
	case len(preview.Unseen) > 0:
		return fault.Newf(fault.Waiting, "expect no change", "not everything could be looked at: %s", strings.Join(preview.Unseen, "; ")).
			WithHint("run this where somebody can sign in, or set COMMODORE_API_TOKEN and VAULT_TOKEN")
	}
	return nil
}

func countRefused(changes []answerChange, preview install.Preview) int {
	count := len(preview.Differences)
	for _, change := range changes {
		if change.refused {
			count++
		}
	}
	if preview.Refusal != nil && len(preview.Differences) == 0 {
		count++
	}
	return count
}

// checkPlan returns the error that the installation would end with.
func checkPlan(preview install.Preview) error {
	if preview.Refusal == nil {
		return nil
	}
	return &provisioner.StepError{Step: provisioner.Step{ID: "plan", Phase: install.Preflight}, Err: preview.Refusal}
}

func showPlan(ctx context.Context, o options, std streams) (changes []answerChange, preview install.Preview, err error) {
	read, err := o.loadAnswers(std, environment.LookupEnv)
	if err != nil {
		return nil, preview, err
	}
	spec := read.answers.Spec
	s, leave, err := openPreviewSession(ctx, o, spec, read.secrets)
	if err != nil {
		return nil, preview, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	s.access.SetLinkPrinter(std.linkPrinter())
	if changes, err = compareWithFolder(s.folder, spec); err != nil {
		return changes, preview, err
	}
	if preview, err = s.previewInstallation(ctx); err != nil {
		return changes, preview, err
	}
	if o.output.isJSON() {
		return changes, preview, printPlanJSON(std.out, changes, preview)
	}
	if len(changes) > 0 {
		printAnswerChanges(std.out, changes)
		fmt.Fprintln(std.out)
	}
	printPlan(std.out, spec, preview)
	return changes, preview, nil
}

// openPreviewSession uses read-only clients and a folder that may not exist yet.
func openPreviewSession(ctx context.Context, o options, spec state.Spec, secrets wizard.Secrets) (s session, leave func() error, err error) {
	if o.dir == "" {
		if o.dir, err = defaultPath(spec.Cluster.ID); err != nil {
			return s, nil, err
		}
	}
	folder, err := state.OpenReadOnly(o.dir)
	if err != nil {
		return s, nil, err
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return s, nil, err
	}
	if facts.ClusterID != "" && facts.ClusterID != spec.Cluster.ID {
		return s, nil, exit.WithCode(exit.Usage, fmt.Errorf("%s belongs to cluster %s, the answers are for %s; name another folder with --dir", o.dir, facts.ClusterID, spec.Cluster.ID))
	}
	around, err := environment.OpenDeps(ctx, folder, facts.Rehearsal, spec, secrets)
	return session{spec: spec, secrets: secrets, folder: folder, net: around.Net, access: around.Access, options: o}, around.Close, err
}

func (s session) previewInstallation(ctx context.Context) (install.Preview, error) {
	world, disconnect, err := s.openClients(discardJournal{}, func(string) {})
	if err != nil {
		return install.Preview{}, err
	}
	defer disconnect()
	installation, err := install.New(s.spec, s.newRecipe(), s.folder, world.readOnly())
	if err != nil {
		return install.Preview{}, err
	}
	preview, err := installation.Preview(ctx)
	if err != nil {
		err = &provisioner.StepError{Step: provisioner.Step{ID: "plan", Phase: install.Preflight}, Err: err}
	}
	return preview, err
}

func printPlan(w io.Writer, spec state.Spec, preview install.Preview) {
	fmt.Fprintf(w, "Cluster %s in %s: OpenShift %s at %s\n", spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, spec.Domain())
	printChanges(w, "CREATE", with(preview, state.Created))
	printChanges(w, "CHANGE", with(preview, state.Updated))
	printChanges(w, "DELETE", with(preview, state.Deleted))
	printChanges(w, "THERE", with(preview, state.Found))
	surplus := slices.DeleteFunc(slices.Clone(preview.Surplus), func(c install.Change) bool { return c.Kind == state.KindInstance })
	printChanges(w, "THERE, BUT NOT IN THE ANSWERS: left alone", surplus)
	printDifferences(w, preview)
	printDifference(w, preview.Difference)
	for _, unseen := range preview.Unseen {
		fmt.Fprintf(w, "\nNOT LOOKED AT: %s\n", console.SanitizeLine(unseen))
	}
	printQuotas(w, preview.Quotas)
	fmt.Fprintf(w, "\nThe cluster %s.\n", preview.Cost)
	fmt.Fprintf(w, "%d to create, %d to change, %d to delete, %d as they should be.\n", len(with(preview, state.Created)),
		len(with(preview, state.Updated)), len(with(preview, state.Deleted)), len(with(preview, state.Found)))
}

func printChanges(w io.Writer, title string, changes []install.Change) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, change := range changes {
		line := "  " + change.Kind + "\t" + change.Name
		if change.Details != "" {
			line += "\t" + change.Details
		}
		fmt.Fprintln(table, line)
	}
	_ = table.Flush() // errors of the writer are ignored
}

func printDifferences(w io.Writer, preview install.Preview) {
	if len(preview.Differences) > 0 {
		fmt.Fprint(w, "\nDIFFERS FROM THE ANSWERS: not changed by an installation\n")
	}
	for _, difference := range preview.Differences {
		fmt.Fprintf(w, "  instance %s: %s\n", console.SanitizeLine(difference.Name), console.SanitizeLine(difference.Reason))
		for _, line := range difference.Do {
			fmt.Fprintln(w, "      "+console.SanitizeLine(line))
		}
	}
	if preview.Refusal != nil && len(preview.Differences) == 0 {
		fmt.Fprintf(w, "\nREFUSED: %s\n  %s\n", console.SanitizeLine(preview.Refusal.Error()), console.SanitizeLine(fault.HintOf(preview.Refusal)))
	}
}

func printDifference(w io.Writer, difference state.Difference) {
	if difference.Unified == "" {
		return
	}
	fmt.Fprintf(w, "\nCHANGES OF %s in %s\n", console.SanitizeLine(difference.File), console.SanitizeLine(difference.Repository))
	for line := range strings.SplitSeq(text.SanitizeDiff(difference.Unified), "\n") {
		fmt.Fprintln(w, "  "+line)
	}
}

func printQuotas(w io.Writer, quotas []preflight.QuotaCheck) {
	if len(quotas) == 0 {
		return
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "QUOTA\tNEEDS\tIN USE\tLIMIT\tAFTERWARDS")
	for _, quota := range quotas {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%s\t%d%s\n", quota.Resource, quota.Need, quota.Used, limitText(quota), quota.After, formatQuotaWarning(quota))
	}
	_ = table.Flush() // errors of the writer are ignored
}

func with(preview install.Preview, action state.Action) []install.Change {
	var chosen []install.Change
	for _, change := range preview.Changes {
		if change.Action == action {
			chosen = append(chosen, change)
		}
	}
	return chosen
}

func limitText(quota preflight.QuotaCheck) string {
	if quota.Limit < 0 {
		return "none"
	}
	return fmt.Sprint(quota.Limit)
}

func formatQuotaWarning(quota preflight.QuotaCheck) string {
	if quota.Sufficient {
		return ""
	}
	return "  TOO MANY"
}

type (
	// Lines of a plan in JSON: one for each object, one for each quota, and the sums last.

	objectLine struct {
		Type    string `json:"type"`   // object
		Action  string `json:"action"` // create, update, delete, none, or surplus for objects that the answers do not include
		Kind    string `json:"kind"`
		Name    string `json:"name"`
		ID      string `json:"id,omitempty"`
		Details string `json:"details,omitempty"`
	}
	quotaLine struct {
		Type string `json:"type"` // quota
		preflight.QuotaCheck
	}
	answerLine struct {
		Type    string   `json:"type"` // answer
		Key     string   `json:"key"`
		Before  string   `json:"before"`
		After   string   `json:"after"`
		Effect  string   `json:"effect"`
		Refused bool     `json:"refused"`
		Do      []string `json:"do,omitzero"` // manual steps instead
	}
	machineLine struct {
		Type   string   `json:"type"` // machine
		Name   string   `json:"name"`
		ID     string   `json:"id"`
		Reason string   `json:"reason"` // how it differs from the answers
		Do     []string `json:"do,omitzero"`
	}
	differenceLine struct {
		Type       string `json:"type"` // difference
		Repository string `json:"repository"`
		File       string `json:"file"`
		Unified    string `json:"unified"`
	}
	planLine struct {
		Type    string         `json:"type"` // plan
		Create  int            `json:"create"`
		Update  int            `json:"update"`
		Delete  int            `json:"delete"`
		None    int            `json:"none"`
		Surplus int            `json:"surplus"`
		Cost    preflight.Cost `json:"cost"`
		Unseen  []string       `json:"unseen,omitzero"` // what could not be read
		Refused int            `json:"refused"`         // number of refused answers and machines
		Refusal string         `json:"refusal,omitzero"`
	}
)

func printPlanJSON(w io.Writer, changes []answerChange, preview install.Preview) error {
	lines := json.NewEncoder(w)
	object := func(change install.Change, action string) error {
		return lines.Encode(objectLine{"object", action, change.Kind, change.Name, change.ID, change.Details})
	}
	for _, change := range changes {
		if err := lines.Encode(answerLine{"answer", change.Key, change.Before, change.After, string(change.Effect), change.refused, change.actions}); err != nil {
			return err
		}
	}
	for _, change := range preview.Changes {
		if err := object(change, formatAction(change.Action)); err != nil {
			return err
		}
	}
	for _, change := range preview.Surplus {
		if err := object(change, "surplus"); err != nil {
			return err
		}
	}
	for _, one := range preview.Differences {
		if err := lines.Encode(machineLine{"machine", one.Name, one.ID, one.Reason, one.Do}); err != nil {
			return err
		}
	}
	for _, quota := range preview.Quotas {
		if err := lines.Encode(quotaLine{"quota", quota}); err != nil {
			return err
		}
	}
	if change := preview.Difference; change.Unified != "" {
		if err := lines.Encode(differenceLine{"difference", change.Repository, change.File, change.Unified}); err != nil {
			return err
		}
	}
	refusal := ""
	if preview.Refusal != nil {
		refusal = preview.Refusal.Error()
	}
	return lines.Encode(planLine{
		Type: "plan", Create: len(with(preview, state.Created)), Update: len(with(preview, state.Updated)),
		Delete: len(with(preview, state.Deleted)), None: len(with(preview, state.Found)), Surplus: len(preview.Surplus), Cost: preview.Cost,
		Unseen: preview.Unseen, Refused: countRefused(changes, preview), Refusal: refusal,
	})
}

func formatAction(action state.Action) string {
	switch action {
	case state.Created:
		return "create"
	case state.Updated:
		return "update"
	case state.Deleted:
		return "delete"
	}
	return "none"
}
