package e2e

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/assets"
	"exoshift/internal/console"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// routedFault is a fault on the way, and its one true cause as every output has to tell it.
type routedFault struct {
	name     string
	forward  []string // rules for what passes the router
	redirect []string // rules that lead it elsewhere
	begin    func()   // what else is wrong; may be nil
	trusted  []certificate.Pair
	verdict  reach.Verdict
	cause    string
	asked    string // firewall request
}

func listRoutedChecks() (checks []reach.Check) {
	for n := range sites {
		checks = append(checks, reach.Check{
			ID: fmt.Sprintf("LAB-%03d", n+1), Group: "redhat", URL: "https://" + siteName(n) + "/", Severity: reach.Must, Owner: "network",
			Answer: &assets.Answer{Type: "json"}, Reason: "It is a site of the lab.",
		})
	}
	return checks
}

func TestRoutedFaults_OneTrueCause(t *testing.T) {
	r, ok := newRoutedLab(t)
	if !ok {
		return
	}
	r.intercept("443", r.corporate)
	r.intercept("9443", r.inspecting)
	r.filter("8443", http.StatusForbidden, "text/html", "<html><head><title>Web Filter: Access Denied</title></head>{host}</html>")
	r.filter("7443", http.StatusForbidden, "text/plain", "Forbidden")
	r.filter("6443", http.StatusOK, "text/plain", "This site is blocked by Example Filter")
	all := []certificate.Pair{r.corporate}
	through := func(port string) []string { return []string{"tcp dport 443 dnat to " + interceptorHost + ":" + port} }
	toNameServer := func(address string) []string {
		return []string{"udp dport 53 dnat to " + address, "tcp dport 53 dnat to " + address}
	}
	const eight, here = "one cause of 8 problems: ", "from this workstation"
	for _, fault := range []routedFault{
		{name: "nothing", verdict: reach.OK},
		{name: "dropped", forward: []string{"tcp dport 443 drop"}, verdict: reach.Fail, cause: eight + "all outgoing connections " + here + " time out", asked: "allow " + listSites() + " 443/tcp"},
		{name: "refused", forward: []string{"tcp dport 443 reject with tcp reset"}, verdict: reach.Fail, cause: eight + "all outgoing connections " + here + " are refused", asked: "allow " + listSites() + " 443/tcp"},
		{name: "prohibited", forward: []string{"tcp dport 443 reject with icmp admin-prohibited"}, verdict: reach.Fail, cause: eight + "a firewall prohibits all outgoing connections " + here, asked: "allow " + listSites() + " 443/tcp"},
		{name: "one prohibited", forward: []string{"ip daddr 203.0.113.10 tcp dport 443 reject with icmp admin-prohibited"}, verdict: reach.Fail, asked: "allow web.site0.net 443/tcp"},
		{name: "large packets are lost", forward: []string{"ip length > 900 drop"}, verdict: reach.Fail, cause: eight + "large packets from or to this workstation are lost: the MTU is too large"},
		{name: "all data is lost", forward: []string{"tcp dport 443 ip length > 100 drop"}, verdict: reach.Fail, cause: eight + "all outgoing connections " + here + " open, but the TLS handshake gets no answer"},
		{name: "inspected, trusted", redirect: through("443"), trusted: all, verdict: reach.Warn, cause: eight + "TLS is inspected: CN=Corp Root CA, which is not a public authority, signs for unrelated services"},
		{name: "inspected, not trusted", redirect: through("443"), verdict: reach.Fail, cause: eight + "signed by CN=Corp Root CA, not trusted by this workstation", asked: "exempt from TLS inspection " + listSites() + " 443/tcp"},
		{name: "inspected, below a public authority", redirect: through("9443"), verdict: reach.Warn, cause: eight + "TLS is probably inspected: CN=Managed Security CA, below CN=Lab Root CA, signs for nearly all services, which have many issuers elsewhere"},
		{name: "bare denial", redirect: through("7443"), trusted: all, verdict: reach.Fail, cause: eight + `a web page answers all outgoing connections ` + here + `: "Forbidden", 403 Forbidden`},
		{name: "filter with text and success", redirect: through("6443"), trusted: all, verdict: reach.Fail, cause: eight + `a web page answers all outgoing connections ` + here + `: "This site is blocked by Example Filter", 200 OK`},
		{name: "web filter", redirect: through("8443"), trusted: all, verdict: reach.Fail, cause: eight + `a web page answers all outgoing connections ` + here + `: "Web Filter: Access Denied", 403 Forbidden`},
		{name: "name server is silent", forward: []string{"udp dport 53 drop", "tcp dport 53 drop"}, verdict: reach.Fail, cause: eight + nameServer + " does not answer DNS queries", asked: "resolve the name " + listSites() + " "},
		{name: "name server refuses", redirect: toNameServer(refusingServer), verdict: reach.Fail, cause: eight + nameServer + " refuses DNS queries of this workstation", asked: "resolve the name " + listSites() + " "},
		{name: "name server knows nothing", redirect: toNameServer(emptyServer), verdict: reach.Fail, cause: eight + nameServer + " does not resolve public names", asked: "resolve the name " + listSites() + " "},
		{name: "no route", begin: func() { r.ip("route", "del", "default") }, verdict: reach.Fail, cause: eight + "this workstation has no route to the internet"},
		{name: "no name server", begin: func() { r.ip("route", "add", "default", "via", "10.1.0.1"); forgetNameServers(t) }, verdict: reach.Fail, cause: eight + "this workstation has no name server"},
	} {
		t.Run(fault.name, func(t *testing.T) {
			r.route(fault.forward, fault.redirect)
			if fault.begin != nil {
				fault.begin()
			}
			report := checkRouted(t, r.client(fault.trusted...))
			fault.compare(t, report)
			fault.compareOutputs(t, report)
		})
	}
}

