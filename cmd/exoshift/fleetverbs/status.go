package fleetverbs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/cmd/exoshift/stateverbs"
	"exoshift/internal/app/fleet"
	"exoshift/internal/console"
	screen "exoshift/tui/fleet"
)

func (v view) showStatus(ctx context.Context) error {
	if v.options.Output == cli.OutputTUI {
		return v.showScreen(ctx)
	}
	clusters, err := v.list(ctx)
	if err != nil {
		return err
	}
	if v.options.Output.IsJSON() {
		return writeJSON(v.std.Out, clusters)
	}
	return writeTable(v.std.Out, clusters, v.fleet.Now())
}

// writeJSON writes an object a line.
func writeJSON(w io.Writer, clusters []fleet.Cluster) error {
	encoder := json.NewEncoder(w)
	for _, c := range clusters {
		if err := encoder.Encode(c); err != nil {
			return fmt.Errorf("show the fleet: %w", err)
		}
	}
	return nil
}

func writeTable(w io.Writer, clusters []fleet.Cluster, now time.Time) error {
	if len(clusters) == 0 {
		_, err := fmt.Fprintln(w, "There is no such cluster in shared state.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for n, title := range fleet.Columns() {
		fmt.Fprint(table, separate(n), title)
	}
	fmt.Fprintln(table)
	for _, c := range clusters {
		for n, cell := range c.Row(now) {
			fmt.Fprint(table, separate(n), cmp.Or(console.SanitizeLine(cell), "-"))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("show the fleet: %w", err)
	}
	for _, c := range clusters {
		for _, finding := range c.Findings {
			fmt.Fprintf(w, "%s: %s\n", console.SanitizeLine(c.ID), console.SanitizeLine(finding))
		}
	}
	return nil
}

func separate(n int) string {
	if n == 0 {
		return ""
	}
	return "\t"
}

// newRows marks the clusters that a gate would stop at.
func (v view) newRows(clusters []fleet.Cluster) []screen.Row {
	gate := fleet.CheckGate(clusters)
	rows := make([]screen.Row, len(clusters))
	for n, c := range clusters {
		rows[n] = screen.Row{ID: c.ID, Cells: c.Row(v.fleet.Now()), Keys: c.SortKeys(), Faulty: len(gate.Faults[c.ID]) > 0, Details: c.Findings}
		if update := c.DescribeUpdates(); update != "" {
			rows[n].Details = append(slices.Clone(c.Findings), update)
		}
	}
	return rows
}

// showScreen returns to the table when the dashboard of a cluster is left.
func (v view) showScreen(ctx context.Context) error {
	var position screen.Position
	for {
		clusters, err := v.list(ctx)
		if err != nil {
			return err
		}
		rows := v.newRows(clusters)
		chosen, left, err := screen.Run(ctx, screen.Options{
			Title: v.access.Address.Text, Columns: fleet.Columns(), Rows: rows, Position: position,
			In: v.std.In, Out: v.std.TerminalWriter(), ASCII: v.options.ASCII, NoColor: os.Getenv("NO_COLOR") != "",
		})
		if err != nil || chosen == "" {
			return err
		}
		position = left
		if err := stateverbs.Watch(ctx, v.fleet.Place, v.access, chosen, v.options, v.std); err != nil {
			return err
		}
		v.fleet.Refresh = nil // it was asked for once
	}
}
