package powerverbs

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/power"
	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/state"
)

// display shows a stop or a start on the streams of the process.
type display struct{ cli.VerbDisplay }

// ShowPlan prints what would be changed: for programs only if nothing else follows.
func (d display) ShowPlan(plan power.Plan) error {
	return d.Show(func(w io.Writer) { printPlan(w, d.Cluster, plan) }, func(w io.Writer) error { return writePlanJSON(w, plan) })
}

// Close prints how it ended.
func (d display) Close(plan power.Plan, failure error, events string) {
	d.End(failure, events, func(w io.Writer) { printEnd(w, d.Cluster, plan, failure) })
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 MST") }

// printRepair prints which nodes may get certificates.
func printRepair(w io.Writer, cluster string, plan power.Plan) {
	switch {
	case len(plan.Silent) > 0:
		fmt.Fprintf(w, "Cluster %s: %s not ready, although their machines run\n\n", console.SanitizeLine(cluster), text.Plural(len(plan.Silent), "node"))
	case len(plan.Steps) > 0:
		fmt.Fprintf(w, "Cluster %s: every node is ready; what an earlier repair has left to do is done\n", console.SanitizeLine(cluster))
	default:
		fmt.Fprintf(w, "Cluster %s: every node is ready, there is nothing to repair.\n", console.SanitizeLine(cluster))
		return
	}
	for _, node := range plan.Silent {
		fmt.Fprintf(w, "  %-16s %s\n", console.SanitizeLine(node.Name), console.SanitizeLine(node.Reason))
		if len(node.Requests) > 0 {
			fmt.Fprintf(w, "  %-16s waits for %s\n", "", console.SanitizeLine(strings.Join(node.Requests, ", ")))
		}
	}
	fmt.Fprintln(w)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
	fmt.Fprint(w, "\nOnly requests that come after the yes are approved, of these nodes, by the rules\nof an installation. A kubelet without a certificate asks every 15 minutes.\n")
}

func printPlan(w io.Writer, cluster string, plan power.Plan) {
	if plan.Verb == power.VerbRepair {
		printRepair(w, cluster, plan)
		return
	}
	if plan.Verb == power.VerbStart && len(plan.Steps) == 0 {
		fmt.Fprintf(w, "Cluster %s: every machine runs, there is nothing to start.\nIf nodes are not ready, see exoshift repair certificates.\n", console.SanitizeLine(cluster))
		return
	}
	count, from := text.Plural(len(plan.Machines), "machine"), map[string]string{power.VerbStop: "running", power.VerbStart: "stopped"}[plan.Verb]
	changed := slices.DeleteFunc(slices.Clone(plan.Machines), func(m state.Instance) bool { return m.State != from })
	if len(changed) < len(plan.Machines) {
		count = fmt.Sprintf("%d of %s", len(changed), count)
	}
	fmt.Fprintf(w, "Cluster %s: %s %s\n\n", console.SanitizeLine(cluster), plan.Verb, count)
	for _, machine := range plan.Machines {
		fmt.Fprintf(w, "  %-16s %-14s %s\n", console.SanitizeLine(machine.Name), console.SanitizeLine(machine.Labels[state.LabelRole]), console.SanitizeLine(machine.State))
	}
	fmt.Fprintln(w)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", step.Title)
	}
	fmt.Fprintln(w)
	printTimes(w, plan)
	for _, request := range plan.Pending {
		fmt.Fprintf(w, "The request %s for a certificate waits, and is left alone.\n", console.SanitizeLine(request))
	}
	fmt.Fprintf(w, "\nAn hour costs about %.2f while it runs, and about %.2f for disks and addresses\nwhile it is stopped (CHF, EUR or USD): an estimate with the prices of\n%s, without volumes, object storage and traffic.\n",
		plan.Cost.Running, plan.Cost.Stopped, plan.Cost.Date)
}