// How many checks fail is chance in a network that loses packets at random; what is told of them is not.
func TestRoutedFaults_Loss(t *testing.T) {
	r, ok := newRoutedLab(t)
	if !ok {
		return
	}
	r.route([]string{"meta l4proto tcp numgen random mod 100 < 40 drop"}, nil)
	for range 5 { // in one of fifty, no connection lasts long enough to be seen losing a packet
		if requireLoss(t, checkRouted(t, r.client())) {
			return
		}
	}
	t.Error("no check has found the loss")
}

// requireLoss returns false if no check has found a loss, as all of them failed before or none did.
func requireLoss(t *testing.T, report reach.Report) bool {
	t.Helper()
	lost := 0
	for _, result := range report.Results {
		if result.Class == reach.Loss {
			lost++
		}
		if result.Class != reach.Loss && result.Class != reach.TCPTimeout && result.Verdict != reach.OK {
			t.Errorf("%s %s: %s", result.ID, told(result), result.Describe())
		}
	}
	causes := reach.CommonCauses(report)
	if grouped := len(causes) > 0 && causes[0].Text == "the network of this workstation loses packets" && strings.Contains(causes[0].Hint, "connections lost a packet"); lost >= 3 && !grouped {
		t.Errorf("%d results, causes %v", lost, causes)
	}
	return lost > 0
}

// forgetNameServers empties the configuration, and waits until the resolver has read it: it does so by one lookup in five
// seconds, and those beside that one still use what was there.
func forgetNameServers(t *testing.T) {
	t.Helper()
	configuration, err := filepath.EvalSymlinks("/etc/resolv.conf")
	must(t, err)
	replace(t, configuration, "# none\n")
	pure := net.Resolver{PreferGo: true}
	for {
		_, err := pure.LookupHost(t.Context(), siteName(0))
		var failure *net.DNSError
		if errors.As(err, &failure) && !strings.HasPrefix(failure.Server, nameServer) {
			return
		}
		wait(100 * time.Millisecond)
	}
}

func checkRouted(t *testing.T, n network.Network) reach.Report {
	t.Helper()
	task := reach.Task{Source: reach.Workstation, Checks: listRoutedChecks()}
	limits := connection.Limits{DNS: 4 * time.Second, TCP: 2 * time.Second, TLS: 2 * time.Second, HTTP: 2 * time.Second, Slow: 20 * time.Second}
	prober, err := probe.New(n, task, limits)
	must(t, err)
	return reach.Run(t.Context(), task, prober, func(reach.Result) {})
}

func (f routedFault) compare(t *testing.T, report reach.Report) {
	t.Helper()
	labFault{want: f.cause, asked: f.asked}.compareWith(t, report, listRoutedChecks())
	if got := report.ComputeVerdict(); got != f.verdict {
		t.Errorf("the verdict is %s, want %s", got, f.verdict)
	}
}

// compareOutputs fails unless every output tells the cause, and those for programs can be read.
func (f routedFault) compareOutputs(t *testing.T, report reach.Report) {
	t.Helper()
	view := console.ConnectivityReport{Report: report, Checks: listRoutedChecks(), Title: "the lab"}
	for name, write := range map[string]func(io.Writer) error{"table": view.WriteTable, "short": view.WriteShort, "markdown": view.WriteMarkdown, "junit": view.WriteJUnit, "json": view.WriteJSON} {
		var out bytes.Buffer
		must(t, write(&out))
		_, cause, _ := strings.Cut(f.cause, ": ")
		if name != "json" && name != "junit" && !strings.Contains(joinLines(out.String()), joinLines(cause)) {
			t.Errorf("%s does not tell %q:\n%s", name, cause, out.String())
		}
		if left := regexp.MustCompile(`\{[a-z ]+\}`).FindString(out.String()); left != "" {
			t.Errorf("%s has %s", name, left)
		}
		if err := readOutput(name, out.Bytes(), report); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}

// joinLines makes a text comparable, whatever its lines, columns and escapes.
func joinLines(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("|", " ", "\\", "", "`", "").Replace(text)), " ")
}

// readOutput reads what is for programs.
func readOutput(name string, content []byte, report reach.Report) error {
	switch name {
	case "json":
		read, err := reach.ReadReport(bytes.NewReader(content))
		if err == nil && !slices.EqualFunc(read.Results, report.Results, func(a, b reach.Result) bool {
			return a.ID == b.ID && a.Class == b.Class && a.Verdict == b.Verdict && a.Hint == b.Hint
		}) {
			err = errors.New("the results differ")
		}
		return err
	case "junit":
		var suites struct {
			Cases []struct {
				Failure *struct{} `xml:"failure"`
			} `xml:"testsuite>testcase"`
		}
		err := xml.Unmarshal(content, &suites)
		failed := 0
		for _, one := range suites.Cases {
			if one.Failure != nil {
				failed++
			}
		}
		if err == nil && (len(suites.Cases) != len(report.Results) || failed != report.Count(reach.Fail)) {
			err = fmt.Errorf("%d cases, %d failed", len(suites.Cases), failed)
		}
		return err
	}
	return nil
}
