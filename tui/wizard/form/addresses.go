package form

import (
	"strings"

	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components/plan"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/capacity"
	"exoshift/wizard/session"
)

const minAddressesHeight = 4

// addresses shows the consequences of the network answers: the capacity of the ranges, their overlaps, and the cluster's host
// names.
type addresses struct {
	theme      theme.Theme
	spec       state.Spec
	ranges     plan.Ranges
	namesFirst bool // the names matter more than the ranges
}

func newAddresses(theme theme.Theme, spec state.Spec, changing string) addresses {
	return addresses{theme: theme, spec: spec, ranges: buildRanges(theme, spec, changing)}
}

func (a addresses) View(width, height int) string {
	capacity, ranges, names := a.buildCapacity(), a.ranges, a.renderAccess(width)
	lines := strings.Split(capacity.View(width, min(capacity.Height(width), max(height-2, 1))), "\n")
	if a.namesFirst && height < a.countLines(width) {
		return cells.Fill(append(lines, names...), width, height)
	}
	if room := min(ranges.Height(width), height-len(lines)); room > 0 {
		lines = append(lines, strings.Split(ranges.View(width, room), "\n")...)
	}
	if height-len(lines) > 2 {
		lines = append(append(lines, ""), names...)
	}
	return cells.Fill(lines, width, height)
}

func (a addresses) countLines(width int) int {
	return a.buildCapacity().Height(width) + a.ranges.Height(width) + 1 + len(a.renderAccess(width))
}

func (a addresses) buildCapacity() plan.Capacity {
	c := capacity.Compute(a.spec)
	return plan.Capacity{
		Theme: a.theme, Nodes: c.Nodes, PodsPerNode: c.PodsPerNode, Services: c.Services, Wanted: c.Wanted,
		Unknown: c.Nodes == 0 || c.PodsPerNode == 0,
	}
}

func buildRanges(theme theme.Theme, spec state.Spec, changing string) plan.Ranges {
	drawn := plan.Ranges{Theme: theme}
	for _, r := range wizard.ListRanges(spec) {
		one := plan.Range{
			Title: trimRangeName(r.Title), Prefix: r.Prefix, Reserved: r.Field == "", Edited: changing != "" && session.HasPrefix(r.Field, changing),
		}
		for _, other := range r.Overlaps {
			one.Overlaps = append(one.Overlaps, trimRangeName(other))
		}
		drawn.Ranges = append(drawn.Ranges, one)
	}
	return drawn
}

// trimRangeName shortens a title such as "the join network of OVN-Kubernetes" for a table.
func trimRangeName(title string) string {
	name, inside := strings.CutSuffix(title, " of OVN-Kubernetes")
	if !inside {
		return title
	}
	return "OVN " + strings.TrimSuffix(strings.TrimPrefix(name, "the "), " network")
}

func (a addresses) renderAccess(width int) []string {
	t, domain := a.theme, a.formatDomain()
	var lines []string
	add := func(label, text string) {
		wrapped := cells.Wrap(text, "", max(width-9, 8))
		for i, line := range wrapped {
			head := strings.Repeat(" ", 8)
			if i == 0 {
				head = t.Label.Render(cells.Fit(label, 7)) + " "
			}
			lines = append(lines, head+line)
		}
	}
	add("Names", "api."+domain+" and *."+a.formatAppsDomain())
	parent := a.spec.Cluster.BaseDomain
	if parent == "" {
		parent = "the base domain"
	}
	add("DNS", "Exoscale creates the zone "+domain+" during the installation and assigns its name servers. An administrator of "+
		parent+" then adds them as NS records of "+domain+"; the installation shows them and waits.")
	if a.hasExternalApps() {
		add("", "Point *."+a.formatAppsDomain()+" to ingress."+domain+", too: it is outside the zone.")
	}
	if a.spec.DNS.ACME {
		add("ACME", "Trusted certificates are issued once Project Syn runs; until then browsers warn.")
	} else {
		add("ACME", "Off: the cluster uses self-signed certificates; browsers warn.")
	}
	return lines
}

func (a addresses) formatDomain() string {
	id, base := a.spec.Cluster.ID, a.spec.Cluster.BaseDomain
	if id == "" {
		id = "<cluster ID>"
	}
	if base == "" {
		base = "<base domain>"
	}
	return cells.Sanitize(id + "." + base)
}

func (a addresses) formatAppsDomain() string {
	if a.spec.DNS.AppsDomain != "" {
		return cells.Sanitize(a.spec.DNS.AppsDomain)
	}
	return "apps." + a.formatDomain()
}

// hasExternalApps reports whether the applications' domain is outside the cluster's DNS zone.
func (a addresses) hasExternalApps() bool {
	return !strings.HasSuffix(a.formatAppsDomain(), "."+a.formatDomain())
}
