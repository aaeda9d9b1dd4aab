package pane

import (
	"slices"
	"strings"

	"exoshift/wizard/reach"
)

// EndpointDetails says everything about one service as it is seen from one vantage.
type EndpointDetails struct {
	Theme    Theme
	Endpoint *Endpoint // nil: nothing
	Vantages []string  // as reports have them
	Facing   int
	Note     string // how many findings there are, and what to do with them
	Offset   int    // lines scrolled
}

// View draws what fits, and says that there is more.
func (p EndpointDetails) View(width, height int) string {
	lines := p.lines(width)
	lines = lines[min(max(p.Offset, 0), max(len(lines)-max(height, 0), 0)):]
	if len(lines) > height && height > 2 {
		lines = append(slices.Clone(lines[:height-1]), " "+p.Theme.Dim.Render("↓ more"))
	}
	return Fill(lines, width, height)
}

// Lines is how many lines all of it needs.
func (p EndpointDetails) Lines(width int) int { return len(p.lines(width)) }

func (p EndpointDetails) lines(width int) []string {
	if p.Endpoint == nil {
		return nil
	}
	e, s := p.Endpoint, p.Endpoint.Sight(p.Facing)
	lines := append(p.head(e, s, width), wrapIn(p.Theme.Plain, p.sentence(e, s), " ", width)...)
	wrong := s.Status == Failed || s.Status == Warn
	if wrong {
		lines = append(append(lines, p.labelled("Fix", s.Result.Hint, width)...), p.test(s.ByHand, width)...)
	}
	if s.Result.Verdict != "" && s.Result.Verdict != reach.Skipped {
		lines = append(lines, p.labelled("Layers", e.whole(p.Theme, s.Result), width)...)
	}
	lines = append(lines, p.labelled("For", join(" ", e.Check.Reason, severityWords(e.Check.Severity)), width)...)
	lines = append(lines, p.owner(e, width)...)
	lines = append(lines, p.labelled("Seen", p.evidence(s.Result), width)...)
	lines = append(lines, p.labelled("Else", p.elsewhere(e), width)...)
	lines = append(lines, p.labelled("Page", e.Check.Page(), width)...)
	if !wrong {
		lines = append(lines, p.test(s.ByHand, width)...)
	}
	return lines
}

func (p EndpointDetails) head(e *Endpoint, s Sight, width int) []string {
	t := p.Theme
	left, from := " "+t.Bold.Render(e.Check.ID)+"  "+e.Target(), t.Dim.Render(" from "+VantageWords(p.vantage(p.Facing)))
	right := t.Style(s.Status).Bold(true).Render(strings.ToUpper(s.word())) + " "
	if cells(left)+cells(from)+1+cells(right) <= width {
		return []string{spread(left+from, right, width)}
	}
	return []string{spread(left, right, width), Truncate(from, width)}
}

func (p EndpointDetails) vantage(i int) string {
	if i < 0 || i >= len(p.Vantages) {
		return ""
	}
	return p.Vantages[i]
}

// VantageWords says in words where it is looked from.
func VantageWords(vantage string) string {
	host, ssh := strings.CutPrefix(vantage, reach.SSHVantage)
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

// VantageColumn names a vantage in one short word.
func VantageColumn(vantage string) string {
	switch {
	case strings.HasPrefix(vantage, reach.SSHVantage):
		return "ssh"
	case vantage == reach.Workstation:
		return "here"
	}
	return Truncate(vantage, checkColumn-1)
}

// sentence says what it is and how it is.
func (p EndpointDetails) sentence(e *Endpoint, s Sight) string {
	how := s.Result.Sentence()
	switch {
	case s.Status == Running:
		how = "is being looked at…"
	case s.Status == Waiting && s.Absent && p.vantage(p.Facing) == reach.Workstation:
		how = "only machines in the zone can look at it"
	case s.Status == Waiting && s.Absent:
		how = "only this machine needs it, and not those in the zone"
	case s.Status == Waiting:
		how = "nobody has looked from " + VantageWords(p.vantage(p.Facing)) + " yet"
	}
	return join(": ", e.Check.Title, how)
}

// label is as wide as the longest of its kind, with the space behind it.
const labelColumn = 8

// labelled puts a word before a text, which may have styles and lines of its own.
func (p EndpointDetails) labelled(label, text string, width int) []string {
	if text == "" {
		return nil
	}
	lines := Wrap(text, "", width-labelColumn-1)
	for i, line := range lines {
		head := strings.Repeat(" ", labelColumn)
		if i == 0 {
			head = p.Theme.Label.Render(Fit(label, labelColumn))
		}
		lines[i] = " " + head + line
	}
	return lines
}

// test shows the command that shows the same.
func (p EndpointDetails) test(command string, width int) []string {
	if command == "" {
		return nil
	}
	return p.labelled("Test", command+"  (c copies)", width)
}

func (p EndpointDetails) owner(e *Endpoint, width int) []string {
	t, owner := p.Theme, e.Check.Owner
	if owner == "" {
		owner = "nobody known"
	}
	left := " " + t.Label.Render(Fit("Ask", labelColumn)) + ownerWords(owner)
	if cells(left)+cells(p.Note)+3 <= width {
		return []string{spread(left, t.Dim.Render(p.Note)+" ", width)}
	}
	return []string{left, " " + strings.Repeat(" ", labelColumn) + t.Dim.Render(p.Note)}
}

func ownerWords(owner string) string {
	words, known := map[string]string{
		"network": "those who run the network", "dns": "those who run the names (DNS)", "exoscale": "Exoscale", "vshn": "VSHN",
		"redhat": "Red Hat", "vendor": "the vendor", "customer": "whoever runs it",
	}[owner]
	if !known {
		return owner
	}
	return words
}

func severityWords(s reach.Severity) string {
	switch s {
	case reach.Must:
		return "Must be reached."
	case reach.Should:
		return "Should be reached."
	case reach.May:
		return "May be missing."
	}
	return ""
}

// elsewhere says how it is from the other vantages.
func (p EndpointDetails) elsewhere(e *Endpoint) string {
	var others []string
	for i, s := range e.Sights {
		if i != p.Facing && s.Status != Waiting {
			others = append(others, "from "+VantageWords(p.vantage(i))+" "+p.Theme.Mark(s.Status)+" "+s.Status.Word())
		}
	}
	return strings.Join(others, ", ")
}
