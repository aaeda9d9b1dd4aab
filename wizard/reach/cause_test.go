package reach_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/wizard/reach"
)

// spoiled are results of one class from a source; evidence is the same for all.
func spoiled(vantage string, class reach.Class, n int, evidence map[string]string, layers reach.Layers) (all []reach.Result) {
	for i := range n {
		all = append(all, reach.Result{
			ID: fmt.Sprintf("%s-%s-%d", vantage, class, i), Target: fmt.Sprintf("h%d.example:443", i), Source: vantage,
			Verdict: reach.Warn, Class: class, Evidence: evidence, Layers: layers,
		})
	}
	return all
}

// within moves results to hosts of one domain.
func within(domain string, results []reach.Result) []reach.Result {
	for i := range results {
		results[i].Target = fmt.Sprintf("h%d.%s:443", i, domain)
	}
	return results
}

// addressed moves results to addresses, which are of no domain.
func addressed(results []reach.Result) []reach.Result {
	for i := range results {
		results[i].Target = fmt.Sprintf("192.0.2.%d:443", i)
	}
	return results
}

func joinedReport(parts ...[]reach.Result) (report reach.Report) {
	for _, part := range parts {
		report.Results = append(report.Results, part...)
	}
	return report
}

func TestCommonCauses_SharedFailures(t *testing.T) {
	dead, up, nameless := reach.Layers{TCP: reach.LayerFail}, reach.Layers{TCP: reach.LayerOK}, reach.Layers{DNS: reach.LayerFail}
	for want, report := range map[string]reach.Report{
		"one cause of 3 problems: the clock of this workstation is about 17 minutes behind": joinedReport(
			spoiled(reach.Workstation, reach.ClockSkew, 2, map[string]string{reach.EvidenceSkew: "-16m59s"}, up),
			spoiled(reach.Workstation, reach.ClockSkew, 1, map[string]string{reach.EvidenceSkew: "-17m0s"}, up)),
		"one cause of 4 problems: signed by CN=Corp Proxy CA, not trusted by the machine in the zone": joinedReport(
			spoiled(reach.Zone, reach.Untrusted, 4, map[string]string{reach.EvidenceIssuer: "CN=Corp Proxy CA"}, up)),
		"one cause of 3 problems: the proxy proxy.corp:3128 requires authentication": joinedReport(
			spoiled(reach.Workstation, reach.ProxyAuth, 3, map[string]string{reach.EvidenceProxy: "proxy.corp:3128"}, dead)),
		"one cause of 3 problems: the network of host gate requires a login": joinedReport(spoiled("ssh:gate", reach.Captive, 3, nil, up)),
		"one cause of 3 problems: all outgoing connections from this workstation time out": joinedReport(
			spoiled(reach.Workstation, reach.TCPTimeout, 3, nil, dead), spoiled(reach.Zone, reach.Slow, 1, nil, up)),
		"one cause of 3 problems: 10.0.0.53 does not resolve public names": joinedReport(
			spoiled(reach.Workstation, reach.NXDomain, 3, map[string]string{reach.EvidenceResolver: "10.0.0.53"}, nameless)),
		"one cause of 7 problems: most outgoing connections from this workstation time out": joinedReport(
			spoiled(reach.Workstation, reach.TCPTimeout, 7, nil, dead), spoiled(reach.Workstation, "", 1, nil, up)),
		"one cause of 3 problems: connections to h.example from this workstation time out": joinedReport(
			within("h.example", spoiled(reach.Workstation, reach.TCPTimeout, 3, nil, dead)), spoiled(reach.Workstation, "", 9, nil, up)),
		"one cause of 7 problems: 10.0.0.53 does not resolve most public names": joinedReport(
			spoiled(reach.Workstation, reach.NXDomain, 7, map[string]string{reach.EvidenceResolver: "10.0.0.53"}, nameless),
			spoiled(reach.Workstation, "", 1, nil, reach.Layers{DNS: reach.LayerOK})),
		"one cause of 3 problems: 10.0.0.53 does not answer all DNS queries": joinedReport(
			spoiled(reach.Workstation, reach.DNSTimeout, 3, map[string]string{reach.EvidenceResolver: "10.0.0.53"}, nameless),
			spoiled(reach.Workstation, "", 1, map[string]string{reach.EvidenceResolver: "10.0.0.53"}, reach.Layers{DNS: reach.LayerOK})),
		"one cause of 3 problems: 10.0.0.54 does not answer DNS queries": joinedReport(
			spoiled(reach.Workstation, reach.DNSTimeout, 3, map[string]string{reach.EvidenceResolver: "10.0.0.54"}, nameless),
			spoiled(reach.Workstation, "", 1, map[string]string{reach.EvidenceResolver: "10.0.0.53"}, reach.Layers{DNS: reach.LayerOK})),
		"one cause of 5 problems: this workstation has no route to the internet": joinedReport(spoiled(reach.Workstation, reach.NoRoute, 5, nil, dead)),
		"one cause of 5 problems: this workstation has no route for most outgoing connections": joinedReport(
			spoiled(reach.Workstation, reach.NoRoute, 5, nil, dead), spoiled(reach.Workstation, "", 2, nil, up)),
		"one cause of 5 problems: a firewall prohibits most outgoing connections from this workstation": joinedReport(
			spoiled(reach.Workstation, reach.Prohibited, 5, nil, dead), spoiled(reach.Workstation, "", 2, nil, up)),
		"one cause of 7 problems: a firewall prohibits most outgoing connections from this workstation": joinedReport( // and says so three times a second
			spoiled(reach.Workstation, reach.TCPTimeout, 4, nil, dead), spoiled(reach.Workstation, reach.Prohibited, 3, nil, dead), spoiled(reach.Workstation, "", 1, nil, up)),
		"one cause of 4 problems: large packets from or to this workstation are lost: the MTU is too large": joinedReport(
			spoiled(reach.Workstation, reach.MTU, 4, nil, up), spoiled(reach.Workstation, "", 20, nil, up)),
		"one cause of 4 problems: the network of this workstation is slow or loses packets": joinedReport(
			spoiled(reach.Workstation, reach.Unstable, 4, nil, up), spoiled(reach.Workstation, "", 20, nil, up)),
		"one cause of 4 problems: TLS is inspected: CN=Corp Root CA, which is not a public authority, signs for unrelated services": joinedReport(
			spoiled(reach.Workstation, reach.Inspected, 4, map[string]string{reach.EvidenceAuthority: "CN=Corp Root CA"}, up), spoiled(reach.Workstation, "", 20, nil, up)),
		"one cause of 3 problems: 10.0.0.53 refuses DNS queries of this workstation": joinedReport(
			spoiled(reach.Workstation, reach.DNSRefused, 3, map[string]string{reach.EvidenceResolver: "10.0.0.53"}, nameless)),
		"one cause of 3 problems: this workstation has no name server": joinedReport(spoiled(reach.Workstation, reach.NoResolver, 3, nil, nameless)),
		"one cause of 5 problems: this workstation has no IPv4 here, only IPv6": joinedReport(
			spoiled(reach.Workstation, reach.NoIPv4, 5, nil, dead), spoiled(reach.Workstation, "", 20, nil, up)),
		"one cause of 4 problems: expired certificates of CN=Corp": joinedReport(
			spoiled(reach.Workstation, reach.Expired, 4, map[string]string{reach.EvidenceIssuer: "CN=Corp"}, up), spoiled(reach.Workstation, "", 20, nil, up)),
		"one cause of 4 problems: all outgoing connections from this workstation end with a server error (503 Service Unavailable)": joinedReport(
			spoiled(reach.Workstation, reach.ServerError, 4, map[string]string{reach.EvidenceStatus: "503 Service Unavailable"}, reach.Layers{HTTP: reach.LayerOK})),
	} {
		causes := reach.CommonCauses(report)
		if len(causes) != 1 {
			t.Errorf("%d causes, want: %s", len(causes), want)
			continue
		}
		if got := causes[0].String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if hint := causes[0].Hint; hint == "" || strings.ContainsAny(hint, "{}") {
			t.Errorf("hint %q", hint)
		}
	}
}

