package e2e

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// labFault is something that is wrong with a network, and its one true cause as the program has to report it.
type labFault struct {
	arrange string // firewall rules, by line; the ones of the row before are gone
	begin   func() // what else is wrong; may be nil
	task    reach.Task
	want    string   // the text of the first common cause, with the number of its checks
	others  []string // of the other common causes
	asked   string   // the firewall request, a line for each rule: "allow web1, web2 443/tcp"
}

// sites are the web servers of the table.
const sites = 8

func newSiteLab(t *testing.T) (*lab, bool) {
	t.Helper()
	var records []string
	for n := range sites {
		records = append(records, fmt.Sprintf("web.site%d.net A 203.0.113.%d", n, 10+n))
	}
	l, ok := newLab(t, append(records, "pool.example.org A 203.0.113.30", "proxy.example.org A 203.0.113.40")...)
	if !ok {
		return nil, false
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	for n := range sites {
		l.web(fmt.Sprintf("web.site%d.net", n), hello)
	}
	l.echo("pool.example.org", "9000")
	return l, true
}

// listSiteChecks returns one check per site, and one of a service that stays up in most rows.
func listSiteChecks() (checks []reach.Check) {
	for n := range sites {
		checks = append(checks, reach.Check{ID: fmt.Sprintf("LAB-%03d", n+1), Group: "redhat", URL: fmt.Sprintf("https://web.site%d.net/", n), Severity: reach.Must})
	}
	return append(checks, reach.Check{ID: "LAB-100", Group: "redhat", URL: "tcp://pool.example.org:9000", Severity: reach.Must})
}

// expectCauses tries each fault by itself, one after the other.
func (l *lab) expectCauses(names []string, faults map[string]labFault) {
	l.t.Helper()
	for _, name := range names {
		l.t.Run(name, func(t *testing.T) {
			row := faults[name]
			l.nft("flush ruleset\n")
			if row.arrange != "" {
				l.firewall(strings.Split(row.arrange, "\n")...)
			}
			if row.begin != nil {
				row.begin()
			}
			row.compare(t, l.checkSites(t, row.task))
		})
	}
	l.nft("flush ruleset\n")
}

func (l *lab) checkSites(t *testing.T, task reach.Task) reach.Report {
	t.Helper()
	task.Source, task.Checks = reach.Workstation, listSiteChecks()
	task.Authorities = cmp.Or(task.Authorities, string(l.authority.CertPEM()))
	limits := connection.Limits{DNS: 4 * time.Second, TCP: 2 * time.Second, TLS: 2 * time.Second, HTTP: 2 * time.Second, Slow: 20 * time.Second}
	prober, err := probe.New(network.Host(), task, limits)
	must(t, err)
	return reach.Run(t.Context(), task, prober, func(reach.Result) {})
}

func (f labFault) compare(t *testing.T, report reach.Report) {
	t.Helper()
	f.compareWith(t, report, listSiteChecks())
}

func (f labFault) compareWith(t *testing.T, report reach.Report, checks []reach.Check) {
	t.Helper()
	var got []string
	for _, cause := range reach.CommonCauses(report) {
		got = append(got, cause.String())
	}
	want := f.others
	if f.want != "" {
		want = append([]string{f.want}, f.others...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("causes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, r := range report.Results {
		delete(r.Evidence, reach.EvidenceSource) // every server is this machine itself, which calls it from its own address
	}
	var rules []string
	for _, rule := range reach.ListFirewallRules(report, checks) {
		rules = append(rules, fmt.Sprintf("%s %s %s", rule.Ask, rule.Destination, rule.Port))
	}
	if request := strings.Join(rules, "\n"); request != f.asked {
		t.Errorf("firewall request\n%s\nwant\n%s", request, f.asked)
	}
	if t.Failed() {
		for _, r := range report.Results {
			t.Logf("%s %s: %s; %v", r.ID, told(r), r.Describe(), r.Evidence)
		}
	}
}

// listSites returns the names of the sites, as a firewall request lists them.
func listSites() string {
	var names []string
	for n := range sites {
		names = append(names, fmt.Sprintf("web.site%d.net", n))
	}
	return strings.Join(names, ", ")
}

func TestCauses_Routes(t *testing.T) {
	l, ok := newSiteLab(t)
	if !ok {
		return
	}
	sitesOnly := "ip daddr 203.0.113.10-203.0.113.29 "
	l.expectCauses([]string{"nothing", "prohibited", "one prohibited", "dropped", "refused", "everything dropped"}, map[string]labFault{
		"nothing":        {},
		"prohibited":     {arrange: sitesOnly + "tcp dport 443 reject with icmp admin-prohibited", want: "one cause of 8 problems: a firewall prohibits most outgoing connections from this workstation", asked: "allow " + listSites() + " 443/tcp"},
		"one prohibited": {arrange: "ip daddr 203.0.113.10 tcp dport 443 reject with icmp admin-prohibited", asked: "allow web.site0.net 443/tcp"},
		"dropped":        {arrange: sitesOnly + "tcp dport 443 drop", want: "one cause of 8 problems: most outgoing connections from this workstation time out", asked: "allow " + listSites() + " 443/tcp"},
		"refused":        {arrange: sitesOnly + "tcp dport 443 reject with tcp reset", want: "one cause of 8 problems: most outgoing connections from this workstation are refused", asked: "allow " + listSites() + " 443/tcp"},
		"everything dropped": {arrange: "ip daddr 203.0.113.0/24 meta l4proto tcp drop", want: "one cause of 9 problems: all outgoing connections from this workstation time out",
			asked: "allow " + listSites() + " 443/tcp\nallow pool.example.org 9000/tcp"},
	})
}

// The addresses of the sites are given up, so that no route leads to them.
func TestCauses_IPv6Only(t *testing.T) {
	l, ok := newSiteLab(t)
	if !ok {
		return
	}
	row := labFault{want: "one cause of 9 problems: this workstation has no route to the internet",
		asked: "allow " + listSites() + " 443/tcp\nallow pool.example.org 9000/tcp"}
	l.leave(append(slices.Collect(eachSite()), "pool.example.org")...)
	row.compare(t, l.checkSites(t, row.task))

	l.addIPv6Route()
	only := labFault{want: "one cause of 9 problems: this workstation has no IPv4 here, only IPv6"}
	only.compare(t, l.checkSites(t, only.task))
}

func eachSite() func(func(string) bool) {
	return func(yield func(string) bool) {
		for n := range sites {
			if !yield(fmt.Sprintf("web.site%d.net", n)) {
				return
			}
		}
	}
}

// leave takes the addresses of hosts away from the machine.
func (l *lab) leave(names ...string) {
	l.t.Helper()
	lo, err := netlink.LinkByName("lo")
	must(l.t, err)
	for _, name := range names {
		address := l.hosts[name]
		must(l.t, netlink.AddrDel(lo, &netlink.Addr{IPNet: &net.IPNet{IP: address.AsSlice(), Mask: net.CIDRMask(32, 32)}}))
	}
}

// addIPv6Route leads all of IPv6, and nothing of IPv4, to the machine itself.
func (l *lab) addIPv6Route() {
	l.t.Helper()
	l.own("2001:db8:6::1")
	lo, err := netlink.LinkByName("lo")
	must(l.t, err)
	_, all, err := net.ParseCIDR("::/0")
	must(l.t, err)
	must(l.t, netlink.RouteAdd(&netlink.Route{LinkIndex: lo.Attrs().Index, Dst: all}))
}

func TestCauses_Proxies(t *testing.T) {
	l, ok := newSiteLab(t)
	if !ok {
		return
	}
	l.expectCauses([]string{"silent", "wrong port", "unknown"}, map[string]labFault{
		"silent":     {arrange: "ip daddr 203.0.113.40 drop", task: proxied("http://proxy.example.org:3128"), want: "one cause of 9 problems: the proxy proxy.example.org:3128 does not answer"},
		"wrong port": {task: proxied("http://proxy.example.org:3129"), want: "one cause of 9 problems: no proxy listens at the proxy proxy.example.org:3129"},
		"unknown":    {task: proxied("http://nobody.example.org:3128"), want: "one cause of 9 problems: the name of the proxy nobody.example.org:3128 does not resolve"},
	})
}

// The first name server of the machine is dead, and the second answers.
func TestCauses_DeadFirstNameServer(t *testing.T) {
	l, ok := newSiteLab(t)
	if !ok {
		return
	}
	const dead = "10.0.0.99"
	l.own(dead)
	configuration, err := filepath.EvalSymlinks("/etc/resolv.conf")
	must(t, err)
	replace(t, configuration, "nameserver "+dead+"\nnameserver "+nameServer+"\n")
	l.expectCauses([]string{"dead"}, map[string]labFault{"dead": {arrange: "ip daddr " + dead + " drop"}})
}

// A filter answers everything with a page of its own, whatever is asked for.
func TestCauses_BlockPage(t *testing.T) {
	var records []string
	for n := range 4 {
		records = append(records, fmt.Sprintf("api.site%d.net A 203.0.113.%d", n, 10+n))
	}
	l, ok := newLab(t, records...)
	if !ok {
		return
	}
	for n := range 4 {
		l.web(fmt.Sprintf("api.site%d.net", n), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader([]int{http.StatusOK, http.StatusForbidden}[n%2])
			_, _ = w.Write([]byte("<html><head><title>Web Filter: Access Denied</title></head></html>"))
		}))
	}
	const page = `"Web Filter: Access Denied", `
	l.ask(map[string]asked{
		"registry":   {url: "registry://api.site0.net", want: "fail block-page +++x", seen: "error=" + page + "200"},
		"storage":    {url: "s3://api.site1.net", want: "fail block-page +++x", seen: "error=" + page + "403"},
		"vault":      {url: "vault://api.site2.net", want: "fail block-page +++x", seen: "error=" + page},
		"lieutenant": {url: "lieutenant://api.site3.net", want: "fail block-page +++x", seen: "error=" + page},
		"ACME":       {url: "acme://api.site0.net", want: "fail block-page +++x", seen: "error=" + page},
	})
}
