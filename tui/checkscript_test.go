package tui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// gate is a fake network: the failed services by source. It records the requested checks.
type gate struct {
	CheckOptions
	now   time.Time
	wrong map[string]reach.Result // by "<source> <ID>"
	asked []string
	skips []string
	saved reach.Report
	err   error // how runs end
}

func services() []reach.Check {
	check := func(id, group, title, url, owner, reason string) reach.Check {
		return reach.Check{
			ID: id, Group: group, Title: title, URL: url, Owner: owner, Reason: reason, Phase: "install", Severity: reach.Must, From: []string{"nodes"},
		}
	}
	checks := []reach.Check{
		check("NET-EXO-001", "exoscale", "The zone's API", "https://api-ch-gva-2.exoscale.com/v2/zone", "exoscale", "Machines are made here."),
		check("NET-EXO-002", "exoscale", "Object storage", "s3://sos-ch-gva-2.exo.io", "exoscale", "The boot image is kept here."),
		check("NET-RH-001", "redhat", "The release", "release://quay.io", "network", "The nodes pull the release image."),
		check("NET-RH-002", "redhat", "Core images", "registry://registry.redhat.io", "network", "The nodes pull the operators."),
		check("NET-RH-003", "redhat", "Blobs of images", "tls://cdn01.quay.io", "network", "The layers of images come from here."),
		check("NET-RH-004", "redhat", "Updates", "graph://api.openshift.com", "redhat", "The cluster asks which updates there are."),
		check("NET-TIME-001", "third-party", "Time", "ntp://1.rhel.pool.ntp.org", "network", "Certificates need the right time."),
		check("NET-GIT-001", "vshn", "Git", "ssh://git.vshn.net:22", "vshn", "The catalog is pushed here."),
		check("CUSTOM-1", "customer", "registry.example.net", "https://registry.example.net/v2/", "customer", "Your own images."),
	}
	checks[5].Severity = reach.May
	return checks
}

// intercepted is the result of a TLS-intercepting proxy.
func intercepted() reach.Result {
	return reach.Result{
		Verdict: reach.Fail, Class: reach.Untrusted, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerFail, HTTP: reach.LayerNone},
		Evidence: map[string]string{
			reach.EvidenceIssuer: "CN=Corp Proxy CA", reach.EvidenceDNSTime: "3", reach.EvidenceTCPTime: "21", reach.EvidenceTLSTime: "48",
			reach.EvidenceAddress: "203.0.113.9:443", reach.EvidenceResolver: "192.0.2.53:53", reach.EvidenceTime: "72",
		},
		Hint: "Ask for registry.redhat.io to be exempted from TLS inspection, or have CN=Corp Proxy CA trusted, by its certificate in openshift.trustBundle.",
	}
}

// dropped is the result of a firewall that drops packets.
func dropped() reach.Result {
	return reach.Result{
		Verdict: reach.Fail, Class: reach.TCPTimeout, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerFail, TLS: reach.LayerNone, HTTP: reach.LayerNone},
		Evidence: map[string]string{reach.EvidenceAddress: "203.0.113.7:443", reach.EvidenceDNSTime: "4", reach.EvidenceTCPTime: "5000", reach.EvidenceTime: "5004"},
		Hint:     "Ask for the firewall to let cdn01.quay.io:443 through: packets get lost without any answer, which is how a firewall drops them.",
	}
}

// sluggish is the result of a reachable, but slow service.
func sluggish() reach.Result {
	return reach.Result{
		Verdict: reach.Warn, Class: reach.Slow, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerOK, HTTP: reach.LayerOK},
		Evidence: map[string]string{reach.EvidenceTime: "4200", reach.EvidenceHTTPTime: "4100"},
		Hint:     "Find out what makes the way to api.openshift.com slow, such as a proxy that scans downloads.",
	}
}

// newGate returns a network where all services pass from the workstation.
func newGate(vantages ...string) *gate {
	g := &gate{now: began, wrong: map[string]reach.Result{}}
	g.CheckOptions = CheckOptions{
		Title: "c-demo-1 in ch-gva-2", Checks: services(), Sources: vantages, Out: io.Discard, NoColor: true, Now: func() time.Time { return g.now },
		Run: g.run,
		Estimate: func(vantage string) string {
			if vantage == reach.Workstation {
				return ""
			}
			return "This starts one small machine in ch-gva-2 for about 3 minutes, which costs less than 0.01, and deletes it again."
		},
		Skip: func(id, reason string, until time.Time) (string, error) {
			g.skips = append(g.skips, id)
			return fmt.Sprintf("checks:\n  skip:\n    %s: %s until %s\n", id, reason, until.Format(time.DateOnly)), nil
		},
		Save: func(r reach.Report) ([]string, error) {
			g.saved = r
			return []string{"/data/you/report.json", "/data/you/firewall.md"}, nil
		},
	}
	return g
}

