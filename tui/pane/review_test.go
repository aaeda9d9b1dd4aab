package pane

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner/handover"
	"exoshift/wizard/reach"

	"github.com/google/go-cmp/cmp"
)

func TestAPlanIsGroupedByWhatIsDoneAndMachinesComeFirst(t *testing.T) {
	groups := GroupPlan([]PlannedObject{
		{Action: "found", Kind: "ssh-key", Name: "k"}, {Action: "create", Kind: "bucket", Name: "b"}, {Action: "create", Kind: "instance", Name: "m0"},
		{Action: "delete", Kind: "instance", Name: "old"}, {Action: "create", Kind: "instance", Name: "m1"},
	})
	var got []string
	for _, group := range groups {
		got = append(got, group.Action+" "+Plural(len(group.Items), group.Kind))
	}
	if diff := cmp.Diff([]string{"create 2 instances", "create 1 bucket", "delete 1 instance", "found 1 ssh-key"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheLineOfAGroupIsWhereItIsDrawn(t *testing.T) {
	for _, width := range []int{60, 80, 120, 200} {
		p := Review{Theme: uncoloured(), Spec: demo(), Open: map[int]bool{0: true}, Groups: GroupPlan([]PlannedObject{
			{Action: "create", Kind: "instance", Name: "m0"}, {Action: "create", Kind: "bucket", Name: "b"}, {Action: "found", Kind: "ssh-key", Name: "k"},
		})}
		for group, mark := range []string{"› - 1 instance", "› + 1 bucket", "› + 1 SSH key"} {
			p.Selected = group
			lines := strings.Split(p.View(width, p.CountLines(width)), "\n")
			if at := p.FindLine(group, width); !strings.Contains(lines[at], mark) {
				t.Errorf("%d cells: %q is not in line %d: %q", width, mark, at, lines[at])
			}
		}
	}
}

func TestAReviewSaysWhatItCostsAndWhatNot(t *testing.T) {
	p := Review{Theme: uncoloured(), Spec: demo(), Cost: Cost{Hour: 2.5, Month: 1825, Date: "2026-05-01", Unknown: []string{"gpua30.medium"}}}
	for _, want := range []string{"2.50 an hour", "1825 a month", "2026-05-01", "gpua30.medium", "Nothing needs to change"} {
		if view := strings.Join(strings.Fields(p.View(200, 40)), " "); !strings.Contains(view, want) {
			t.Errorf("no %q in %s", want, view)
		}
	}
}

func TestServicesStandBelowTheOtherChecksWithAColumnForEachVantage(t *testing.T) {
	quay, registry := wellFrom("quay.io", OK, OK), wellFrom("registry.redhat.io", OK, Failed)
	p := Checks{
		Theme: uncoloured(), Rows: []Check{{Title: "Credentials", Marks: []Status{OK}}, {Title: "Quotas", Marks: []Status{Failed}}}, Selected: 3,
		Endpoints: Endpoints{Theme: uncoloured(), Columns: []string{"here", "zone"}, SourceIndex: 1, Rows: []*Endpoint{quay, registry}, Hidden: 3},
		Details:   EndpointDetails{Theme: uncoloured(), Sources: []string{"workstation", "zone"}, SourceIndex: 1, Endpoint: registry},
	}
	golden(t, "checks-columns-80x24", p.View(80, 24))
	if tally := p.FormatCounts(); tally != "1 of 2 ok, 1 failed" {
		t.Error(tally)
	}
}

// wellFrom is a service with these statuses by source.
func wellFrom(host string, statuses ...Status) *Endpoint {
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
func FuzzLastPanesAreExact(f *testing.F) {
	f.Add(80, 24, "Check the zone", 3, false)
	f.Add(0, -3, "世界世界世界世界世界世界", 0, true)
	f.Add(119, 2, "two\nlines and a word"+strings.Repeat("x", 300), 9, true)
	f.Add(40, -3, "scrolled", 19, false)
	f.Add(122, -3, "beside a picture", 19, false)
	f.Fuzz(func(t *testing.T, width, height int, text string, n int, ascii bool) {
		width, height, n = width%250, height%80, (n%20+20)%20
		theme, text := uncoloured(), Sanitize(text)
		if ascii {
			theme = asciiTheme()
		}
		check := Check{Title: text, Marks: []Status{Status(n % 6)}, Text: text, Hint: text, Location: text, Took: time.Minute}
		plan := make([]PlannedObject, n)
		for i := range plan {
			plan[i] = PlannedObject{Action: []string{"create", "update", "delete", "found"}[i%4], Kind: text, Name: text, Detail: text}
		}
		spec := demo()
		spec.Cluster.ID, spec.Exoscale.Zone = text, text
		report := handover.New(handover.Input{Spec: spec, Folder: text, Hour: 1, PriceDate: text})
		services := []*Endpoint{wellFrom(text, Status(n%6), Failed), {Check: reach.Check{ID: text, Title: text, URL: text, Owner: text}}}
		demand := reach.FirewallRule{ID: text, Ask: reach.Ask(text), Source: text, Destination: text, Port: text, Reason: text, Proof: text, Owner: text}
		for _, view := range []View{
			Checks{Theme: theme, Header: text, Rows: []Check{check, check}, Selected: n, Footer: text}, CheckDetails{Theme: theme, Check: check},
			Checks{
				Theme: theme, Rows: []Check{check}, Selected: n, Endpoints: Endpoints{Theme: theme, Columns: []string{"here", text}, Rows: services},
				Details: EndpointDetails{Theme: theme, Endpoint: services[0], Note: text, Offset: n},
			},
			Endpoints{Theme: theme, Columns: []string{text, "zone"}, SourceIndex: n - 1, Rows: services, Grouped: ascii, Selected: n, Hidden: n},
			EndpointDetails{Theme: theme, Endpoint: services[1], Sources: []string{text, text}, SourceIndex: n, Note: text, Offset: n},
			EndpointDetails{Theme: theme}, Lines(FirewallRequest{Theme: theme, Rules: []reach.FirewallRule{demand, demand}}.RenderLines(width)),
			Review{
				Theme: theme, Spec: spec, Groups: GroupPlan(plan), Actions: []string{text}, Warnings: []string{text}, Export: text,
				Command: text, Open: map[int]bool{0: true}, Offset: n, Rows: n, Minutes: [2]int{n, 2 * n},
			},
			Handover{Theme: theme, Report: report, Offset: n},
		} {
			exact(t, view, width, height)
		}
	})
}
