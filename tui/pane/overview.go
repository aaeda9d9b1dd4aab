package pane

import "strings"

// Overview is one short paragraph about each part of the cluster.
type Overview struct {
	Theme        Theme
	Diagnosis    Diagnosis // without findings where they are told elsewhere
	Bootstrap    Bootstrap
	Certificates Certificates
	Reach        Reach
	Etcd         Etcd
	Nodes        Nodes
	Operators    Operators
	Applications Applications
	Cloud        Cloud
}

// View draws the paragraphs that fit; counts at the bottom go first. Requests come earlier where somebody has to decide.
func (p Overview) View(width, height int) string {
	var lines []string
	room := width - labelWidth
	if wrong := p.Diagnosis.Summary(); wrong != "" {
		lines = append(lines, p.paragraph("wrong", wrong)...)
	}
	lines = append(lines, p.paragraph("bootstrap", p.Bootstrap.Summary())...)
	if verdict := p.Reach.Verdict(); verdict != "" {
		lines = append(lines, p.paragraph("ways", p.Reach.Summary(), p.Theme.Caution.Render(verdict))...)
	}
	if certificates := p.Certificates.Summary(); certificates != "" {
		lines = append(lines, p.paragraph("certs", certificates)...)
	}
	lines = append(lines, p.paragraph("etcd", p.Etcd.Summary())...)
	requests := p.paragraph("csr", strings.TrimPrefix(p.Nodes.Requests(), "CSR "))
	if p.Nodes.Undecided() {
		lines, requests = append(lines, requests...), nil
	}
	lines = append(lines, p.paragraph("nodes", p.nodes(room, height)...)...)
	if p.Operators.Version.Type != "" || len(p.Operators.Operators) > 0 {
		lines = append(lines, p.paragraph("operators", p.Operators.Summary())...)
	}
	if taken := p.Applications.Summary(); taken != "" {
		lines = append(lines, p.paragraph("syn", taken)...)
	}
	lines = append(lines, requests...)
	lines = append(lines, p.paragraph("cloud", p.cloud(room)...)...)
	return Fill(lines, width, height)
}

// labelWidth is how wide the names of the paragraphs are.
const labelWidth = 10

func (p Overview) paragraph(name string, lines ...string) []string {
	var paragraph []string
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		paragraph = append(paragraph, p.Theme.Label.Render(Fit(name, labelWidth))+line)
	}
	return paragraph
}

func (p Overview) nodes(width, height int) []string {
	lines := flow(append([]string{p.Nodes.Ready()}, p.Nodes.Roles()...), "  ", width)
	if height < 8 {
		return append(lines, p.Nodes.Troubled(1)...)
	}
	return append(lines, p.Nodes.Troubled(3)...)
}

func (p Overview) cloud(width int) []string {
	lines := strings.Split(p.Cloud.Summary(), ", ")
	return flow(lines, ", ", width)
}
