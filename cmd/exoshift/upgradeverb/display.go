package upgradeverb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/upgrade"
	"exoshift/internal/console"
	provisioner "exoshift/provisioner/upgrade"
	state "exoshift/state/upgrade"
)

// display shows an update on the streams of the process.
type display struct{ cli.VerbDisplay }

// ShowUpdates prints what the cluster can be updated to.
func (d display) ShowUpdates(status state.Status) error {
	if d.Output.IsJSON() {
		return writeUpdatesJSON(d.Std.Out, status)
	}
	return printUpdates(d.Output.WrapWriter(d.Std.Out), d.Cluster, status)
}

// ShowPlan prints what has to hold and what would be changed: for programs only if nothing else follows.
func (d display) ShowPlan(plan upgrade.Plan) error {
	switch refused := plan.Review.Refusal() != nil; {
	case !d.Output.IsJSON():
		printPlan(d.Output.WrapWriter(d.Std.Out), d.Cluster, plan)
	case d.DryRun, refused, plan.Review.Ended:
		return writePlanJSON(d.Std.Out, plan)
	}
	return nil
}

// Close prints how it ended.
func (d display) Close(plan upgrade.Plan, failure error, events string) {
	d.End(failure, events, func(w io.Writer) { printEnd(w, d.Cluster, plan, failure) })
}

func printUpdates(w io.Writer, cluster string, status state.Status) error {
	fmt.Fprintf(w, "Cluster %s has %s and follows %s.\n", console.SanitizeLine(cluster), console.SanitizeLine(status.Version), cmp.Or(console.SanitizeLine(status.Channel), "no channel"))
	return printChannel(w, status)
}

// printChannel prints what the channel has for the cluster, and what goes on.
func printChannel(w io.Writer, status state.Status) error {
	switch {
	case status.Partial:
		fmt.Fprintf(w, "An update goes on: %s\n", console.SanitizeLine(status.Message))
	case status.Wanted != "" && status.Wanted != status.Version:
		fmt.Fprintf(w, "An update to %s is requested: %s\n", console.SanitizeLine(status.Wanted), cmp.Or(console.SanitizeLine(status.Refused), "the cluster has not begun it"))
	}
	fmt.Fprintln(w)
	switch {
	case !status.Retrieved:
		fmt.Fprintf(w, "There is no list of updates: %s\n", cmp.Or(console.SanitizeLine(status.Failure), "the cluster has not fetched it yet"))
	case len(status.Updates) == 0:
		fmt.Fprintln(w, "There is no update in this channel.")
	default:
		if err := printReleases(w, status.Updates); err != nil {
			return err
		}
	}
	if len(status.Channels) > 0 {
		fmt.Fprintf(w, "\nChannels of its release: %s\n", console.SanitizeLine(strings.Join(status.Channels, ", ")))
	}
	printGates(w, status)
	return nil
}

