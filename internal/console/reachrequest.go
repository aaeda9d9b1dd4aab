package console

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/wizard/reach"
)

func writeRequest(out *strings.Builder, v ConnectivityReport) {
	demands := reach.ListFirewallRules(v.Report, v.Checks)
	if len(demands) == 0 {
		return
	}
	fmt.Fprintf(out, "\nFirewall request: %s, to paste into a ticket\n", text.Plural(len(demands), "line"))
	table := cells{{"what", "source", "destination", "port", "who", "checks"}}
	for _, d := range demands {
		table = append(table, []string{string(d.Ask), d.Source, d.Destination, replaceEmpty(d.Port), describeOwner(d.Owner), d.ID})
	}
	aligned := table.formatLines("  ")
	fmt.Fprintln(out, aligned[0])
	seen := ""
	for i, d := range demands {
		fmt.Fprintln(out, aligned[i+1])
		writeParagraph(out, "why   ", SanitizeLine(d.Reason))
		if d.Proof == seen {
			writeParagraph(out, "seen  ", "as above")
			continue
		}
		seen = d.Proof
		writeParagraph(out, "seen  ", SanitizeLine(d.Proof))
	}
}

func replaceEmpty(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

var ownerNames = map[string]string{ //nolint:gochecknoglobals // a table that nothing changes
	"network": "firewall team", "dns": "DNS team", "exoscale": "Exoscale", "vshn": "VSHN", "redhat": "Red Hat",
	"vendor": "its vendor", "customer": "you",
}

func describeOwner(owner string) string {
	if name, known := ownerNames[owner]; known {
		return name
	}
	return SanitizeLine(owner)
}
