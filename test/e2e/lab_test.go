package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"exoshift/internal/simcloud/certificate"
)

// Networks of the lab. What lies in none of them has no route.
const (
	publicIPv4 = "203.0.113.0/24"
	publicIPv6 = "2001:db8::/64"
)

// validity is how long certificates are good that nothing is wrong with.
const validity = 90 * 24 * time.Hour

// lab is a small internet that has this process's network for itself: real name servers, real servers with names and
// addresses of their own, and a firewall.
type lab struct {
	t         *testing.T
	authority certificate.Pair // of the lab's public internet
	hosts     map[string]netip.Addr
}

// inward opens a record that only the resolver of the lab has, and no name server of the zone.
const inward = "inside "

// newLab opens a lab with names, given as lines of a zone file with full names, e.g. "web.example.net A 203.0.113.10".
// It returns nothing where the test does not run but another process does; see alone.
func newLab(t *testing.T, records ...string) (*lab, bool) {
	t.Helper()
	if !alone(t) {
		return nil, false
	}
	l := &lab{t: t, hosts: map[string]netip.Addr{}, authority: authority(t, "Lab Root CA")}
	lo, err := netlink.LinkByName("lo")
	must(t, err)
	must(t, netlink.LinkSetUp(lo))
	l.own(nameServer)
	for _, record := range records {
		fields := strings.Fields(strings.TrimPrefix(record, inward))
		if address, err := netip.ParseAddr(fields[2]); err == nil {
			l.hosts[fields[0]] = address
			l.settle(address)
		}
	}
	l.serveZones(records)
	return l, true
}

// settle gives the machine a public address.
func (l *lab) settle(address netip.Addr) {
	for _, public := range []string{publicIPv4, publicIPv6} {
		if netip.MustParsePrefix(public).Contains(address) {
			l.own(address.String())
		}
	}
}

// own gives the machine one more address, without any time for the detection of duplicates.
func (l *lab) own(address string) {
	l.t.Helper()
	lo, err := netlink.LinkByName("lo")
	must(l.t, err)
	parsed, err := netip.ParseAddr(address)
	must(l.t, err)
	const noDuplicates = 0x02 // IFA_F_NODAD
	mask := net.CIDRMask(parsed.BitLen(), parsed.BitLen())
	must(l.t, netlink.AddrReplace(lo, &netlink.Addr{IPNet: &net.IPNet{IP: parsed.AsSlice(), Mask: mask}, Flags: noDuplicates}))
}

// at returns "address:port" of a host.
func (l *lab) at(name, port string) string {
	l.t.Helper()
	address, ok := l.hosts[name]
	if !ok {
		l.t.Fatalf("the lab has no %s", name)
	}
	return net.JoinHostPort(address.String(), port)
}

// write makes a file that every user can read, as servers like to give up their rights, and returns its path.
func (l *lab) write(name, content string) string {
	l.t.Helper()
	folder, err := os.MkdirTemp("/run", "lab")
	must(l.t, err)
	must(l.t, os.Chmod(folder, 0o777)) //nolint:gosec // in a file system of this process
	path := filepath.Join(folder, name)
	must(l.t, os.WriteFile(path, []byte(content), 0o644))
	must(l.t, os.Chmod(path, 0o755))
	return path
}

// firewall adds rules to what arrives at the lab's addresses, in the language of nft: to those who ask it is the same as if
// it happened on the way. A machine that refuses to send by itself is another thing.
func (l *lab) firewall(rules ...string) {
	l.t.Helper()
	script := "add table inet lab\nadd chain inet lab in { type filter hook input priority 0; }\n"
	for _, rule := range rules {
		script += "add rule inet lab in " + rule + "\n"
	}
	l.nft(script)
}

func (l *lab) nft(script string) {
	l.t.Helper()
	command := exec.Command(installed(l.t, "/usr/sbin/nft"), "-f", "-")
	command.Stdin = strings.NewReader(script)
	if output, err := command.CombinedOutput(); err != nil {
		l.t.Fatalf("nft: %v\n%s\n%s", err, output, script)
	}
}

// run runs a program to its end.
func (l *lab) run(program string, arguments ...string) {
	l.t.Helper()
	if output, err := exec.Command(installed(l.t, program), arguments...).CombinedOutput(); err != nil {
		l.t.Fatalf("%s: %v\n%s", filepath.Base(program), err, output)
	}
}

func authority(t *testing.T, name string) certificate.Pair {
	t.Helper()
	pair, err := certificate.NewAuthority(pkix.Name{CommonName: name}, 10*validity, time.Now())
	must(t, err)
	return pair
}

// issue makes a server's certificate that begins now or another time.
func issue(t *testing.T, by certificate.Pair, at time.Time, names ...string) certificate.Pair {
	t.Helper()
	pair, err := by.Issue(certificate.Request{Subject: pkix.Name{CommonName: names[0]}, DNS: names, Validity: validity,
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, at)
	must(t, err)
	return pair
}

// encrypted returns what a server in this process needs to serve TLS; more certificates follow its own.
func encryption(pair certificate.Pair, chain ...*x509.Certificate) *tls.Config {
	served := tls.Certificate{Certificate: [][]byte{pair.Certificate.Raw}, PrivateKey: pair.Key}
	for _, above := range chain {
		served.Certificate = append(served.Certificate, above.Raw)
	}
	return &tls.Config{Certificates: []tls.Certificate{served}, MinVersion: tls.VersionTLS12}
}

// certified writes a certificate with its key for a name, as most servers want them in one file.
func (l *lab) certified(names ...string) string {
	l.t.Helper()
	return l.write("server.pem", together(l.t, issue(l.t, l.authority, time.Now(), names...)))
}

func together(t *testing.T, pair certificate.Pair) string {
	t.Helper()
	key, err := pair.KeyPEM()
	must(t, err)
	return string(slices.Concat(pair.CertPEM(), key))
}
