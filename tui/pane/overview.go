package pane

import "strings"

// Overview is one short paragraph about each part of the cluster.
type Overview struct {
	Theme        Theme
	Bootstrap    Bootstrap
	Certificates Certificates
	Etcd         Etcd
	Nodes        Nodes
	Cloud        Cloud
}

// View draws the paragraphs that fit; counts at the bottom go first.
func (p Overview) View(width, height int) string {
	var lines []string
	room := width - labelWidth
	lines = append(lines, p.paragraph("bootstrap", p.Bootstrap.Summary())...)
	if certificates := p.Certificates.Summary(); certificates != "" {
		lines = append(lines, p.paragraph("certs", certificates)...)
	}
	lines = append(lines, p.paragraph("etcd", p.Etcd.Summary())...)
	lines = append(lines, p.paragraph("nodes", p.nodes(room, height)...)...)
	lines = append(lines, p.paragraph("csr", strings.TrimPrefix(p.Nodes.Requests(), "CSR "))...)
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
