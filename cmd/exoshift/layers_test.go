package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/layers"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// The variable of a flag must not be that of an answer, nor a misspelling of one.
func TestFlags_AreNotAnswers(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if cmd.CommandPath() == "exoshift restore objects" && flag.Name == "kind" {
				return // is read from the command line alone, as the answers have had this variable first
			}
			name := "EXOSHIFT_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if warnings := answersfile.CheckVariables(state.Default(), []string{name}); len(warnings) > 0 {
				t.Errorf("--%s of %s: %v", flag.Name, cmd.CommandPath(), warnings)
			}
			for _, field := range wizard.Fields() {
				if field.Variable() == name {
					t.Errorf("--%s of %s shares its variable with %s", flag.Name, cmd.CommandPath(), field.Key)
				}
			}
		})
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(newRootCommand(cli.Streams{Out: io.Discard, Err: io.Discard}))
}

// Each layer overrides those below it, and an answer has the origin of its layer.
func TestLayers_Precedence(t *testing.T) {
	const key = "syn.facts"
	yaml := func(value string) []byte { return []byte("syn: {facts: {Region: " + value + "}}\n") }
	usual, file := answersfile.ReadUsual("config.yaml", yaml("usual")), answersfile.ReadAnswers("answers.yaml", yaml("file"))
	t.Setenv("EXOSHIFT_SYN_FACTS", " Region=variable ")
	variables, flags := answersfile.ReadVariables(environment.LookupEnv), answersfile.ReadFlags([]string{"syn.facts=Region=flag"})
	for name, c := range map[string]struct {
		layers         layers.Layers
		answer, origin string
	}{
		"nothing":       {layers.Layers{}, "", "default"},
		"usual":         {layers.Layers{UserConfig: &usual}, "Region=usual", "config.yaml:1"},
		"a file":        {layers.Layers{UserConfig: &usual, Answers: &file}, "Region=file", "answers.yaml:1"},
		"the variables": {layers.Layers{UserConfig: &usual, Answers: &file, Variables: &variables}, "Region=variable", "EXOSHIFT_SYN_FACTS"},
		"a flag":        {layers.Layers{UserConfig: &usual, Answers: &file, Variables: &variables, Flags: flags}, "Region=flag", "--set"},
		"no variables":  {layers.Layers{Answers: &file}, "Region=file", "answers.yaml:1"},
	} {
		all, err := c.layers.Merge()
		if err != nil {
			t.Fatal(err)
		}
		field := answersfile.FindFields(key)[0]
		if got := field.Get(all.Answers.Spec); got != c.answer || all.Answers.Origin(key) != c.origin {
			t.Errorf("%s: %q from %s, want %q from %s", name, got, all.Answers.Origin(key), c.answer, c.origin)
		}
	}
}
