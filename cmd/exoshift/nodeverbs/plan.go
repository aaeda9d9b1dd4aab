package nodeverbs

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"exoshift/internal/app/nodes"
	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner"
	removal "exoshift/provisioner/nodes"
	"exoshift/wizard/answersfile"
)

// printPlan prints what a removal of nodes would change, and what takes their place.
func printPlan(w io.Writer, cluster string, v verb, plan nodes.Plan) {
	fmt.Fprintf(w, "Cluster %s: %s to %s\n", console.SanitizeLine(cluster), countTargets(plan), v.name)
	printBalancers(w, plan.Balancers)
	for _, target := range plan.Targets {
		printTarget(w, target, plan.Etcd != nil)
	}
	fmt.Fprintln(w)
	if plan.Etcd != nil {
		fmt.Fprintf(w, "etcd: %s, %d vote and %d are needed; meanwhile each master in turn is missing\n",
			text.Plural(*plan.Etcd.Count, "member"), *plan.Etcd.Voters, *plan.Etcd.Quorum)
	}
	for _, change := range plan.Changes {
		fmt.Fprintf(w, "answers: %s: %s, now %s\n", console.SanitizeLine(change.Key), console.SanitizeLine(change.After), console.SanitizeLine(change.Before))
	}
	printConfiguration(w, plan)
	for _, step := range plan.Steps {
		fmt.Fprintf(w, "  - %s\n", console.SanitizeLine(step.Title))
	}
	if !plan.Start.IsZero() {
		fmt.Fprintf(w, "\nNothing is changed before %s.\n", plan.Start.Format("Monday 2006-01-02 15:04 MST"))
	}
	switch {
	case plan.Cost == nil:
	case plan.Kept:
		fmt.Fprintf(w, "\nAfterwards, the cluster %s.\n", *plan.Cost)
	default:
		fmt.Fprintf(w, "\nAfterwards, the cluster %s. Until a node is removed, its replacement costs beside it.\n", *plan.Cost)
	}
}

// printConfiguration prints what changes in the repository of the tenant.
func printConfiguration(w io.Writer, plan nodes.Plan) {
	if plan.Unseen != "" {
		fmt.Fprintf(w, "not read: %s\n", console.SanitizeLine(plan.Unseen))
	}
	if plan.Configuration.Unified != "" {
		fmt.Fprintf(w, "configuration of the tenant:\n%s\n", text.SanitizeDiff(strings.TrimSuffix(plan.Configuration.Unified, "\n")))
	}
}

// printTarget prints what a node has that has to leave it; master: it is one, and keeps its name.
func printTarget(w io.Writer, target removal.Target, master bool) {
	line := toNodeLine(target.Node)
	fmt.Fprintf(w, "\n%s  %s\n", console.SanitizeLine(target.Name), console.SanitizeLine(strings.TrimSpace(line.Group+" "+line.Type+" "+line.Address)))
	switch {
	case target.Removal == nil:
	case master:
		fmt.Fprintln(w, "  its change was begun, and is ended")
	default:
		fmt.Fprintln(w, "  its removal was begun, and is ended")
	}
	if next := target.Replacement; next != nil {
		fmt.Fprintf(w, "  %s takes its place: %s, %d GiB\n", console.SanitizeLine(next.Name), console.SanitizeLine(next.Type), next.RootDisk+next.DataDisk)
	}
	local, alone := 0, 0
	for _, pod := range target.Pods {
		if pod.EmptyDir {
			local++
		}
		if pod.Owner == "" {
			alone++
		}
	}
	fmt.Fprintf(w, "  %s to evict, %d of them lose data on the node, %d are ended for good\n", text.Plural(len(target.Pods), "pod"), local, alone)
	for _, blocked := range target.Blocked {
		fmt.Fprintf(w, "  blocked: %s\n", console.SanitizeLine(blocked))
	}
	for _, warning := range target.Warnings {
		fmt.Fprintf(w, "  warning: Ceph reports %s\n", console.SanitizeLine(warning))
	}
	if len(target.Attachments) > 0 {
		fmt.Fprintf(w, "  attached volumes: %s\n", console.SanitizeLine(strings.Join(target.Attachments, ", ")))
	}
}

