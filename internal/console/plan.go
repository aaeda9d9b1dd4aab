package console

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"exoshift/internal/app/changes"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/preflight"
	"exoshift/state"
)

// PrintAnswerChanges prints which answers differ from those in force, and what to do about refused ones.
func PrintAnswerChanges(w io.Writer, answers []changes.Answer) {
	fmt.Fprintln(w, "These answers have changed since the installation began:")
	for _, change := range answers {
		fmt.Fprintf(w, "  %s: %s, was %s (%s)\n", change.Key, formatAnswer(change.After), formatAnswer(change.Before), change.Effect)
		for _, line := range change.Actions {
			fmt.Fprintln(w, "      "+SanitizeLine(line))
		}
	}
}

func formatAnswer(value string) string {
	if value == "" {
		return "nothing"
	}
	return SanitizeLine(value)
}

// PrintPlan prints what an installation would do, and what it would cost.
func PrintPlan(w io.Writer, spec state.Spec, preview install.Preview) {
	fmt.Fprintf(w, "Cluster %s in %s: OpenShift %s at %s\n", spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, spec.Domain())
	printChanges(w, "CREATE", filterChanges(preview, state.Created))
	printChanges(w, "CHANGE", filterChanges(preview, state.Updated))
	printChanges(w, "DELETE", filterChanges(preview, state.Deleted))
	printChanges(w, "THERE", filterChanges(preview, state.Found))
	surplus := slices.DeleteFunc(slices.Clone(preview.Surplus), func(c install.Change) bool { return c.Kind == state.KindInstance })
	printChanges(w, "NOT IN THE ANSWERS: existing objects that are kept", surplus)
	printDifferences(w, preview)
	printDifference(w, preview.Difference)
	for _, lacking := range preview.Lacking {
		fmt.Fprintf(w, "\nMISSING: %s\n", SanitizeLine(lacking))
	}
	for _, unseen := range preview.Unseen {
		fmt.Fprintf(w, "\nNOT CHECKED: %s\n", SanitizeLine(unseen))
	}
	printQuotas(w, preview.Quotas)
	for _, consequence := range spec.ListConsequences() {
		fmt.Fprintf(w, "\nNOTE: %s\n", consequence.Text)
	}
	fmt.Fprintf(w, "\nThe cluster %s.\n", preview.Cost)
	fmt.Fprintf(w, "%d to create, %d to change, %d to delete, %d up to date.\n", len(filterChanges(preview, state.Created)),
		len(filterChanges(preview, state.Updated)), len(filterChanges(preview, state.Deleted)), len(filterChanges(preview, state.Found)))
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
		fmt.Fprint(w, "\nDIFFERS FROM THE ANSWERS: an installation does not change this\n")
	}
	for _, difference := range preview.Differences {
		fmt.Fprintf(w, "  instance %s: %s\n", SanitizeLine(difference.Name), SanitizeLine(difference.Reason))
		for _, line := range difference.Do {
			fmt.Fprintln(w, "      "+SanitizeLine(line))
		}
	}
	if preview.Refusal != nil && len(preview.Differences) == 0 {
		fmt.Fprintf(w, "\nREFUSED: %s\n  %s\n", SanitizeLine(preview.Refusal.Error()), SanitizeLine(fault.HintOf(preview.Refusal)))
	}
}

func printDifference(w io.Writer, difference state.Difference) {
	if difference.Unified == "" {
		return
	}
	fmt.Fprintf(w, "\nCHANGES OF %s in %s\n", SanitizeLine(difference.File), SanitizeLine(difference.Repository))
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
	fmt.Fprintln(table, "QUOTA\tNEEDED\tIN USE\tLIMIT\tAFTER")
	for _, quota := range quotas {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%s\t%d%s\n", quota.Resource, quota.Need, quota.Used, formatLimit(quota), quota.After, formatQuotaWarning(quota))
	}
	_ = table.Flush() // errors of the writer are ignored
}

