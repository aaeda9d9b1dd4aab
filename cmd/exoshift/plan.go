package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

func planCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what an installation would create and in which steps; nothing is contacted",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			if o.answers == "" {
				console.Missing(std.err, wizard.Missing())
				return usageError{errors.New("no answers: give an answers file with --answers FILE; the README shows one")}
			}
			spec, _, err := loadAnswers(o.answers, std, environment)
			if err != nil {
				return err
			}
			if o.output.json() {
				return planJSON(std.out, spec)
			}
			printPlan(std.out, spec)
			return nil
		},
	}
	answersFlag(cmd, "the answers file")
	cmd.Flags().String("output", string(outputPlain), "how to show it: plain or json")
	return cmd
}

// printPlan lists the objects and the steps.
func printPlan(w io.Writer, spec state.Spec) {
	fmt.Fprintf(w, "Cluster %s in %s: OpenShift %s at %s\n\n", spec.Cluster.ID, spec.Exoscale.Zone, spec.OpenShift.Version, spec.Domain())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CREATES\tNAME\tDETAILS")
	for _, o := range install.Inventory(spec) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", o.Kind, o.Name, o.Details)
	}
	_ = table.Flush() // its writer's error shows in what follows
	fmt.Fprintln(w, "\nSTEPS")
	for n, step := range install.Steps(spec) {
		fmt.Fprintf(w, "%3d  %s\n", n+1, step.Title)
	}
}

// planJSON prints one object a line: first what is created, then the steps.
func planJSON(w io.Writer, spec state.Spec) error {
	lines := json.NewEncoder(w)
	for _, o := range install.Inventory(spec) {
		if err := lines.Encode(map[string]any{"type": "object", "action": "create", "kind": o.Kind, "name": o.Name, "details": o.Details}); err != nil {
			return err
		}
	}
	for _, step := range install.Steps(spec) {
		if err := lines.Encode(map[string]any{"type": "step", "step": step.ID, "phase": step.Phase, "text": step.Title, "needs": step.Needs}); err != nil {
			return err
		}
	}
	return nil
}