type removalLine struct {
	Type        string   `json:"type"` // node
	Action      string   `json:"action"`
	Name        string   `json:"name"`
	Group       string   `json:"group"`
	MachineID   string   `json:"machine_id"`
	ReplacedBy  string   `json:"replaced_by,omitempty"`
	Pods        []string `json:"pods"`
	Blocked     []string `json:"blocked"`
	Attachments []string `json:"attachments"`
	Warnings    []string `json:"warnings,omitempty"`
}

type answerLine struct {
	Type   string `json:"type"` // answer
	Key    string `json:"key"`
	Before string `json:"before"`
	After  string `json:"after"`
}

type configurationLine struct {
	Type       string `json:"type"` // configuration
	Repository string `json:"repository"`
	File       string `json:"file"`
	Diff       string `json:"diff"` // as diff -u shows it
}

type stepLine struct {
	Type  string `json:"type"` // step
	ID    string `json:"id"`
	Title string `json:"title"`
}

type etcdLine struct {
	Type    string               `json:"type"` // etcd
	Members []provisioner.Member `json:"members"`
	Voters  int                  `json:"voters"`
	Quorum  int                  `json:"quorum"`
}

type startLine struct {
	Type string    `json:"type"` // start
	At   time.Time `json:"at"`
}

// nameAction returns what is done with the machines.
func nameAction(plan nodes.Plan) string {
	switch {
	case plan.Kept:
		return "update"
	case plan.Etcd != nil:
		return "replace"
	}
	return "delete"
}

func toRemovalLine(target removal.Target, action string) removalLine {
	line := toNodeLine(target.Node)
	shown := removalLine{
		Type: "node", Action: action, Name: line.Name, Group: line.Group, MachineID: line.MachineID,
		Pods: []string{}, Blocked: append([]string{}, target.Blocked...), Attachments: append([]string{}, target.Attachments...),
		Warnings: target.Warnings,
	}
	if target.Replacement != nil {
		shown.ReplacedBy = target.Replacement.Name
	}
	for _, pod := range target.Pods {
		shown.Pods = append(shown.Pods, pod.ID())
	}
	return shown
}

// writePlanJSON writes the plan of a removal for programs, a line each: nodes, answers, steps.
func writePlanJSON(w io.Writer, plan nodes.Plan) error {
	encoder := json.NewEncoder(w)
	if !plan.Start.IsZero() {
		if err := encoder.Encode(startLine{"start", plan.Start}); err != nil {
			return err
		}
	}
	action := nameAction(plan)
	if plan.Etcd != nil {
		if err := encoder.Encode(etcdLine{"etcd", plan.Etcd.Members, *plan.Etcd.Voters, *plan.Etcd.Quorum}); err != nil {
			return err
		}
	}
	for _, target := range plan.Balancers {
		if err := encoder.Encode(toBalancerLine(target)); err != nil {
			return err
		}
	}
	for _, target := range plan.Targets {
		if err := encoder.Encode(toRemovalLine(target, action)); err != nil {
			return err
		}
	}
	for _, change := range plan.Changes {
		if err := encoder.Encode(answerLine{"answer", change.Key, change.Before, change.After}); err != nil {
			return err
		}
	}
	if changed := plan.Configuration; changed.Unified != "" {
		if err := encoder.Encode(configurationLine{"configuration", changed.Repository, changed.File, changed.Unified}); err != nil {
			return err
		}
	}
	return writeStepsJSON(w, plan.Steps)
}

func writeStepsJSON(w io.Writer, steps provisioner.Plan) error {
	encoder := json.NewEncoder(w)
	for _, step := range steps {
		if err := encoder.Encode(stepLine{"step", step.ID, step.Title}); err != nil {
			return err
		}
	}
	return nil
}

// printSummary prints how a removal ended, and what is left to do.
func printSummary(w io.Writer, v verb, plan nodes.Plan, failure error) {
	if failure != nil {
		fmt.Fprintf(w, "\nNot all %s are %s. Resume with:\n  %s\n", nameTargets(plan), v.done, console.SanitizeLine(plan.Retry))
		return
	}
	fmt.Fprintf(w, "\n%s %s.\n", countTargets(plan), v.done)
	printChanges(w, plan.Changes)
}

// printChanges prints how the answers have changed.
func printChanges(w io.Writer, changes []answersfile.Change) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintln(w, "The answers in the cluster's folder have changed. Change your own answers file, too:")
	for _, change := range changes {
		fmt.Fprintf(w, "  %s: %s\n", console.SanitizeLine(change.Key), console.SanitizeLine(change.After))
	}
}
