package run

import (
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components/cluster"
	"exoshift/tui/theme"
)

// Overview is one short paragraph about each part of the cluster.
type Overview struct {
	Theme        theme.Theme
	Diagnosis    Diagnosis // without findings where they are shown elsewhere
	Bootstrap    cluster.Bootstrap
	Day2         cluster.Day2
	Certificates cluster.Certificates
	Access       cluster.Access
	Etcd         cluster.Etcd
	Nodes        cluster.Nodes
	Operators    cluster.Operators
	Applications cluster.Applications
	Cloud        Cloud
}

// paragraph is what the overview has to say about one part of the cluster.
type paragraph struct {
	name  string
	lines []string
}

// View draws the paragraphs that fit, and names those that do not: other panes have all of them.
func (p Overview) View(width, height int) string {
	var lines, names []string // of each line, the name of its paragraph
	for _, paragraph := range p.listParagraphs(width-labelWidth, height) {
		for i, line := range paragraph.lines {
			label := ""
			if i == 0 {
				label = paragraph.name
			}
			lines = append(lines, p.Theme.Label.Render(cells.Fit(label, labelWidth))+line)
			names = append(names, paragraph.name)
		}
	}
	if len(lines) > height && height > 0 {
		more := p.Theme.Dim.Render("↓ more: " + strings.Join(slices.Compact(names[height:]), ", "))
		lines = append(lines[:height-1:height-1], cells.JoinEnds(lines[height-1], more, width))
	}
	return cells.Fill(lines, width, height)
}

// listParagraphs puts the counts last, which are left out first. Requests move up where the operator has to decide.
func (p Overview) listParagraphs(room, height int) []paragraph {
	var all []paragraph
	add := func(name string, lines ...string) {
		if len(lines) > 0 && lines[0] != "" {
			all = append(all, paragraph{name, lines})
		}
	}
	addRequests := func() { add("csr", strings.TrimPrefix(p.Nodes.RenderRequests(), "CSR ")) }
	add("wrong", p.Diagnosis.RenderSummary())
	if p.Day2.Board.Verb != "" {
		add("day 2", p.Day2.RenderSummary())
	} else {
		add("bootstrap", p.Bootstrap.RenderSummary())
	}
	if verdict := p.Access.DescribeVerdict(); verdict != "" {
		add("access", p.Access.RenderSummary(), p.Theme.Caution.Render(verdict))
	}
	add("certs", p.Certificates.RenderSummary())
	add("etcd", p.Etcd.RenderSummary())
	if p.Nodes.HasUndecided() {
		addRequests()
	}
	add("nodes", p.renderNodes(room, height)...)
	if p.Operators.Version.Type != "" || len(p.Operators.Operators) > 0 {
		add("operators", p.Operators.RenderSummary())
	}
	add("syn", p.Applications.RenderSummary())
	if !p.Nodes.HasUndecided() {
		addRequests()
	}
	if p.Cloud.Installed {
		add("changes", p.renderCloud(room)...)
	} else {
		add("cloud", p.renderCloud(room)...)
	}
	return all
}

// labelWidth is the width of the names of the paragraphs.
const labelWidth = 10

func (p Overview) renderNodes(width, height int) []string {
	lines := cells.WrapParts(append([]string{p.Nodes.RenderReady()}, p.Nodes.RenderRoles()...), "  ", width)
	if height < 8 {
		return append(lines, p.Nodes.RenderUnhealthy(1)...)
	}
	return append(lines, p.Nodes.RenderUnhealthy(3)...)
}

func (p Overview) renderCloud(width int) []string {
	lines := strings.Split(p.Cloud.RenderSummary(), ", ")
	return cells.WrapParts(lines, ", ", width)
}
