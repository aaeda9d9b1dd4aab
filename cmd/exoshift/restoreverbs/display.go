package restoreverbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/restore"
	"exoshift/internal/console"
	"exoshift/internal/text"
	"exoshift/provisioner"
	engine "exoshift/provisioner/restore"
)

// display shows a restoration on the streams of the process.
type display struct {
	cli.VerbDisplay
	now func() time.Time // by the clock of the cluster
}

// ShowFinding implements restore.Display.
func (d display) ShowFinding(event provisioner.Event) { cli.NewFindingPrinter(d.Options, d.Std)(event) }

// ShowPlan prints the difference, for programs with the steps if nothing else follows.
func (d display) ShowPlan(plan restore.Plan) error {
	if d.Output.IsJSON() {
		return writePlanJSON(d.Std.Out, plan, d.DryRun)
	}
	d.printPlan(d.Output.WrapWriter(d.Std.Out), plan.Review)
	return nil
}

// Confirm asks for a yes; without a terminal --yes is required.
func (d display) Confirm(ctx context.Context) error {
	return d.Ask(ctx, d.Options, "\nApply that?", "")
}

// Close prints how it ended.
func (d display) Close(plan restore.Plan, failure error, events string) {
	d.End(failure, events, func(w io.Writer) {
		if failure != nil {
			fmt.Fprintf(w, "\nThis does what is left:\n  %s\n", console.SanitizeLine(plan.Retry))
		} else {
			fmt.Fprintf(w, "\nRestored: %s created, %s changed.\n", text.Plural(plan.Review.Count(engine.Create), "object"), text.Plural(plan.Review.Count(engine.Update), "object"))
		}
	})
}

func (d display) printPlan(w io.Writer, review engine.Review) {
	fmt.Fprintf(w, "Cluster %s: objects of the backup %s, made %s\n", console.SanitizeLine(d.Cluster), console.SanitizeLine(review.Backup.Name),
		text.FormatAge(d.now().Sub(review.Backup.Created)))
	if review.Earlier {
		fmt.Fprintf(w, "It is of an earlier installation of this cluster, %s.\n", console.SanitizeLine(review.Backup.InfraID))
	}
	for _, change := range review.Changes {
		printChange(w, change)
	}
	printReasons(w, "Left to the cluster:", review, engine.Leave)
	printReasons(w, "Refused:", review, engine.Refuse)
	fmt.Fprintf(w, "\n%d to create, %d to change, %d the same, %d left to the cluster, %d refused.\n", review.Count(engine.Create), review.Count(engine.Update),
		review.Count(engine.Same), review.Count(engine.Leave), review.Count(engine.Refuse))
	if !review.HasWork() {
		fmt.Fprint(w, "There is nothing to restore.\n")
	}
}

func printChange(w io.Writer, change engine.Change) {
	switch {
	case change.Action == engine.Create:
		fmt.Fprintf(w, "\n  + %s: created\n", console.SanitizeLine(change.Object.ID()))
	case change.Action == engine.Update, change.Action == engine.Same && len(change.Extra) > 0:
		sign := map[string]string{engine.Update: "~", engine.Same: "="}[change.Action]
		fmt.Fprintf(w, "\n  %s %s\n", sign, console.SanitizeLine(change.Object.ID()))
	}
	for _, field := range change.Fields {
		fmt.Fprintf(w, "      %s\n", console.SanitizeLine(formatField(field)))
		if field.Owner != "" {
			fmt.Fprintf(w, "        set by %s\n", console.SanitizeLine(field.Owner))
		}
	}
	for _, path := range change.Extra {
		fmt.Fprintf(w, "      %s stays; the backup does not have it\n", console.SanitizeLine(path))
	}
}

func formatField(field engine.Field) string {
	switch {
	case field.Hidden:
		return field.Path + ": " + map[string]string{"add": "added", "change": "changed", "remove": "removed"}[field.Action]
	case field.Before == "":
		return field.Path + ": " + field.After + ", added"
	case field.After == "":
		return field.Path + ": " + field.Before + ", removed"
	case field.Before == field.After: // both were shortened
		return field.Path + ": changed, " + field.After
	}
	return field.Path + ": " + field.Before + " -> " + field.After
}

// maxReasons is how many objects of one reason are named.
const maxReasons = 8

// printReasons lists objects by the reason why nothing is done with them.
func printReasons(w io.Writer, title string, review engine.Review, action string) {
	objects := map[string][]string{}
	var reasons []string
	for _, change := range review.Changes {
		if change.Action != action {
			continue
		}
		if objects[change.Reason] == nil {
			reasons = append(reasons, change.Reason)
		}
		objects[change.Reason] = append(objects[change.Reason], change.Object.ID())
	}
	if len(reasons) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
	}
	for _, reason := range reasons {
		names := objects[reason]
		if more := len(names) - maxReasons; more > 0 {
			names = append(names[:maxReasons:maxReasons], fmt.Sprintf("and %d more", more))
		}
		for _, name := range names {
			fmt.Fprintf(w, "  - %s\n", console.SanitizeLine(name))
		}
		fmt.Fprintf(w, "      %s\n", console.SanitizeLine(reason))
	}
}

// differenceLine is what is done with an object, as JSON.
type differenceLine struct {
	Type      string         `json:"type"`   // difference
	Action    string         `json:"action"` // create, update, same, leave or refuse
	Kind      string         `json:"kind"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	Reason    string         `json:"reason,omitempty"`
	Fields    []engine.Field `json:"fields,omitempty"`
	Stays     []string       `json:"stays,omitempty"` // fields that the backup does not have
}

// backupLine is the backup, as JSON.
type backupLine struct {
	Type    string `json:"type"` // backup
	Name    string `json:"name"`
	Created string `json:"created"`
	Earlier bool   `json:"earlier"` // it is of an earlier installation of the cluster
}

func writePlanJSON(w io.Writer, plan restore.Plan, withSteps bool) error {
	encoder := json.NewEncoder(w)
	from := plan.Review.Backup
	err := encoder.Encode(backupLine{"backup", from.Name, from.Created.UTC().Format("2006-01-02T15:04:05Z"), plan.Review.Earlier})
	for _, change := range plan.Review.Changes {
		of := change.Object
		err = errors.Join(err, encoder.Encode(differenceLine{"difference", change.Action, of.Kind.Name(), of.Namespace, of.Name, change.Reason, change.Fields, change.Extra}))
	}
	if !withSteps {
		return err
	}
	for _, step := range plan.Steps {
		err = errors.Join(err, encoder.Encode(map[string]string{"type": "step", "id": step.ID, "title": step.Title}))
	}
	return err
}
