package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/check"
	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/bundle"
	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
)

const packed = ".tar.gz"

func newBundleCommand(std cli.Streams) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "bundle [ID]",
		Short: "Create a support bundle without secrets and names",
		Long: `Create a support bundle: an archive of a cluster's folder without secrets and names.

The archive contains a summary, the answers, the facts, the journal, the events, the log, the report of the connectivity
checks, and the diagnostic data of failed runs. Secrets, public addresses, domains and names are replaced by tokens, equal
values by equal tokens. Files with keys or certificates are left out. A separate file beside the archive maps the tokens of
addresses and names to their values: keep it. Review the archive before you send it.`,
		Example: `  exoshift bundle c-demo-1
  exoshift bundle -d ./cluster --out ticket-4711.tar.gz`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "bundle", false, func(_ context.Context, o cli.Options) error { return pack(o, out, std) })
		},
	}
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cmd.Flags().StringVar(&out, "out", "", "archive to create (default exoshift-bundle-<time>"+packed+" in this directory)")
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	open := newOpenBundleCommand(std)
	open.Args = cli.WithUsageError(open.Args)
	cmd.AddCommand(open)
	return cmd
}

func newOpenBundleCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "open FILE" + packed,
		Short: "Show the contents of a support bundle",
		Long: `Show the state of the installation in a support bundle, the findings, and how to replay the run.

Of a truncated bundle, the complete part is shown, with exit code 3. Tokens in its answers are no error.
"status" and "replay" accept a bundle, too.`,
		Example:           "  exoshift bundle open exoshift-bundle-20260504T145931Z" + packed,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{packed[1:]}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			return showBundle(args[0], o, std)
		},
	}
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func showBundle(name string, o cli.Options, std cli.Streams) error {
	folder, remove, damage, err := openBundle(name)
	if err != nil {
		return err
	}
	defer remove()
	shown := readStatus(folder)
	shown.place = name
	if err := shown.print(o.Output, std); err != nil {
		return err
	}
	if !o.Output.IsJSON() {
		fmt.Fprintf(std.Out, "\nConnectivity checks\n%s", check.DescribeKept(folder))
		fmt.Fprintf(std.Out, "\nSee the run again: exoshift replay %s\n", shellescape.Quote(name))
	}
	shown.noteProblem(std)
	return damage
}

// summarize returns what a person reads first of a bundle: the state, the findings, and the last events.
func summarize(folder state.Folder, now time.Time) []byte {
	const last = 30 // events
	var out, lines bytes.Buffer
	shown := readStatus(folder)
	fmt.Fprintf(&out, "# Summary\n\nPacked at %s by %s.\n", now.Format(time.RFC3339), newBuild().Describe())
	var events []provisioner.Event
	_ = clusterdir.ReadEvents(folder, func(e provisioner.Event) { // what cannot be read is told below
		if events = append(events, e); e.Type == provisioner.TypeRun && e.State == provisioner.Started {
			fmt.Fprintf(&out, "- %s: %s, by %s: %s\n", e.Time.UTC().Format(time.RFC3339), e.Text, cmp.Or(e.Program, "an unknown version"), cmp.Or(e.Command, "unknown command"))
		}
	})
	if shown.problem != nil {
		fmt.Fprintf(&out, "\nNot everything could be read: %v\n", shown.problem)
	}
	console.PrintStatus(&lines, shown.board, shown.facts, handover.Locations{Folder: folder.Path()})
	fmt.Fprintf(&out, "\n## Connectivity checks\n\n```\n%s```\n", check.DescribeKept(folder))
	fmt.Fprintf(&out, "\n## State, findings and fix\n\n```\n%s```\n\n## Last events\n\n```\n", lines.String())
	emit := console.NewPlain(&out)
	for _, e := range events[max(0, len(events)-last):] {
		emit(e)
	}
	out.WriteString("```\n")
	return out.Bytes()
}

func pack(o cli.Options, out string, std cli.Streams) error {
	folder, err := clusterdir.Find(o.Dir)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	if out == "" {
		out = "exoshift-bundle-" + now.Format("20060102T150405Z") + packed
	}
	meanings := strings.TrimSuffix(out, packed) + ".tokens.json"
	for _, name := range []string{out, meanings} {
		if _, err := os.Lstat(name); err == nil {
			return exit.WithCode(exit.Usage, fmt.Errorf("%s already exists; use another file with --out", name))
		}
	}
	made, err := bundle.Pack(folder, bundle.Origin{Program: newBuild().Describe(), Packed: now, Summary: summarize(folder, now)}, clusterdir.NewRedactor(folder))
	if err != nil {
		return err
	}
	if err := write(out, made.Archive); err != nil {
		return err
	}
	key, err := json.MarshalIndent(made.Meanings, "", " ")
	if err == nil {
		err = write(meanings, append(key, '\n'))
	}
	if err != nil {
		return errors.Join(err, os.Remove(out))
	}
	if o.Output.IsJSON() {
		return json.NewEncoder(std.Out).Encode(bundleResult{"bundle", out, meanings, made})
	}
	console.PrintBundle(std.Out, made, out, meanings)
	return nil
}

type bundleResult struct {
	Type   string `json:"type"`
	Path   string `json:"path"`
	Tokens string `json:"tokens"` // the file with their meanings
	bundle.Bundle
}

func write(name string, content []byte) error {
	err := bundle.Create(name, content)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return exit.WithCode(exit.Usage, fmt.Errorf("write the bundle: %w; use another file with --out", err))
	}
	return err
}
