package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/wizard"
)

func newValidateCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate FILE",
		Short: "Check an answers file: everything that is wrong at once",
		Long: `Check an answers file, with the layers over and under it. Everything that is wrong is listed at once, each with its place,
what is allowed, and what was probably meant. Nothing is contacted.

Secrets and files that the answers refer to and that this machine does not have are warnings only: they may be there where
the installation is run. The exit code is 0 without faults, 3 with faults, 2 if the command itself is wrong.

With --output json, each fault and each warning is an object on a line of its own, and the last line counts them.`,
		Example: "  exoshift answers validate answers.yaml\n  exoshift answers validate answers.yaml --set exoscale.zone=de-fra-1 --output json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			o.answers = args[0]
			return validate(o, std)
		},
	}
	setFlag(cmd)
	addOutputFlag(cmd, "how to show it", outputPlain, outputJSON)
	return cmd
}

func validate(o options, std streams) error {
	layers, err := o.readLayers()
	if err != nil {
		return err
	}
	all, err := layers.merge()
	if err != nil {
		return err
	}
	secrets, absent := all.TryResolve(environment.LookupEnv)
	spec := all.Answers.Spec
	warnings := append(absent, all.WithPositions(wizard.CheckWarnings(spec, secrets))...)
	warnings = append(warnings, wizard.CheckVariables(spec, listVariableNames())...)
	verdict := validationReport{faults: all.Problems(), warnings: warnings}
	if o.output.isJSON() {
		err = verdict.printJSON(std.out)
	} else {
		verdict.printPlain(std.out)
	}
	if err == nil && len(verdict.faults) > 0 {
		err = exit.ErrAnswers
	}
	return err
}

type validationReport struct{ faults, warnings []wizard.Problem }

func (v validationReport) printPlain(w io.Writer) {
	console.PrintProblems(w, v.faults)
	for _, warning := range v.warnings {
		fmt.Fprintln(w, "warning:", console.SanitizeLine(warning.String()))
	}
	fmt.Fprintf(w, "faults: %d, warnings: %d\n", len(v.faults), len(v.warnings))
}

type problemLine struct {
	Type       string `json:"type"` // fault or warning
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Field      string `json:"field"`
	Problem    string `json:"problem"`
	Allowed    string `json:"allowed,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
}

func (v validationReport) printJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	var errs []error
	for _, part := range []struct {
		name   string
		faults []wizard.Problem
	}{{"fault", v.faults}, {"warning", v.warnings}} {
		for _, f := range part.faults {
			errs = append(errs, encoder.Encode(problemLine{part.name, f.File, f.Line, f.Column, f.Field, f.Message, f.Allowed, f.Suggestion}))
		}
	}
	return errors.Join(append(errs, encoder.Encode(map[string]any{"type": "result", "faults": len(v.faults), "warnings": len(v.warnings)}))...)
}
