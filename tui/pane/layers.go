package pane

import (
	"strconv"
	"strings"
	"time"

	"exoshift/wizard/reach"

	"github.com/charmbracelet/lipgloss"
)

// layer is one step on the way to a service.
type layer struct {
	name  string
	state reach.Layer
	time  string // milliseconds, as the evidence has them
}

// layers are the steps on the way to a service, in their order.
func (e *Endpoint) layers(r reach.Result) []layer {
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

// mark is the name of a layer with its symbol.
func (l layer) mark(t Theme) string {
	switch l.state {
	case reach.LayerOK:
		return l.name + " " + t.Mark(OK)
	case reach.LayerFail:
		return l.name + " " + t.Mark(Failed)
	}
	return t.Dim.Render(l.name) + " " + t.Mark(Skipped)
}

// brief says how a service is from one vantage, in as few words as possible: for what is well only how long it took, and
// where there is little room only the layer that failed.
func (e *Endpoint) brief(t Theme, s Sight, width int) string {
	r := s.Result
	switch s.Status {
	case Running:
		return t.Style(Running).Render(s.Status.Word())
	case Waiting:
		return ""
	case OK:
		return t.Dim.Render(took(r.Evidence[reach.EvidenceTime]))
	case Skipped:
		return t.Dim.Render(r.Sentence())
	}
	whole := e.climb(t, r, false) + remark(r)
	if cells(whole) > width {
		return e.climb(t, r, true) + remark(r)
	}
	return whole
}

// climb marks the layers that were come to, up to the one that failed, or only that one. If none did, they tell nothing.
func (e *Endpoint) climb(t Theme, r reach.Result, last bool) string {
	line := ""
	if r.Layers.Failed() == "" {
		return line
	}
	for _, l := range e.layers(r) {
		if l.state == reach.LayerOK && !last || l.state == reach.LayerFail {
			line += l.mark(t) + " "
		}
		if l.state == reach.LayerFail {
			break
		}
	}
	return line
}

// remark says what is wrong, with the one detail that tells most.
func remark(r reach.Result) string {
	switch issuer := commonName(r.Evidence[reach.EvidenceIssuer]); {
	case r.Class == reach.Untrusted && issuer != "":
		return `issuer "` + issuer + `"`
	case r.Class == reach.Slow, r.Class == reach.TCPTimeout, r.Class == reach.UDPTimeout, r.Class == reach.HTTPTimeout:
		return join(" ", classWords(r.Class), took(r.Evidence[reach.EvidenceTime]))
	case r.Class == reach.ServerError, r.Class == reach.Unexpected:
		return join(", ", classWords(r.Class), r.Evidence[reach.EvidenceStatus])
	}
	return classWords(r.Class)
}

// commonName is the part of a certificate's name that people know, if it has one.
func commonName(name string) string {
	for part := range strings.SplitSeq(name, ",") {
		if common, is := strings.CutPrefix(strings.TrimSpace(part), "CN="); is {
			return common
		}
	}
	return name
}

// whole draws all layers and what each took.
func (e *Endpoint) whole(t Theme, r reach.Result) string {
	line := ""
	for i, l := range e.layers(r) {
		if i > 0 {
			line += " " + t.Dim.Render(t.Arrow) + " "
		}
		line += l.mark(t)
		if l.time != "" {
			line += " " + words(t.Dim, took(l.time))
		}
	}
	return line
}

// words styles each word by itself, so that lines can be broken between them.
func words(style lipgloss.Style, s string) string {
	styled := strings.Fields(s)
	for i, word := range styled {
		styled[i] = style.Render(word)
	}
	return strings.Join(styled, " ")
}

// took formats milliseconds for people, e.g. 61 ms or 5.2 s.
func took(milliseconds string) string {
	n, err := strconv.ParseInt(milliseconds, 10, 64)
	switch {
	case err != nil:
		return milliseconds
	case n < 1000:
		return milliseconds + " ms"
	case n < 60_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " s"
	}
	return Short(time.Duration(min(n, 1e12)) * time.Millisecond)
}

// join puts a separator between two texts, unless one is empty.
func join(between, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}
