package console

import (
	"fmt"
	"strings"

	"exoshift/wizard/reach"
)

// request writes the firewall request, if there is something to ask for.
func (v Reachability) request(out *strings.Builder) {
	demands := reach.Demands(v.Report, v.Checks)
	if len(demands) == 0 {
		return
	}
	fmt.Fprintf(out, "\nFirewall request: %s, to paste into a ticket\n", count(len(demands), "line"))
	table := cells{{"what", "source", "destination", "port", "who", "checks"}}
	for _, d := range demands {
		table = append(table, []string{string(d.Ask), d.Source, d.Destination, orDash(d.Port), ownerName(d.Owner), d.ID})
	}
	aligned := table.lines("  ")
	fmt.Fprintln(out, aligned[0])
	seen := ""
	for i, d := range demands {
		fmt.Fprintln(out, aligned[i+1])
		paragraph(out, "why   ", Clean(d.Reason))
		if d.Proof == seen {
			paragraph(out, "seen  ", "as above")
			continue
		}
		seen = d.Proof
		paragraph(out, "seen  ", Clean(d.Proof))
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ownerName says who can change something.
func ownerName(owner string) string {
	if name, known := map[string]string{
		"network": "firewall team", "dns": "DNS team", "exoscale": "Exoscale", "vshn": "VSHN", "redhat": "Red Hat",
		"vendor": "its vendor", "customer": "you",
	}[owner]; known {
		return name
	}
	return Clean(owner)
}
