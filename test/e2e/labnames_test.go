package e2e

import (
	"fmt"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// Name servers of the lab.
const (
	named    = "/usr/sbin/named"   // answers for the root and all zones
	unbound  = "/usr/sbin/unbound" // the resolver, which has to ask its way down from the root
	zoneHost = "198.51.100.53"
	lameHost = "198.51.100.54" // a name server that serves nothing
)

// serveZones starts name servers as the internet has them: one that answers for zones, and a resolver that asks it.
func (l *lab) serveZones(records []string) {
	l.t.Helper()
	l.own(zoneHost)
	l.own(lameHost)
	zones := map[string][]string{}
	inner := ""
	for _, record := range records {
		if secret, ok := strings.CutPrefix(record, inward); ok {
			inner += fmt.Sprintf("  local-data: %q\n", secret)
			continue
		}
		zone := zoneOf(strings.Fields(record)[0])
		zones[zone] = append(zones[zone], strings.Replace(record, " ", ". ", 1))
	}
	l.serveAuthority(zones)
	l.resolve(inner)
}

// zoneOf returns the zone that a name of the lab is in: its last two labels.
func zoneOf(name string) string {
	labels := strings.Split(name, ".")
	return strings.Join(labels[max(0, len(labels)-2):], ".")
}

// serveAuthority serves zones, and a root that leads to them to one that its server does not serve.
func (l *lab) serveAuthority(zones map[string][]string) {
	l.t.Helper()
	const start = "$TTL 60\n@ SOA ns.lab.example. admin.lab.example. 1 3600 600 86400 60\n@ NS ns.lab.example.\n"
	zones["lab.example"] = append(zones["lab.example"], "ns.lab.example. A "+zoneHost, "lame.lab.example. NS ns.nowhere.lab.example.",
		"ns.nowhere.lab.example. A "+lameHost)
	config := ""
	delegate(zones)
	for _, zone := range slices.Sorted(maps.Keys(zones)) {
		config += fmt.Sprintf("zone %q { type primary; file %q; };\n", zone, l.write("zone", start+strings.Join(zones[zone], "\n")+"\n"))
	}
	l.runNamed(zoneHost, config)
	l.runNamed(lameHost, "")
}

// runNamed runs a name server that answers for its own zones and asks nobody.
func (l *lab) runNamed(address, zones string) {
	l.t.Helper()
	config := l.write("named.conf", zones+`options { directory "/run"; listen-on { `+address+`; }; listen-on-v6 { none; }; recursion no;
		pid-file none; session-keyfile none; dnssec-validation no; managed-keys-directory "`+filepath.Dir(l.write("keys", ""))+`"; allow-transfer { none; }; };
		controls { };`+"\n")
	daemon(l.t, open(address+":53"), named, "-g", "-c", config)
}

// delegate adds the zones above: the root leads to the top levels, and these lead to all others.
func delegate(zones map[string][]string) {
	for _, zone := range slices.Sorted(maps.Keys(zones)) {
		_, top, _ := strings.Cut(zone, ".")
		if _, exists := zones[top]; !exists {
			zones["."] = append(zones["."], top+". NS ns.lab.example.")
		}
		zones[top] = append(zones[top], zone+". NS ns.lab.example.")
	}
	for _, glued := range []string{".", "example"} {
		zones[glued] = append(zones[glued], "ns.lab.example. A "+zoneHost)
	}
}

// resolve starts the machine's resolver; inner is what it answers by itself.
func (l *lab) resolve(inner string) {
	l.t.Helper()
	hints := l.write("root.hints", ". 60 NS ns.lab.example.\nns.lab.example. 60 A "+zoneHost+"\n")
	config := fmt.Sprintf(`server:
  interface: %s
  access-control: 0.0.0.0/0 allow
  username: ""
  chroot: ""
  directory: "/run"
  pidfile: ""
  use-syslog: no
  module-config: "iterator"
  root-hints: %q
  do-ip6: no
  cache-max-negative-ttl: 1
  infra-host-ttl: 1
%s
remote-control:
  control-enable: no
`, nameServer, hints, inner)
	daemon(l.t, l.resolves(nameServer, "ns.lab.example."), unbound, "-d", "-c", l.write("unbound.conf", config))
}

// resolves returns whether a name server has an answer.
func (l *lab) resolves(server, name string) func() error {
	return func() error {
		question := new(dns.Msg).SetQuestion(name, dns.TypeSOA)
		answer, _, err := new(dns.Client).Exchange(question, netip.AddrPortFrom(netip.MustParseAddr(server), 53).String())
		if err == nil && answer.Rcode != dns.RcodeSuccess {
			err = fmt.Errorf("%s answers %s", server, dns.RcodeToString[answer.Rcode])
		}
		return err
	}
}
