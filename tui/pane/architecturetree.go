package pane

import (
	"fmt"

	"exoshift/state"
)

// tree says in single lines what a picture shows, for where there is no room for one.
func (p Architecture) tree(height int) []string {
	lines := p.ways()
	if p.answered("nodes") {
		lines = append(lines, p.groups(height-len(lines))...)
	}
	for _, remark := range p.remarks() {
		lines = append(lines, " "+p.Theme.Label.Render(remark[0])+" "+remark[1])
	}
	return lines[:min(len(lines), max(height, 0))]
}

// ways are how the internet comes to the cluster.
func (p Architecture) ways() []string {
	t := p.Theme
	var lines []string
	if p.answered("access") {
		lines = append(lines, " "+t.Label.Render("zone")+" Exoscale "+Clean(p.Spec.Exoscale.Zone))
	}
	if !p.answered("cluster") {
		return lines
	}
	lines = append(lines, " "+t.Label.Render("DNS")+" "+Clean(p.Spec.Domain()))
	between := " " + t.Arrow + " "
	if p.answered("network") && !p.Spec.RoundRobin() {
		between = " " + t.Arrow + " IP " + t.Arrow + " balancers " + t.Arrow + " "
	}
	return append(lines, "  api"+between+"masters", "  *.apps"+between+string(p.routers()))
}

// groups are the machines, a line for each role; those for which there is no line are only counted.
func (p Architecture) groups(height int) []string {
	t := p.Theme
	var lines []string
	for _, role := range append([]state.Role{state.RoleLoadBalancer, state.RoleBootstrap, state.RoleMaster}, p.Spec.ComputeRoles()...) {
		if n := p.Spec.Group(role).Count; n > 0 {
			lines = append(lines, fmt.Sprintf("  %2d %s %s  %s", n, t.Times, Fit(Clean(string(role)), 10), t.Dim.Render(p.purpose(role))))
		}
	}
	if len(lines) > height && height > 1 {
		lines = append(lines[:height-1], t.Dim.Render("     "+Plural(len(lines)-height+1, "more group")))
	}
	return lines
}
