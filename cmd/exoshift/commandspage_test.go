package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md anew")

// TestCommandsPage_IsCurrent compares the page with the help of every command that is not hidden.
func TestCommandsPage_IsCurrent(t *testing.T) {
	const page = "../../docs/reference/commands.md"
	var out strings.Builder
	out.WriteString("# Commands\n\n<!-- generated: go test ./cmd/exoshift -run CommandsPage -update -->\n\n" +
		"Every command, as `exoshift COMMAND --help` prints it. Flags may be given by [variables](environment.md), too.\n")
	root := newRootCommand(cli.Streams{In: strings.NewReader(""), Out: &strings.Builder{}, Err: &strings.Builder{}})
	commands := listCommands(root)
	for _, command := range commands {
		fmt.Fprintf(&out, "\n- [`%s`](#%s): %s", command.CommandPath(), strings.ReplaceAll(command.CommandPath(), " ", "-"), command.Short)
	}
	out.WriteString("\n")
	for _, command := range commands {
		formatCommand(&out, command)
	}
	want := out.String()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date (-program +file):\n%s", page, diff)
	}
}

// listCommands returns the commands below one, each before those below it.
func listCommands(parent *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, command := range parent.Commands() {
		if command.IsAvailableCommand() {
			all = append(append(all, command), listCommands(command)...)
		}
	}
	return all
}

func formatCommand(out *strings.Builder, command *cobra.Command) {
	description := command.Long
	if description == "" {
		description = command.Short + "."
	}
	fmt.Fprintf(out, "\n## `%s`\n\n```text\n%s\n```\n", command.CommandPath(), strings.TrimSpace(description))
	if command.Runnable() {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", command.UseLine())
	}
	if command.HasExample() {
		fmt.Fprintf(out, "\n<!-- not run: examples of the help, of clusters, zones and terminals that a test does not have -->\n```sh\n%s\n```\n", strings.TrimRight(unindent(command.Example), "\n"))
	}
	if flags := command.NonInheritedFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", strings.TrimRight(flags.FlagUsages(), "\n"))
	}
}

func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
