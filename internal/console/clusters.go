package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/text"
)

// PrintClusters prints a table of the clusters and drafts of a machine.
func PrintClusters(w io.Writer, clusters []clusterdir.Cluster, now time.Time) error {
	if len(clusters) == 0 {
		_, err := fmt.Fprintln(w, "No clusters and no drafts on this machine. To install one: exoshift install")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tZONE\tVERSION\tSTATE\tCHANGED\tFOLDER")
	for _, c := range clusters {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", orDash(c.ID), orDash(c.Zone), orDash(c.Version), c.State,
			text.FormatAge(now.Sub(c.Changed)), SanitizeLine(c.Folder))
	}
	return table.Flush()
}

func orDash(foreign string) string { return cmp.Or(SanitizeLine(foreign), "-") }

type clusterLine struct {
	Type    string    `json:"type"` // cluster or draft
	ID      string    `json:"id,omitempty"`
	Zone    string    `json:"zone,omitempty"`
	Version string    `json:"version,omitempty"`
	State   string    `json:"state"`
	Changed time.Time `json:"changed,omitzero"`
	Folder  string    `json:"folder"`
}

// WriteClustersJSON writes a line of JSON for each cluster and draft.
func WriteClustersJSON(w io.Writer, clusters []clusterdir.Cluster) error {
	encoder := json.NewEncoder(w)
	for _, c := range clusters {
		line := clusterLine{"cluster", c.ID, c.Zone, c.Version, string(c.State), c.Changed.UTC().Truncate(time.Second), c.Folder}
		if c.Draft != "" {
			line.Type = "draft"
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
