package preflight

import (
	"strings"
	"testing"
	"time"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"
)

func TestChecks_ServicesBySource(t *testing.T) {
	quay, registry := wellFrom("quay.io", theme.OK, theme.OK), wellFrom("registry.redhat.io", theme.OK, theme.Failed)
	p := Checks{
		Theme: tuitest.NewTheme(false), Rows: []Check{{Title: "Credentials", Marks: []theme.Status{theme.OK}}, {Title: "Quotas", Marks: []theme.Status{theme.Failed}}}, Selected: 3,
		Endpoints: Endpoints{Theme: tuitest.NewTheme(false), Columns: []string{"here", "zone"}, SourceIndex: 1, Rows: []*Endpoint{quay, registry}, Hidden: 3},
		Details:   EndpointDetails{Theme: tuitest.NewTheme(false), Sources: []string{"workstation", "zone"}, SourceIndex: 1, Endpoint: registry},
	}
	tuitest.Golden(t, "checks-columns-80x24", p.View(80, 24))
	if tally := p.FormatCounts(); tally != "1 of 2 ok, 1 failed" {
		t.Error(tally)
	}
}

// wellFrom is a service with these statuses by source.
func wellFrom(host string, statuses ...theme.Status) *Endpoint {
	e := &Endpoint{Check: reach.Check{ID: "NET-1", Title: "Images", URL: "https://" + host, Group: "redhat", Reason: "Nodes pull images.", Owner: "network"}}
	for _, status := range statuses {
		verdict := [...]reach.Verdict{"", "", reach.OK, reach.Warn, reach.Fail, reach.Skipped}[status]
		r := reach.Result{Target: host + ":443", Verdict: verdict, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerFail}}
		r.Class, r.Evidence = reach.Untrusted, map[string]string{reach.EvidenceIssuer: "CN=Corp CA", reach.EvidenceTime: "61"}
		e.Results = append(e.Results, SourceResult{Status: status, Result: r, Command: "curl https://" + host})
	}
	return e
}

// These panes fill exactly their cells, whatever they show.
func FuzzPanesAreExact(f *testing.F) {
	f.Add(80, 24, "Check the zone", 3, false)
	f.Add(0, -3, "世界世界世界世界世界世界", 0, true)
	f.Add(119, 2, "two\nlines and a word"+strings.Repeat("x", 300), 9, true)
	f.Add(40, -3, "scrolled", 19, false)
	f.Add(122, -3, "beside a picture", 19, false)
	f.Fuzz(func(t *testing.T, width, height int, text string, n int, ascii bool) {
		width, height, n = width%250, height%80, (n%20+20)%20
		styles, text := tuitest.NewTheme(ascii), cells.Sanitize(text)
		check := Check{Title: text, Marks: []theme.Status{theme.Status(n % 6)}, Text: text, Hint: text, Location: text, Took: time.Minute}
		services := []*Endpoint{wellFrom(text, theme.Status(n%6), theme.Failed), {Check: reach.Check{ID: text, Title: text, URL: text, Owner: text}}}
		demand := reach.FirewallRule{ID: text, Ask: reach.Ask(text), Source: text, Destination: text, Port: text, Reason: text, Proof: text, Owner: text}
		for _, view := range []components.View{
			Checks{Theme: styles, Header: text, Rows: []Check{check, check}, Selected: n, Footer: text}, CheckDetails{Theme: styles, Check: check},
			Checks{
				Theme: styles, Rows: []Check{check}, Selected: n, Endpoints: Endpoints{Theme: styles, Columns: []string{"here", text}, Rows: services},
				Details: EndpointDetails{Theme: styles, Endpoint: services[0], Note: text, Offset: n},
			},
			Endpoints{Theme: styles, Columns: []string{text, "zone"}, SourceIndex: n - 1, Rows: services, Grouped: ascii, Selected: n, Hidden: n},
			EndpointDetails{Theme: styles, Endpoint: services[1], Sources: []string{text, text}, SourceIndex: n, Note: text, Offset: n},
			EndpointDetails{Theme: styles}, components.Lines(FirewallRequest{Theme: styles, Rules: []reach.FirewallRule{demand, demand}}.RenderLines(width)),
		} {
			tuitest.CheckExact(t, view, width, height)
		}
	})
}