func printReleases(w io.Writer, releases []state.Release) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "VERSION\tRECOMMENDED\tRISKS")
	for _, release := range releases {
		recommended, names := "yes", "-"
		if !release.Recommended {
			recommended, names = "no", ""
			for _, risk := range release.Risks {
				names = strings.TrimPrefix(names+", "+risk.Name, ", ")
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", console.SanitizeLine(release.Version), recommended, console.SanitizeLine(cmp.Or(names, "unknown")))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, release := range releases {
		for _, risk := range release.Risks {
			fmt.Fprintf(w, "\n%s, %s:\n  %s\n  %s\n", console.SanitizeLine(release.Version), console.SanitizeLine(risk.Name), console.SanitizeLine(risk.Message), console.SanitizeLine(risk.URL))
		}
	}
	return nil
}

// printGates prints what has to be acknowledged before an update to another minor version, and who uses APIs that it removes.
func printGates(w io.Writer, status state.Status) {
	missing := status.ListMissing()
	if len(missing) == 0 && status.Blocked != "" {
		fmt.Fprintf(w, "\nIt can be updated within its minor version only:\n  %s\n", console.SanitizeLine(status.Blocked))
	}
	if len(missing) == 0 {
		return
	}
	fmt.Fprintf(w, "\nBefore an update to another minor version, OpenShift asks you to acknowledge:\n")
	for _, gate := range missing {
		fmt.Fprintf(w, "  %s\n    %s\n", console.SanitizeLine(gate.Key), console.SanitizeLine(gate.Text))
	}
	for i, removed := range status.Removed {
		if i == 0 {
			fmt.Fprintf(w, "\nAPIs in use that a later release removes:\n")
		}
		fmt.Fprintf(w, "  %s\n    removed with Kubernetes %s, %d requests lately by %s\n", console.SanitizeLine(removed.Resource),
			console.SanitizeLine(removed.Release), removed.Requests, cmp.Or(console.SanitizeLine(strings.Join(removed.Users, ", ")), "nobody known"))
	}
}

func printPlan(w io.Writer, cluster string, plan upgrade.Plan) {
	status := plan.Review.Status
	switch to := plan.Request.To; {
	case plan.Review.Ended:
		fmt.Fprintf(w, "Cluster %s has %s already.\n", console.SanitizeLine(cluster), console.SanitizeLine(to))
		return
	case to == "":
		fmt.Fprintf(w, "Cluster %s has %s and follows %s.\n", console.SanitizeLine(cluster), console.SanitizeLine(status.Version), cmp.Or(console.SanitizeLine(status.Channel), "no channel"))
	case plan.Review.Follows:
		fmt.Fprintf(w, "Cluster %s: the update to %s goes on\n", console.SanitizeLine(cluster), console.SanitizeLine(to))
	default:
		fmt.Fprintf(w, "Cluster %s: update from %s to %s\n", console.SanitizeLine(cluster), console.SanitizeLine(status.Version), console.SanitizeLine(to))
	}
	if len(plan.Review.Preconditions) > 0 {
		fmt.Fprintln(w)
	}
	printPreconditions(w, plan)
	if target := plan.Review.Target; target != nil && !target.Recommended {
		fmt.Fprintf(w, "\n%s is not recommended to this cluster:\n", console.SanitizeLine(target.Version))
		for _, risk := range target.Risks {
			fmt.Fprintf(w, "  %s: %s\n  %s\n", console.SanitizeLine(risk.Name), console.SanitizeLine(risk.Message), console.SanitizeLine(risk.URL))
		}
	}
	if plan.Request.To != "" {
		if minors, _ := state.CountMinors(status.Version, plan.Request.To); minors > 0 {
			printGates(w, status)
		}
	}
	if plan.Review.Refusal() != nil {
		return
	}
	fmt.Fprintln(w)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
}

func printPreconditions(w io.Writer, plan upgrade.Plan) {
	for _, one := range plan.Review.Preconditions {
		mark := "ok"
		if !one.OK {
			mark = "FAILED"
		}
		lines := one.Reasons
		if one.OK {
			lines = []string{one.Text}
		}
		for _, line := range lines {
			fmt.Fprintf(w, "  %-7s %-13s %s\n", mark, one.Name, console.SanitizeLine(line))
		}
	}
}

// printEnd prints how it ended, and what is left to do.
func printEnd(w io.Writer, cluster string, plan upgrade.Plan, failure error) {
	id := console.SanitizeLine(cluster)
	switch paused := console.SanitizeLine(strings.Join(plan.Paused, ", ")); {
	case failure != nil && paused != "":
		fmt.Fprintf(w, "\nPaused stay the machine config pools %s. Resume with:\n  %s\n", paused, console.SanitizeLine(plan.Retry))
	case failure != nil:
		fmt.Fprintf(w, "\nResume with:\n  %s\n", console.SanitizeLine(plan.Retry))
	case plan.Request.To == "":
		fmt.Fprintf(w, "\nCluster %s follows %s.\n\n", id, console.SanitizeLine(plan.Request.Channel))
	case plan.Request.PausePools:
		fmt.Fprintf(w, "\nThe operators and masters of cluster %s have %s. Paused are the machine\nconfig pools %s: this updates them, one by one:\n  %s\n",
			id, console.SanitizeLine(plan.Request.To), cmp.Or(paused, "of nobody"), console.SanitizeLine(plan.Retry))
	default:
		fmt.Fprintf(w, "\nCluster %s has %s, and so have all of its nodes.\n", id, console.SanitizeLine(plan.Request.To))
	}
}

type updateLine struct {
	Type        string       `json:"type"` // update
	Version     string       `json:"version"`
	Recommended bool         `json:"recommended"`
	Risks       []state.Risk `json:"risks"`
	URL         string       `json:"url,omitempty"`
}

type versionLine struct {
	Type        string             `json:"type"` // version
	Version     string             `json:"version"`
	Wanted      string             `json:"wanted,omitempty"`
	Progressing bool               `json:"progressing"`
	Channel     string             `json:"channel"`
	Channels    []string           `json:"channels"`
	Retrieved   bool               `json:"retrieved"`
	Reason      string             `json:"reason,omitempty"` // why the list was not retrieved
	Blocked     string             `json:"blocked,omitempty"`
	Gates       []state.Gate       `json:"gates"`
	Removed     []state.RemovedAPI `json:"removed_apis"`
}

type preconditionLine struct {
	Type    string   `json:"type"` // precondition
	Name    string   `json:"name"`
	OK      bool     `json:"ok"`
	Text    string   `json:"text,omitempty"`
	Reasons []string `json:"reasons"`
}

type stepLine struct {
	Type  string `json:"type"` // step
	ID    string `json:"id"`
	Title string `json:"title"`
}

// writeUpdatesJSON writes a line for each update, and one for the cluster.
func writeUpdatesJSON(w io.Writer, status state.Status) error {
	encoder := json.NewEncoder(w)
	for _, release := range status.Updates {
		if err := encoder.Encode(updateLine{"update", release.Version, release.Recommended, append([]state.Risk{}, release.Risks...), release.URL}); err != nil {
			return err
		}
	}
	return encoder.Encode(versionLine{
		Type: "version", Version: status.Version, Wanted: status.Wanted, Progressing: status.Partial, Channel: status.Channel, Channels: append([]string{}, status.Channels...),
		Retrieved: status.Retrieved, Reason: status.Failure, Blocked: status.Blocked, Gates: append([]state.Gate{}, status.Gates...), Removed: append([]state.RemovedAPI{}, status.Removed...),
	})
}

// writePlanJSON writes the plan for programs: what has to hold, the steps, and the cluster.
func writePlanJSON(w io.Writer, plan upgrade.Plan) error {
	encoder := json.NewEncoder(w)
	for _, one := range plan.Review.Preconditions {
		if err := encoder.Encode(toPreconditionLine(one)); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := encoder.Encode(stepLine{"step", step.ID, step.Title}); err != nil {
			return err
		}
	}
	return writeUpdatesJSON(w, plan.Review.Status)
}

func toPreconditionLine(one provisioner.Precondition) preconditionLine {
	line := preconditionLine{Type: "precondition", Name: one.Name, OK: one.OK, Reasons: append([]string{}, one.Reasons...)}
	if one.OK {
		line.Text = one.Text
	}
	return line
}
