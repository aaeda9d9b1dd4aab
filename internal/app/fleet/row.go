package fleet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/text"
)

// Columns are the titles of a table of clusters.
func Columns() []string {
	return []string{"ID", "ZONE", "VERSION", "PHASE", "RUN", "NODES", "FINDINGS", "DRIFT", "UPDATE", "CERTIFICATES", "MONTH", "SUCCESS", "LABELS"}
}

// Row are a cluster's cells below the columns; "" where nothing is known.
func (c Cluster) Row(now time.Time) []string {
	run := c.Run.State
	if c.Run.Holder != "" {
		run = strings.TrimSpace(run + " " + c.Run.Holder)
	}
	nodes := ""
	if c.Nodes > 0 {
		nodes = fmt.Sprintf("%d/%d", c.NodesReady, c.Nodes)
	}
	cost := ""
	if c.CostMonth > 0 {
		cost = fmt.Sprintf("%.0f", c.CostMonth)
	}
	return []string{c.ID, c.Zone, c.Version, c.Phase, run, nodes, strconv.Itoa(len(c.Findings)), c.formatDrift(now), c.formatUpdate(), c.formatExpiry(now), cost, c.formatSuccess(now), formatLabels(c.Labels)}
}

// SortKeys are what the rows of a table are sorted by, below the columns: texts that are in the order of what they say.
func (c Cluster) SortKeys() []string {
	keys := c.Row(time.Time{})
	number := func(n float64) string { return fmt.Sprintf("%020.3f", n) }
	keys[5], keys[6], keys[10] = number(float64(c.Nodes-c.NodesReady)), number(float64(len(c.Findings))), number(c.CostMonth)
	keys[7] = "1"
	if c.Drift != nil {
		keys[7] = strconv.FormatBool(*c.Drift)
	}
	keys[9], keys[11] = sortTime(&c.Expires), sortTime(c.LastSuccess)
	return keys
}

func sortTime(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

func (c Cluster) formatDrift(now time.Time) string {
	if c.Drift == nil {
		return "unknown"
	}
	word := "no"
	if *c.Drift {
		word = "yes"
	}
	if c.Checked.IsZero() {
		return word
	}
	return word + ", " + text.FormatAge(max(0, now.Sub(c.Checked)))
}

// formatUpdate returns the newest release that is recommended to it, or else how many are not.
func (c Cluster) formatUpdate() string {
	for _, one := range c.Updates {
		if one.Recommended {
			return one.Version
		}
	}
	switch {
	case c.Updates == nil:
		return ""
	case len(c.Updates) == 0:
		return "none"
	}
	return fmt.Sprintf("%d with risks", len(c.Updates))
}

func (c Cluster) formatExpiry(now time.Time) string {
	switch left := c.Expires.Sub(now); {
	case c.Expires.IsZero():
		return ""
	case left <= 0:
		return "expired"
	default:
		return "end in " + text.FormatDuration(left)
	}
}

func (c Cluster) formatSuccess(now time.Time) string {
	if c.LastSuccess == nil {
		return ""
	}
	return text.FormatAge(max(0, now.Sub(*c.LastSuccess)))
}

func formatLabels(labels map[string]string) string {
	var items []string
	for key, value := range labels {
		items = append(items, key+"="+value)
	}
	slices.Sort(items)
	return strings.Join(items, ",")
}