func TestCommonCauses_IgnoresSeparateFailures(t *testing.T) {
	dead, up := reach.Layers{TCP: reach.LayerFail}, reach.Layers{TCP: reach.LayerOK}
	for name, report := range map[string]reach.Report{
		"two are few":        joinedReport(spoiled(reach.Workstation, reach.Captive, 2, nil, up)),
		"most get through":   joinedReport(addressed(spoiled(reach.Workstation, reach.TCPTimeout, 4, nil, dead)), spoiled(reach.Workstation, "", 4, nil, up)),
		"two vantages":       joinedReport(spoiled(reach.Workstation, reach.Captive, 2, nil, up), spoiled(reach.Zone, reach.Captive, 2, nil, up)),
		"each by itself":     joinedReport(spoiled(reach.Workstation, reach.HostKey, 9, nil, up)),
		"of unknown issuers": joinedReport(spoiled(reach.Workstation, reach.Untrusted, 9, nil, up)),
	} {
		if causes := reach.CommonCauses(report); len(causes) > 0 {
			t.Errorf("%s: %s", name, causes[0])
		}
	}
}

func TestCommonCauses_LargestFirst(t *testing.T) {
	portal := spoiled(reach.Zone, reach.Captive, 5, nil, reach.Layers{TCP: reach.LayerOK})
	clock := spoiled(reach.Workstation, reach.ClockSkew, 3, nil, reach.Layers{TCP: reach.LayerOK})
	causes := reach.CommonCauses(joinedReport(clock, portal))
	if len(causes) != 2 || len(causes[0].IDs) != 5 || len(causes[1].IDs) != 3 {
		t.Fatalf("%v", causes)
	}
	here := portal[1]
	here.Source = reach.Workstation
	got := []bool{causes[0].Explains(portal[1]), causes[0].Explains(clock[1]), causes[0].Explains(here), causes[1].Explains(clock[2])}
	if diff := cmp.Diff([]bool{true, false, false, true}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHint_LocalCauseOmitsCatalogueHint(t *testing.T) {
	task := taskOf("A")
	task.Checks[0].Hint = "This host is new."
	for class, want := range map[reach.Class]bool{reach.ClockSkew: false, reach.Captive: false, reach.ProxyAuth: false, reach.TCPTimeout: true} {
		report := reach.Run(t.Context(), task, probes{"A": finds(reach.Finding{Class: class})}, nil)
		if got := strings.Contains(report.Results[0].Hint, "This host is new."); got != want {
			t.Errorf("%s: %q", class, report.Results[0].Hint)
		}
	}
}

func TestHint_NamesSourceSetting(t *testing.T) {
	for vantage, words := range map[string]string{reach.Workstation: "HTTPS_PROXY", reach.Zone: "openshift.proxy", "ssh:gate": "openshift.proxy"} {
		task := taskOf("A")
		task.Source = vantage
		report := reach.Run(t.Context(), task, probes{"A": finds(reach.Finding{Class: reach.ProxyAuth})}, nil)
		if !strings.Contains(report.Results[0].Hint, words) {
			t.Errorf("%s: %q lacks %q", vantage, report.Results[0].Hint, words)
		}
	}
}

func TestDescribe_ClockSkew(t *testing.T) {
	for skew, want := range map[string]string{
		"-16m59s": "about 17 minutes behind", "+3m12s": "about 3 minutes ahead", "+26h0m0s": "about 26 hours ahead",
		"-8760h0m0s": "about 365 days behind", "+1.4s": "1.4s ahead", "+95s": "about 95 seconds ahead", "": "wrong by more than certificates allow",
	} {
		r := reach.Result{Source: reach.Workstation, Class: reach.ClockSkew, Evidence: map[string]string{reach.EvidenceSkew: skew}}
		if got := r.Describe(); got != "the clock of this workstation is "+want {
			t.Errorf("%s: %s", skew, got)
		}
	}
}

// Routers limit how often they say that a connection is prohibited.
func TestCommonCauses_ProhibitedExplainsSilence(t *testing.T) {
	dead := reach.Layers{TCP: reach.LayerFail}
	silent, results := spoiled(reach.Workstation, reach.TCPTimeout, 2, nil, dead), spoiled(reach.Workstation, reach.Prohibited, 3, nil, dead)
	causes := reach.CommonCauses(joinedReport(silent, results))
	if len(causes) != 1 || len(causes[0].IDs) != 5 || causes[0].First.Class != reach.Prohibited || !causes[0].Explains(silent[0]) || !causes[0].Explains(results[0]) {
		t.Errorf("%+v", causes)
	}
	alone := reach.CommonCauses(joinedReport(spoiled(reach.Workstation, reach.TCPTimeout, 4, nil, dead), results[:2]))
	if len(alone) != 1 || len(alone[0].IDs) != 4 || alone[0].First.Class != reach.TCPTimeout {
		t.Errorf("two are told, four are not: %+v", alone)
	}
}
