package run

import (
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
	Certificates cluster.Certificates
	Access       cluster.Access
	Etcd         cluster.Etcd
	Nodes        cluster.Nodes
	Operators    cluster.Operators
	Applications cluster.Applications
	Cloud        Cloud
}

// View draws the paragraphs that fit; counts at the bottom are dropped first. Requests move up where the operator has to decide.
func (p Overview) View(width, height int) string {
	var lines []string
	room := width - labelWidth
	if wrong := p.Diagnosis.RenderSummary(); wrong != "" {
		lines = append(lines, p.renderParagraph("wrong", wrong)...)
	}
	lines = append(lines, p.renderParagraph("bootstrap", p.Bootstrap.RenderSummary())...)
	if verdict := p.Access.DescribeVerdict(); verdict != "" {
		lines = append(lines, p.renderParagraph("access", p.Access.RenderSummary(), p.Theme.Caution.Render(verdict))...)
	}
	if certificates := p.Certificates.RenderSummary(); certificates != "" {
		lines = append(lines, p.renderParagraph("certs", certificates)...)
	}
	lines = append(lines, p.renderParagraph("etcd", p.Etcd.RenderSummary())...)
	requests := p.renderParagraph("csr", strings.TrimPrefix(p.Nodes.RenderRequests(), "CSR "))
	if p.Nodes.HasUndecided() {
		lines, requests = append(lines, requests...), nil
	}
	lines = append(lines, p.renderParagraph("nodes", p.renderNodes(room, height)...)...)
	if p.Operators.Version.Type != "" || len(p.Operators.Operators) > 0 {
		lines = append(lines, p.renderParagraph("operators", p.Operators.RenderSummary())...)
	}
	if taken := p.Applications.RenderSummary(); taken != "" {
		lines = append(lines, p.renderParagraph("syn", taken)...)
	}
	lines = append(lines, requests...)
	lines = append(lines, p.renderParagraph("cloud", p.renderCloud(room)...)...)
	return cells.Fill(lines, width, height)
}

// labelWidth is the width of the names of the paragraphs.
const labelWidth = 10

func (p Overview) renderParagraph(name string, lines ...string) []string {
	var paragraph []string
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		paragraph = append(paragraph, p.Theme.Label.Render(cells.Fit(name, labelWidth))+line)
	}
	return paragraph
}

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
