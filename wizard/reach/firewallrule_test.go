package reach_test

import (
	"fmt"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

// requested renders the rules after a report in short.
func requested(report reach.Report, checks ...reach.Check) string {
	var lines []string
	for _, d := range reach.ListFirewallRules(report, checks) {
		lines = append(lines, fmt.Sprintf("%s: %s %s %s for %s [%s]", d.ID, d.Ask, d.Destination, d.Port, d.Source, d.Owner))
	}
	return strings.Join(lines, "\n")
}

func failed(id, target string, class reach.Class, evidence ...string) reach.Result {
	r := reach.Result{ID: id, Target: target, Class: class, Source: reach.Workstation, Severity: reach.Must, Verdict: reach.Fail, Evidence: map[string]string{}}
	for i := 0; i+1 < len(evidence); i += 2 {
		r.Evidence[evidence[i]] = evidence[i+1]
	}
	return r
}

func from(r reach.Result, vantage string) reach.Result {
	r.Source = vantage
	return r
}

// open has a connection, whatever failed after it.
func open(r reach.Result) reach.Result {
	r.Layers.TCP = reach.LayerOK
	return r
}

func optional(r reach.Result) reach.Result {
	r.Severity, r.Verdict = reach.May, reach.Warn
	return r
}

func TestFirewallRequest_GroupsByTeam(t *testing.T) {
	blocked := failed("A", "quay.io:443", reach.TCPTimeout)
	nodesOnly := reach.Check{ID: "A", URL: "https://quay.io", From: []string{"nodes"}}
	for name, test := range map[string]struct {
		results []reach.Result
		checks  []reach.Check
		want    string
	}{
		"a firewall": {[]reach.Result{blocked}, nil, "A: allow quay.io 443/tcp for this workstation [network]"},
		"with the machine's address": {[]reach.Result{failed("A", "quay.io:443", reach.Refused, reach.EvidenceSource, "192.0.2.10")}, nil,
			"A: allow quay.io 443/tcp for this workstation (192.0.2.10) [network]"},
		"with an address that another check went out by": {
			[]reach.Result{{ID: "B", Source: reach.Workstation, Verdict: reach.OK, Evidence: map[string]string{reach.EvidenceSource: "192.0.2.10"}}, blocked}, nil,
			"A: allow quay.io 443/tcp for this workstation (192.0.2.10) [network]"},
		"the nodes' addresses are not that of the machine which looked": {
			[]reach.Result{from(failed("A", "quay.io:443", reach.Refused, reach.EvidenceSource, "192.0.2.10"), reach.Zone)}, nil,
			"A: allow quay.io 443/tcp for the nodes in the zone [network]"},
		"a machine in no network asks for nothing": {[]reach.Result{{ID: "A", Target: "quay.io:443", Source: reach.Workstation, Verdict: reach.Fail,
			Class: reach.NoRoute, Layers: reach.Layers{DNS: reach.LayerFail}}}, nil, ""},
		"a name": {[]reach.Result{failed("A", "quay.io:443", reach.NXDomain)}, nil, "A: resolve the name quay.io  for this workstation [dns]"},
		"interception": {[]reach.Result{failed("A", "quay.io:443", reach.Untrusted)}, nil,
			"A: exempt from TLS inspection quay.io 443/tcp for this workstation [network]"},
		"one row for a port": {[]reach.Result{optional(failed("A", "cdn.quay.io:443", reach.TCPTimeout)), failed("B", "quay.io:443", reach.Prohibited), failed("C", "git.example:22", reach.TCPTimeout)}, nil,
			"B, A: allow quay.io, cdn.quay.io 443/tcp for this workstation [network]\nC: allow git.example 22/tcp for this workstation [network]"},
		"a resolver that is silent is a port, and no name": {[]reach.Result{failed("A", "1.1.1.1:53", reach.DNSTimeout)}, []reach.Check{{ID: "A", URL: "dns://1.1.1.1:53/quay.io"}},
			"A: allow 1.1.1.1 53/udp+tcp for this workstation [network]"},
		"a resolver that refuses is no name": {[]reach.Result{failed("A", "1.1.1.1:53", reach.ServFail)}, nil, ""},
		"an open port":                       {[]reach.Result{open(failed("A", "a:443", reach.TLSFailure)), open(failed("B", "b:443", reach.HTTPTimeout))}, nil, ""},
		"a proxy": {[]reach.Result{failed("A", "quay.io:443", reach.ProxyRefused, reach.EvidenceProxy, "proxy:3128")}, nil,
			"A: allow through the proxy quay.io 443/tcp for this workstation [network]"},
		"beyond a proxy": {[]reach.Result{failed("A", "quay.io:443", reach.TCPTimeout, reach.EvidenceProxy, "proxy:3128")}, nil,
			"A: allow through the proxy quay.io 443/tcp for this workstation [network]"},
		"another host": {[]reach.Result{failed("A", "quay.io:443", reach.TCPTimeout, reach.EvidenceHost, "cdn03.quay.io")}, nil,
			"A: allow cdn03.quay.io 443/tcp for this workstation [network]"},
		"datagrams": {[]reach.Result{failed("A", "ntp.example.net:123", reach.UDPTimeout)}, []reach.Check{{ID: "A", URL: "ntp://ntp.example.net"}},
			"A: allow ntp.example.net 123/udp for this workstation [network]"},
		"a name server": {[]reach.Result{failed("A", "1.1.1.1:53", reach.UDPTimeout)}, []reach.Check{{ID: "A", URL: "dns://1.1.1.1/quay.io"}},
			"A: allow 1.1.1.1 53/udp+tcp for this workstation [network]"},
		"one line for one hole": {[]reach.Result{blocked, failed("B", "quay.io:443", reach.TCPTimeout)}, nil,
			"A, B: allow quay.io 443/tcp for this workstation [network]"},
		"must comes first, names before holes": {
			[]reach.Result{optional(failed("A", "a:443", reach.NXDomain)), failed("B", "b:443", reach.TCPTimeout), failed("C", "c:443", reach.ServFail)}, nil,
			"C, A: resolve the name c, a  for this workstation [dns]\nB: allow b 443/tcp for this workstation [network]"},
		"each vantage asks for itself": {[]reach.Result{blocked, from(blocked, reach.Zone), from(blocked, "ssh:jump")}, nil,
			"A: allow quay.io 443/tcp for this workstation [network]\nA: allow quay.io 443/tcp for the nodes in the zone [network]\n" +
				"A: allow quay.io 443/tcp for host jump [network]"},
		"the nodes alone need it, and nobody looked from there": {[]reach.Result{blocked}, []reach.Check{nodesOnly},
			"A: allow quay.io 443/tcp for the nodes in the zone [network]"},
		"the nodes alone need it, and reach it": {[]reach.Result{blocked, {ID: "A", Source: reach.Zone, Verdict: reach.OK}}, []reach.Check{nodesOnly}, ""},
		"the nodes alone need it, and could not look": {[]reach.Result{blocked, {ID: "A", Source: reach.Zone, Verdict: reach.Skipped}}, []reach.Check{nodesOnly},
			"A: allow quay.io 443/tcp for the nodes in the zone [network]"},
		"the load balancers alone": {[]reach.Result{from(blocked, reach.Zone)}, []reach.Check{{ID: "A", URL: "https://quay.io", From: []string{"load-balancers"}}},
			"A: allow quay.io 443/tcp for the load balancers in the zone [network]"},
		"nobody's": {[]reach.Result{
			failed("A", "a:443", reach.Captive), failed("B", "b:443", reach.ClockSkew), failed("C", "c:443", reach.ServerError), failed("D", "d:443", reach.Credentials),
			failed("E", "e:443", reach.Exposed), failed("F", "f:443", reach.HostKey), failed("G", "g:443", reach.ProxyAuth), failed("H", "h:443", reach.Expired),
		}, nil, ""},
		"what is well or skipped": {[]reach.Result{{ID: "A", Class: reach.Unauthorized, Verdict: reach.OK}, {ID: "B", Verdict: reach.Skipped}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := requested(reach.Report{Results: test.results}, test.checks...); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestListFirewallRules_EvidenceAndReason(t *testing.T) {
	r := failed("A", "quay.io:443", reach.TCPTimeout, reach.EvidenceAddress, "203.0.113.9")
	r.Layers = reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerFail, TLS: reach.LayerNone, HTTP: reach.LayerNone}
	again := failed("B", "quay.io:443", reach.TCPTimeout)
	checks := []reach.Check{{ID: "A", Reason: "Images are pulled."}, {ID: "B", Reason: "Layers are pulled."}}
	demands := reach.ListFirewallRules(reach.Report{Results: []reach.Result{r, again}}, checks)
	if len(demands) != 1 || demands[0].Reason != "Images are pulled. Layers are pulled." || !demands[0].Must {
		t.Fatalf("%+v", demands)
	}
	if want := "DNS ok, TCP FAILED, TLS -, HTTP -: TCP: no answer from 203.0.113.9, from this workstation"; demands[0].Proof != want {
		t.Errorf("got  %s\nwant %s", demands[0].Proof, want)
	}
}

func TestListFirewallRules_NamesSourceAddress(t *testing.T) {
	r := from(failed("A", "quay.io:443", reach.TCPTimeout, reach.EvidenceSource, "192.0.2.10"), reach.Zone)
	demands := reach.ListFirewallRules(reach.Report{Results: []reach.Result{r}}, nil)
	if len(demands) != 1 || !strings.HasSuffix(demands[0].Proof, ", from the machine in the zone, at 192.0.2.10") {
		t.Fatalf("%+v", demands)
	}
	r.Source = reach.Workstation
	demands = reach.ListFirewallRules(reach.Report{Results: []reach.Result{r}}, nil)
	if len(demands) != 1 || strings.Contains(demands[0].Proof, "192.0.2.10") {
		t.Fatalf("the source says it already: %+v", demands)
	}
}
