package plan

import (
	"fmt"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/tui/cells"
)

// renderTree is the picture in single lines, where there is no room for boxes.
func (p Architecture) renderTree(height int) []string {
	lines := p.renderPaths()
	if p.isAnswered("nodes") {
		lines = append(lines, p.renderGroups(height-len(lines))...)
	}
	for _, remark := range p.listNotes() {
		lines = append(lines, " "+p.Theme.Label.Render(remark[0])+" "+remark[1])
	}
	return lines[:min(len(lines), max(height, 0))]
}

func (p Architecture) renderPaths() []string {
	t := p.Theme
	var lines []string
	if p.isAnswered("access") {
		lines = append(lines, " "+t.Label.Render("zone")+" Exoscale "+cells.Sanitize(p.Spec.Exoscale.Zone))
	}
	if !p.isAnswered("cluster") {
		return lines
	}
	lines = append(lines, " "+t.Label.Render("DNS")+" "+cells.Sanitize(p.Spec.Domain()))
	between := " " + t.Arrow + " "
	if p.isAnswered("network") && !p.Spec.IsRoundRobin() {
		between = " " + t.Arrow + " IP " + t.Arrow + " balancers " + t.Arrow + " "
	}
	return append(lines, "  api"+between+"masters", "  *.apps"+between+string(p.findRouterRole()))
}

// renderGroups has a line for each role; those without room are only counted.
func (p Architecture) renderGroups(height int) []string {
	t := p.Theme
	var lines []string
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleBootstrap, state.RoleMaster}, p.Spec.ComputeRoles()...) {
		if n := p.Spec.Group(role).Count; n > 0 {
			lines = append(lines, fmt.Sprintf("  %2d %s %s  %s", n, t.Times, cells.Fit(cells.Sanitize(string(role)), 10), t.Dim.Render(p.describeRole(role))))
		}
	}
	if len(lines) > height && height > 1 {
		lines = append(lines[:height-1], t.Dim.Render("     "+text.Plural(len(lines)-height+1, "more group")))
	}
	return lines
}
