package preflight

import (
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

// EndpointDetails explains one service as seen from one source.
type EndpointDetails struct {
	Theme       theme.Theme
	Endpoint    *Endpoint // nil: nothing
	Sources     []string  // as reports have them
	SourceIndex int
	Note        string // number of findings, and what to do with them
	Offset      int    // lines scrolled
}

// View draws what fits, and shows that there is more.
func (p EndpointDetails) View(width, height int) string {
	lines := p.renderLines(width)
	lines = lines[min(max(p.Offset, 0), max(len(lines)-max(height, 0), 0)):]
	if len(lines) > height && height > 2 {
		lines = append(slices.Clone(lines[:height-1]), " "+p.Theme.Dim.Render("↓ more"))
	}
	return cells.Fill(lines, width, height)
}

// CountLines returns the number of lines of everything.
func (p EndpointDetails) CountLines(width int) int { return len(p.renderLines(width)) }

func (p EndpointDetails) renderLines(width int) []string {
	if p.Endpoint == nil {
		return nil
	}
	e, s := p.Endpoint, p.Endpoint.FromSource(p.SourceIndex)
	lines := append(p.renderHeading(e, s, width), cells.WrapStyled(p.Theme.Plain, p.describeResult(e, s), " ", width)...)
	wrong := s.Status == theme.Failed || s.Status == theme.Warn
	if wrong {
		lines = append(append(lines, p.renderField("Fix", s.Result.Hint, width)...), p.renderCommand(s.Command, width)...)
	}
	if s.Result.Verdict != "" && s.Result.Verdict != reach.Skipped {
		lines = append(lines, p.renderField("Layers", e.renderLayers(p.Theme, s.Result), width)...)
	}
	lines = append(lines, p.renderField("For", joinNonEmpty(" ", e.Check.Reason, describeSeverity(e.Check.Severity)), width)...)
	lines = append(lines, p.renderOwner(e, width)...)
	lines = append(lines, p.renderField("Seen", p.renderEvidence(s.Result), width)...)
	lines = append(lines, p.renderField("Else", p.renderOtherSources(e), width)...)
	lines = append(lines, p.renderField("Page", e.Check.Page(), width)...)
	if !wrong {
		lines = append(lines, p.renderCommand(s.Command, width)...)
	}
	return lines
}

// RenderAll returns everything about the service: as seen from the chosen source, then from each other one that has seen it.
func (p EndpointDetails) RenderAll(width int) []string {
	lines := p.renderLines(width)
	if p.Endpoint == nil {
		return nil
	}
	for i, s := range p.Endpoint.Results {
		if i == p.SourceIndex || s.Result.Verdict == "" {
			continue
		}
		other := p
		other.SourceIndex = i
		lines = append(append(lines, ""), other.renderHeading(p.Endpoint, s, width)...)
		lines = append(lines, cells.WrapStyled(p.Theme.Plain, other.describeResult(p.Endpoint, s), " ", width)...)
		if s.Status == theme.Failed || s.Status == theme.Warn {
			lines = append(lines, p.renderField("Fix", s.Result.Hint, width)...)
		}
		if s.Result.Verdict != reach.Skipped {
			lines = append(lines, p.renderField("Layers", p.Endpoint.renderLayers(p.Theme, s.Result), width)...)
		}
		lines = append(append(lines, p.renderField("Seen", p.renderEvidence(s.Result), width)...), p.renderCommand(s.Command, width)...)
	}
	return lines
}

func (p EndpointDetails) renderHeading(e *Endpoint, s SourceResult, width int) []string {
	t := p.Theme
	left, from := " "+t.Bold.Render(e.Check.ID)+"  "+e.Target(), t.Dim.Render(" from "+DescribeSource(p.getSource(p.SourceIndex)))
	right := t.Style(s.Status).Bold(true).Render(strings.ToUpper(s.describeStatus())) + " "
	if cells.Count(left)+cells.Count(from)+1+cells.Count(right) <= width {
		return []string{cells.JoinEnds(left+from, right, width)}
	}
	return []string{cells.JoinEnds(left, right, width), cells.Truncate(from, width)}
}

func (p EndpointDetails) getSource(i int) string {
	if i < 0 || i >= len(p.Sources) {
		return ""
	}
	return p.Sources[i]
}

// DescribeSource returns a phrase for the place where a check runs.
func DescribeSource(vantage string) string {
	host, ssh := strings.CutPrefix(vantage, reach.SSHSource)
	switch {
	case ssh:
		return host
	case vantage == reach.Workstation:
		return "this machine"
	case vantage == reach.Zone:
		return "the zone"
	}
	return vantage
}

// FormatSource returns a source in one short word.
func FormatSource(vantage string) string {
	switch {
	case strings.HasPrefix(vantage, reach.SSHSource):
		return "ssh"
	case vantage == reach.Workstation:
		return "here"
	}
	return cells.Truncate(vantage, checkColumn-1)
}

func (p EndpointDetails) describeResult(e *Endpoint, s SourceResult) string {
	how := s.Result.Describe()
	switch {
	case s.Status == theme.Running:
		how = "checking…"
	case s.Status == theme.Waiting && s.NotApplicable && p.getSource(p.SourceIndex) == reach.Workstation:
		how = "only checked from the zone"
	case s.Status == theme.Waiting && s.NotApplicable:
		how = "only needed from this machine"
	case s.Status == theme.Waiting:
		how = "not checked from " + DescribeSource(p.getSource(p.SourceIndex)) + " yet"
	}
	return joinNonEmpty(": ", e.Check.Title, how)
}

// labelColumn is as wide as the longest label, with the space behind it.
const labelColumn = 8

// text may have styles and several lines.
func (p EndpointDetails) renderField(label, text string, width int) []string {
	if text == "" {
		return nil
	}
	lines := cells.Wrap(text, "", width-labelColumn-1)
	for i, line := range lines {
		head := strings.Repeat(" ", labelColumn)
		if i == 0 {
			head = p.Theme.Label.Render(cells.Fit(label, labelColumn))
		}
		lines[i] = " " + head + line
	}
	return lines
}

// renderCommand shows the command that reproduces the result.
func (p EndpointDetails) renderCommand(command string, width int) []string {
	if command == "" {
		return nil
	}
	return p.renderField("Test", command+"  (c copies)", width)
}

func (p EndpointDetails) renderOwner(e *Endpoint, width int) []string {
	t, owner := p.Theme, e.Check.Owner
	if owner == "" {
		owner = "unknown"
	}
	left := " " + t.Label.Render(cells.Fit("Ask", labelColumn)) + describeOwner(owner)
	if cells.Count(left)+cells.Count(p.Note)+3 <= width {
		return []string{cells.JoinEnds(left, t.Dim.Render(p.Note)+" ", width)}
	}
	return []string{left, " " + strings.Repeat(" ", labelColumn) + t.Dim.Render(p.Note)}
}

func describeOwner(owner string) string {
	words, known := map[string]string{
		"network": "network team", "dns": "DNS team", "exoscale": "Exoscale", "vshn": "VSHN",
		"redhat": "Red Hat", "vendor": "the vendor", "customer": "its operator",
	}[owner]
	if !known {
		return owner
	}
	return words
}

func describeSeverity(s reach.Severity) string {
	switch s {
	case reach.Must:
		return "Required."
	case reach.Should:
		return "Recommended."
	case reach.May:
		return "Optional."
	}
	return ""
}

func (p EndpointDetails) renderOtherSources(e *Endpoint) string {
	var others []string
	for i, s := range e.Results {
		if i != p.SourceIndex && s.Status != theme.Waiting {
			others = append(others, "from "+DescribeSource(p.getSource(i))+" "+p.Theme.Mark(s.Status)+" "+s.Status.Word())
		}
	}
	return strings.Join(others, ", ")
}