// spoil sets a bad result.
func (g *gate) spoil(vantage, id string, r reach.Result) *gate {
	g.wrong[vantage+" "+id] = r
	return g
}

func (g *gate) run(_ context.Context, vantage string, ids []string, tell func(reach.Result)) error {
	g.asked = append(g.asked, fmt.Sprint(vantage, " ", ids))
	for _, check := range g.Checks {
		if ids == nil || slices.Contains(ids, check.ID) {
			tell(g.result(vantage, check))
			g.now = g.now.Add(100 * time.Millisecond)
		}
	}
	return g.err
}

func (g *gate) result(vantage string, check reach.Check) reach.Result {
	r, wrong := g.wrong[vantage+" "+check.ID]
	if !wrong {
		r = reach.Result{Verdict: reach.OK, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerOK, HTTP: reach.LayerOK}}
		r.Evidence = map[string]string{reach.EvidenceTime: "61", reach.EvidenceHTTPTime: "30"}
	}
	r.ID, r.Group, r.Target, r.Source, r.Phase = check.ID, check.Group, check.Target(), vantage, check.Phase
	r.Severity, r.Owner = check.Severity, check.Owner
	return r
}

// inspector drives the screen of checks without a terminal: it presses keys and runs the commands one after the other.
type inspector struct {
	*checkScreen
	gate    *gate
	waiting []alarm
	quit    bool
}

// inspects opens the screen. The first run has ended when it returns.
func inspects(g *gate, width, height int) *inspector {
	i := &inspector{checkScreen: newCheckScreen(g.CheckOptions), gate: g}
	i.later = func(pause time.Duration, message tea.Msg) tea.Cmd {
		i.waiting = append(i.waiting, alarm{g.now.Add(pause), message})
		return nil
	}
	i.send = i.hears
	i.hears(tea.WindowSizeMsg{Width: width, Height: height})
	i.do(i.Init())
	return i
}

func (i *inspector) hears(message tea.Msg) {
	_, cmd := i.Update(message)
	i.do(cmd)
}

func (i *inspector) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			i.do(cmd)
		}
	case tea.QuitMsg:
		i.quit = true
	default:
		i.hears(m)
	}
}

func (i *inspector) press(keys ...string) *inspector {
	for _, k := range keys {
		i.hears(tuitest.NewKey(k))
	}
	return i
}

// pass advances the time.
func (i *inspector) pass(d time.Duration) {
	end := i.gate.now.Add(d)
	for {
		slices.SortStableFunc(i.waiting, func(a, b alarm) int { return a.at.Compare(b.at) })
		if len(i.waiting) == 0 || i.waiting[0].at.After(end) {
			break
		}
		next := i.waiting[0]
		i.waiting = i.waiting[1:]
		i.gate.now = next.at
		i.hears(next.message)
	}
	if i.gate.now.Before(end) {
		i.gate.now = end
	}
}

// troubled is a network where all services pass from here but a slow one, and some fail from the zone.
func troubled() *gate {
	g := newGate(reach.Workstation, reach.Zone).spoil(reach.Workstation, "NET-RH-004", sluggish())
	return g.spoil(reach.Zone, "NET-RH-002", intercepted()).spoil(reach.Zone, "NET-RH-003", dropped())
}

func (i *inspector) shows(t testing.TB, texts ...string) *inspector {
	t.Helper()
	view := strings.Join(strings.Fields(i.View()), " ")
	for _, text := range texts {
		if !strings.Contains(view, text) {
			t.Errorf("%q is not shown:\n%s", text, i.View())
		}
	}
	return i
}

func (i *inspector) hides(t testing.TB, texts ...string) *inspector {
	t.Helper()
	view := strings.Join(strings.Fields(i.View()), " ")
	for _, text := range texts {
		if strings.Contains(view, text) {
			t.Errorf("%q is shown:\n%s", text, i.View())
		}
	}
	return i
}

func (i *inspector) types(text string) *inspector {
	for _, r := range text {
		k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
		if r == ' ' {
			k.Type = tea.KeySpace
		}
		i.hears(k)
	}
	return i
}
