package connectivity

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"exoshift/wizard/reach"
)

// place is the input of a rule: an endpoint and a source.
type place struct {
	check   reach.Check
	kind    string // scheme of its address
	host    string
	vantage string
}

func placeIn(check reach.Check, vantage string) place {
	address, err := url.Parse(check.URL)
	if err != nil {
		return place{check: check, vantage: vantage}
	}
	return place{check, address.Scheme, address.Hostname(), vantage}
}

// outcome is the expected result of a place.
type outcome struct {
	class   reach.Class
	layers  string // see inShort
	remark  bool   // reachable with a warning
	skipped bool
}

// verdict formats an outcome as inShort.
func (o outcome) verdict(severity reach.Severity) string {
	verdict := reach.OK
	switch {
	case o.skipped:
		return fmt.Sprintf("%s  ----", reach.Skipped)
	case o.class == "" || o.class == reach.Unauthorized:
	case o.remark || severity != reach.Must:
		verdict = reach.Warn
	default:
		verdict = reach.Fail
	}
	return fmt.Sprintf("%s %s %s", verdict, o.class, o.layers)
}

// rule returns the expected result of a place in a scenario.
type rule func(place) outcome

// usual is the outcome without obstacles.
func usual(p place) outcome {
	switch {
	case p.ofMachines() && p.vantage == reach.Workstation:
		return outcome{class: reach.TCPTimeout, layers: "-x--"}
	case slices.Contains([]string{"NET-RH-020", "NET-RH-021", "NET-RH-035", "NET-3RD-040", "NET-VSHN-006", "NET-VSHN-007", "NET-VSHN-009"}, p.check.ID):
		return outcome{class: reach.Unauthorized, layers: "++++"} // they require authentication
	}
	return outcome{layers: p.strip()}
}

// strip returns the layers of a place that is OK.
func (p place) strip() string {
	strip := map[string]string{"tcp": "++--", "tls": "+++-", "http": "++-+", "ssh": "++-+", "ntp": "++-+", "dns": "++-+", "zone": "++-+"}[p.kind]
	if strip == "" {
		strip = "++++"
	}
	if _, err := netip.ParseAddr(p.host); err == nil {
		strip = "-" + strip[1:]
	}
	return strip
}

// encrypted reports whether the place uses TLS.
func (p place) encrypted() bool {
	return !slices.Contains([]string{"tcp", "http", "ssh", "ntp", "dns", "zone"}, p.kind)
}

// ofMachines reports whether the place is reachable only from machines of a zone.
func (p place) ofMachines() bool { return p.host == "169.254.169.254" }

func (p place) byUDP() bool { return slices.Contains([]string{"ntp", "dns", "zone"}, p.kind) }

func (p place) layersOfQuay() bool {
	return strings.HasPrefix(p.host, "cdn") && strings.HasSuffix(p.host, ".quay.io")
}

func (p place) isRegistry() bool {
	return p.kind == "registry" || p.kind == "release" || p.host == "cp.icr.io" || p.host == "auth.docker.io"
}

// fromHere limits a rule to the local source.
func fromHere(r rule) rule {
	return func(p place) outcome {
		if p.vantage == reach.Workstation {
			return r(p)
		}
		return usual(p)
	}
}

// needing skips a check whose dependency fails.
func needing(p place, o outcome) outcome {
	if len(p.check.Needs) > 0 {
		return outcome{skipped: true}
	}
	return o
}

func intercepted(p place) outcome {
	if p.encrypted() {
		return needing(p, outcome{class: reach.Untrusted, layers: "++x-"})
	}
	return usual(p)
}

// trusted is the outcome with a trusted interceptor, which answers for every host: public services have a remark.
func trusted(p place) outcome {
	if p.encrypted() && slices.Contains([]string{"exoscale", "redhat", "third-party"}, p.check.Group) {
		return outcome{class: reach.Inspected, layers: usual(p).layers, remark: true}
	}
	return usual(p)
}

func blocked(p place) outcome {
	if p.layersOfQuay() || p.kind == "release" {
		return outcome{class: reach.TCPTimeout, layers: "+x--"}
	}
	return usual(p)
}

func splitView(p place) outcome {
	if p.host == "quay.io" || p.host == "registry.redhat.io" {
		return needing(p, outcome{class: reach.SplitView, layers: "x---"})
	}
	return usual(p)
}

func unknownName(p place) outcome {
	if p.host == "registry.redhat.io" {
		return outcome{class: reach.NXDomain, layers: "x---"}
	}
	return usual(p)
}

func keptOut(p place) outcome {
	switch {
	case p.byUDP():
		return outcome{skipped: true}
	case p.kind == "http":
		return outcome{class: reach.ProxyAuth, layers: "-+-x"}
	}
	return needing(p, outcome{class: reach.ProxyAuth, layers: "-x--"})
}

// proxied is the outcome with a proxy, which resolves the names.
func proxied(p place) outcome {
	if p.byUDP() {
		return outcome{skipped: true}
	}
	if p.ofMachines() {
		return outcome{class: reach.HTTPTimeout, layers: "-+-x"}
	}
	o := usual(p)
	o.layers = "-" + o.layers[1:]
	return o
}

func portal(p place) outcome {
	switch {
	case p.encrypted():
		return needing(p, outcome{class: reach.Captive, layers: "++x-"})
	case p.kind == "http":
		return outcome{class: reach.Captive, layers: p.strip()[:3] + "x"}
	}
	return usual(p)
}

func slowly(p place) outcome {
	if p.isRegistry() {
		return outcome{class: reach.Slow, layers: "++++", remark: true}
	}
	return usual(p)
}

func skewed(p place) outcome {
	o := usual(p)
	switch {
	case o.class != "" && o.class != reach.Unauthorized, p.kind == "ssh", p.kind == "tcp", p.kind == "dns", p.kind == "zone":
		return o
	case p.kind == "ntp":
		return outcome{class: reach.ClockSkew, layers: "++-x"}
	case p.check.Group == "exoscale": // its server checks the time of signatures
		return outcome{class: reach.ClockSkew, layers: "+++x"}
	}
	return outcome{class: reach.ClockSkew, layers: o.layers, remark: true}
}

// fromZone applies the zone's own filters only.
func fromZone(p place) outcome {
	switch {
	case p.vantage != reach.Zone:
	case p.host == "registry.redhat.io":
		return outcome{class: reach.Untrusted, layers: "++x-"}
	case p.host == "cdn01.quay.io":
		return outcome{class: reach.TCPTimeout, layers: "+x--"}
	}
	return usual(p)
}