func printTimes(w io.Writer, plan power.Plan) {
	if plan.Verb == power.VerbStop {
		fmt.Fprintf(w, "It is to be started again at %s.\n", formatTime(plan.Until))
	}
	if !plan.Stopped.IsZero() {
		fmt.Fprintf(w, "It was stopped at %s.\n", formatTime(plan.Stopped))
	}
	switch {
	case plan.StartBefore.IsZero():
	case plan.Now.After(plan.StartBefore):
		fmt.Fprintf(w, "WARNING: it was to be started before %s. That was the end of\n%s.\nIt may not become well by itself.\n", formatTime(plan.StartBefore), plan.Limit)
	default:
		fmt.Fprintf(w, "It has to be started before %s. That is the end of\n%s.\n", formatTime(plan.StartBefore), plan.Limit)
	}
}

// printEnd prints how it ended, and what is left to do.
func printEnd(w io.Writer, cluster string, plan power.Plan, failure error) {
	switch {
	case failure != nil:
		fmt.Fprintf(w, "\nResume with:\n  %s\n", console.SanitizeLine(plan.Retry))
	case plan.Verb == power.VerbStop:
		fmt.Fprintf(w, "\nCluster %s is stopped. Start it with exoshift start\nbefore %s.\n", console.SanitizeLine(cluster), formatTime(plan.StartBefore))
	case plan.Verb == power.VerbRepair:
		fmt.Fprintf(w, "\nEvery node of cluster %s has valid certificates, and is ready.\n", console.SanitizeLine(cluster))
	default:
		fmt.Fprintf(w, "\nCluster %s is started. What you set for the stop yourself, end by hand:\nflags of Ceph, and the suspension of UpgradeConfigs.\n", console.SanitizeLine(cluster))
	}
}

type machineLine struct {
	Type   string `json:"type"`   // machine
	Action string `json:"action"` // stop, start or none
	Name   string `json:"name"`
	Role   string `json:"role"`
	ID     string `json:"id"`
	State  string `json:"state"`
}

type silentLine struct {
	Type     string   `json:"type"` // node
	Name     string   `json:"name"`
	Reason   string   `json:"reason"`
	Requests []string `json:"requests"`
}

type stepLine struct {
	Type  string `json:"type"` // step
	ID    string `json:"id"`
	Title string `json:"title"`
}

type planLine struct {
	Type        string     `json:"type"` // stop or start
	Until       time.Time  `json:"until,omitzero"`
	StartBefore time.Time  `json:"start_before,omitzero"`
	Limit       string     `json:"limit,omitempty"`
	Stopped     time.Time  `json:"stopped,omitzero"`
	Pending     []string   `json:"pending"`
	Cost        power.Cost `json:"cost"`
}

// writePlanJSON writes the plan for programs, a line each: machines, steps, and the plan itself.
func writePlanJSON(w io.Writer, plan power.Plan) error {
	encoder := json.NewEncoder(w)
	for _, node := range plan.Silent {
		if err := encoder.Encode(silentLine{"node", node.Name, node.Reason, append([]string{}, node.Requests...)}); err != nil {
			return err
		}
	}
	for _, machine := range plan.Machines {
		line := machineLine{Type: "machine", Action: plan.Verb, Name: machine.Name, Role: machine.Labels[state.LabelRole], ID: machine.ID, State: machine.State}
		if machine.State == "stopped" == (plan.Verb == power.VerbStop) {
			line.Action = "none"
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	for _, step := range plan.Steps {
		if err := encoder.Encode(stepLine{"step", step.ID, step.Title}); err != nil {
			return err
		}
	}
	if plan.Verb == power.VerbRepair {
		return nil
	}
	return encoder.Encode(planLine{
		Type: plan.Verb, Until: plan.Until.UTC(), StartBefore: plan.StartBefore, Limit: plan.Limit, Stopped: plan.Stopped,
		Pending: append([]string{}, plan.Pending...), Cost: plan.Cost,
	})
}
