package preflight

import (
	"strconv"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"

	"github.com/charmbracelet/lipgloss"
)

// layer is one step of a connection to a service.
type layer struct {
	name  string
	state reach.Layer
	time  string // milliseconds, as the evidence has them
}

func (e *Endpoint) listLayers(r reach.Result) []layer {
	transport, top := "TCP", "HTTP"
	switch kind := e.Check.Kind(); kind {
	case "ntp", "dns":
		transport, top = "UDP", map[string]string{"ntp": "NTP", "dns": "answer"}[kind]
	case "ssh":
		top = "SSH"
	case "zone":
		top = "zone"
	}
	return []layer{
		{"DNS", r.Layers.DNS, r.Evidence[reach.EvidenceDNSTime]}, {transport, r.Layers.TCP, r.Evidence[reach.EvidenceTCPTime]},
		{"TLS", r.Layers.TLS, r.Evidence[reach.EvidenceTLSTime]}, {top, r.Layers.HTTP, r.Evidence[reach.EvidenceHTTPTime]},
	}
}

func (l layer) renderMark(t theme.Theme) string {
	switch l.state {
	case reach.LayerOK:
		return l.name + " " + t.Mark(theme.OK)
	case reach.LayerFail:
		return l.name + " " + t.Mark(theme.Failed)
	}
	return t.Dim.Render(l.name) + " " + t.Mark(theme.Skipped)
}

// renderBrief is as short as possible: only the time for what passed, and where there is little room only the failed layer.
func (e *Endpoint) renderBrief(t theme.Theme, s SourceResult, width int) string {
	r := s.Result
	switch s.Status {
	case theme.Running:
		return t.Style(theme.Running).Render(s.Status.Word())
	case theme.Waiting:
		return ""
	case theme.OK:
		return t.Dim.Render(formatMillis(r.Evidence[reach.EvidenceTime]))
	case theme.Skipped:
		return t.Dim.Render(r.Describe())
	}
	whole := e.renderReached(t, r, false) + describeProblem(r)
	if cells.Count(whole) > width {
		return e.renderReached(t, r, true) + describeProblem(r)
	}
	return whole
}

// renderReached marks the layers up to the failed one, or only that one. Without any result there is nothing to mark.
func (e *Endpoint) renderReached(t theme.Theme, r reach.Result, last bool) string {
	line := ""
	if r.Layers.FindFailed() == "" {
		return line
	}
	for _, l := range e.listLayers(r) {
		if l.state == reach.LayerOK && !last || l.state == reach.LayerFail {
			line += l.renderMark(t) + " "
		}
		if l.state == reach.LayerFail {
			break
		}
	}
	return line
}

// describeProblem includes the most significant detail.
func describeProblem(r reach.Result) string {
	switch issuer := parseCommonName(r.Evidence[reach.EvidenceIssuer]); {
	case r.Class == reach.Untrusted && issuer != "":
		return `issuer "` + issuer + `"`
	case r.Class == reach.Slow, r.Class == reach.TCPTimeout, r.Class == reach.UDPTimeout, r.Class == reach.HTTPTimeout:
		return joinNonEmpty(" ", describeClass(r.Class), formatMillis(r.Evidence[reach.EvidenceTime]))
	case r.Class == reach.ServerError, r.Class == reach.Unexpected:
		return joinNonEmpty(", ", describeClass(r.Class), r.Evidence[reach.EvidenceStatus])
	}
	return describeClass(r.Class)
}

// parseCommonName returns the readable part of a certificate's name, if it has one.
func parseCommonName(name string) string {
	for part := range strings.SplitSeq(name, ",") {
		if common, is := strings.CutPrefix(strings.TrimSpace(part), "CN="); is {
			return common
		}
	}
	return name
}

func (e *Endpoint) renderLayers(t theme.Theme, r reach.Result) string {
	line := ""
	for i, l := range e.listLayers(r) {
		if i > 0 {
			line += " " + t.Dim.Render(t.Arrow) + " "
		}
		line += l.renderMark(t)
		if l.time != "" {
			line += " " + renderWords(t.Dim, formatMillis(l.time))
		}
	}
	return line
}

// Each word is styled by itself, so that lines can be broken between them.
func renderWords(style lipgloss.Style, s string) string {
	styled := strings.Fields(s)
	for i, word := range styled {
		styled[i] = style.Render(word)
	}
	return strings.Join(styled, " ")
}

// formatMillis returns e.g. 61 ms or 5.2 s.
func formatMillis(milliseconds string) string {
	n, err := strconv.ParseInt(milliseconds, 10, 64)
	switch {
	case err != nil:
		return milliseconds
	case n < 1000:
		return milliseconds + " ms"
	case n < 60_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " s"
	}
	return text.FormatDuration(time.Duration(min(n, 1e12)) * time.Millisecond)
}

func joinNonEmpty(between, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}