func filterChanges(preview install.Preview, action state.Action) []install.Change {
	var chosen []install.Change
	for _, change := range preview.Changes {
		if change.Action == action {
			chosen = append(chosen, change)
		}
	}
	return chosen
}

func formatLimit(quota preflight.QuotaCheck) string {
	if quota.Limit < 0 {
		return "none"
	}
	return fmt.Sprint(quota.Limit)
}

func formatQuotaWarning(quota preflight.QuotaCheck) string {
	if quota.Sufficient {
		return ""
	}
	return "  EXCEEDED"
}

type (
	// Lines of a plan in JSON: one for each object, one for each quota, and the sums last.

	plannedLine struct {
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
		Lacking []string       `json:"lacking,omitzero"` // what the zone does not have
		Unseen  []string       `json:"unseen,omitzero"`  // what could not be read
		Refused int            `json:"refused"`          // number of refused answers and machines
		Refusal string         `json:"refusal,omitzero"`
		Hash    string         `json:"plan_hash"` // see changes.Hash
	}
)

// PrintPlanMarkdown prints a plan as a comment for a merge request: the sums, everything else to be unfolded, and the hash that
// approves it.
func PrintPlanMarkdown(w io.Writer, spec state.Spec, answers []changes.Answer, preview install.Preview) {
	count := func(action state.Action) int { return len(filterChanges(preview, action)) }
	fmt.Fprintf(w, "### Plan of cluster `%s` in `%s`\n\n", SanitizeLine(spec.Cluster.ID), SanitizeLine(spec.Exoscale.Zone))
	fmt.Fprintf(w, "**%d to create, %d to change, %d to delete**, %d up to date. The cluster %s.\n",
		count(state.Created), count(state.Updated), count(state.Deleted), count(state.Found), preview.Cost)
	if refused := changes.CountRefused(answers, preview); refused > 0 {
		fmt.Fprintf(w, "\n> :warning: %d answers or machines differ that an installation cannot change: it would be refused.\n", refused)
	}
	var details strings.Builder
	if len(answers) > 0 {
		PrintAnswerChanges(&details, answers)
		fmt.Fprintln(&details)
	}
	PrintPlan(&details, spec, preview)
	// A fence that is longer than any within.
	fence := "```"
	for strings.Contains(details.String(), fence) {
		fence += "`"
	}
	fmt.Fprintf(w, "\n<details><summary>Objects, quotas and differences</summary>\n\n%stext\n%s\n%s\n\n</details>\n", fence, strings.TrimRight(details.String(), "\n"), fence)
	fmt.Fprintf(w, "\nTo apply exactly this plan: `exoshift install --plan %s`\n", changes.Hash(answers, preview))
}

// WritePlanJSON writes a plan for programs, a line each: answers that differ, objects, machines, quotas, and the sums last.
func WritePlanJSON(w io.Writer, answers []changes.Answer, preview install.Preview) error {
	lines := json.NewEncoder(w)
	object := func(change install.Change, action string) error {
		return lines.Encode(plannedLine{"object", action, change.Kind, change.Name, change.ID, change.Details})
	}
	for _, change := range answers {
		if err := lines.Encode(answerLine{"answer", change.Key, change.Before, change.After, string(change.Effect), change.Refused, change.Actions}); err != nil {
			return err
		}
	}
	for _, change := range preview.Changes {
		if err := object(change, changes.FormatAction(change.Action)); err != nil {
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
		Type: "plan", Create: len(filterChanges(preview, state.Created)), Update: len(filterChanges(preview, state.Updated)),
		Delete: len(filterChanges(preview, state.Deleted)), None: len(filterChanges(preview, state.Found)), Surplus: len(preview.Surplus), Cost: preview.Cost,
		Lacking: preview.Lacking, Unseen: preview.Unseen, Refused: changes.CountRefused(answers, preview), Refusal: refusal,
		Hash: changes.Hash(answers, preview),
	})
}
