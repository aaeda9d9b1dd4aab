package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/certificate"
)

// routedLab is a client, which is this process, and a router, a server and an interceptor in network namespaces of their own.
// Everything between the client and the server passes the router, which has the faults.
type routedLab struct {
	t                 *testing.T
	public, corporate certificate.Pair // authorities of the internet, and of the interceptor
	inspecting        certificate.Pair // an authority of the interceptor below that of the internet
}

// Addresses of the routed lab; the servers' network is publicIPv4.
const (
	interceptorHost = "10.2.0.2"
	refusingServer  = "203.0.113.54" // a name server that refuses everybody
	emptyServer     = "203.0.113.55" // a name server that knows no name
)

// newRoutedLab returns nothing where the test does not run but another process does; see alone.
func newRoutedLab(t *testing.T) (*routedLab, bool) {
	t.Helper()
	if !alone(t) {
		return nil, false
	}
	r := &routedLab{t: t, public: authority(t, "Lab Root CA"), corporate: authority(t, "Corp Root CA")}
	r.inspecting = r.issueBelow("Managed Security CA")
	lo, err := netlink.LinkByName("lo")
	must(t, err)
	must(t, netlink.LinkSetUp(lo))
	for _, name := range []string{"router", "server", "interceptor"} {
		r.ip("netns", "add", name)
		r.ip("-n", name, "link", "set", "lo", "up")
	}
	r.connect("", "c0", "10.1.0.2/24", "r0", "10.1.0.1/24")
	r.connect("server", "s0", "203.0.113.2/24", "r1", "203.0.113.1/24")
	r.connect("interceptor", "i0", interceptorHost+"/24", "r2", "10.2.0.1/24")
	r.ip("-n", "router", "route", "add", nameServer, "dev", "r1")
	r.within("router", "sysctl", "-qw", "net.ipv4.ip_forward=1")
	addresses := []string{nameServer, refusingServer, emptyServer}
	for n := range sites {
		addresses = append(addresses, siteAddress(n))
	}
	for _, address := range addresses {
		r.ip("-n", "server", "address", "add", address+"/32", "dev", "s0")
	}
	r.serveNames()
	r.serveSites()
	return r, true
}

// issueBelow makes an authority below that of the internet, as those that sign for services are.
func (r *routedLab) issueBelow(name string) certificate.Pair {
	r.t.Helper()
	pair, err := r.public.Issue(certificate.Request{Subject: pkix.Name{CommonName: name}, Validity: 2 * validity, CA: true}, time.Now())
	must(r.t, err)
	return pair
}

func siteName(n int) string { return fmt.Sprintf("web.site%d.net", n) }

func siteAddress(n int) string { return fmt.Sprintf("203.0.113.%d", 10+n) }

// connect links a namespace, "" for the client's, with the router, which is its way to everything else.
func (r *routedLab) connect(name, own, ownAddress, peer, peerAddress string) {
	r.t.Helper()
	there := []string{}
	if name != "" {
		there = []string{"-n", name}
	}
	r.ip(append(there, "link", "add", own, "type", "veth", "peer", "name", peer, "netns", "router")...)
	r.ip(append(there, "address", "add", ownAddress, "dev", own)...)
	r.ip(append(there, "link", "set", own, "up")...)
	r.ip("-n", "router", "address", "add", peerAddress, "dev", peer)
	r.ip("-n", "router", "link", "set", peer, "up")
	via, _, _ := strings.Cut(peerAddress, "/")
	r.ip(append(there, "route", "add", "default", "via", via)...)
}

func (r *routedLab) ip(arguments ...string) {
	r.t.Helper()
	if output, err := exec.Command(installed(r.t, "/usr/sbin/ip"), arguments...).CombinedOutput(); err != nil {
		r.t.Fatalf("ip %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
}

func (r *routedLab) within(name string, command ...string) {
	r.t.Helper()
	r.ip(append([]string{"netns", "exec", name}, command...)...)
}

// route replaces the rules of the router: of what it forwards, and of where it leads it instead.
func (r *routedLab) route(forward, redirect []string) {
	r.t.Helper()
	script := "flush ruleset\nadd table ip lab\nadd chain ip lab passing { type filter hook forward priority 0; }\n" +
		"add chain ip lab leading { type nat hook prerouting priority -100; }\n"
	for _, rule := range forward {
		script += "add rule ip lab passing " + rule + "\n"
	}
	for _, rule := range redirect {
		script += "add rule ip lab leading iifname r0 " + rule + "\n"
	}
	command := exec.Command("/usr/sbin/ip", "netns", "exec", "router", installed(r.t, "/usr/sbin/nft"), "-f", "-")
	command.Stdin = strings.NewReader(script)
	if output, err := command.CombinedOutput(); err != nil {
		r.t.Fatalf("nft: %v\n%s\n%s", err, output, script)
	}
	r.forgetConnections()
}

// forgetConnections has the router apply new rules to all packets: without it a client that takes the port of an earlier query
// is still translated by the rules of that one.
func (r *routedLab) forgetConnections() {
	r.t.Helper()
	router, err := netns.GetFromName("router")
	must(r.t, err)
	defer router.Close() // it was only read from
	handle, err := netlink.NewHandleAt(router, unix.NETLINK_NETFILTER)
	must(r.t, err)
	defer handle.Close()
	must(r.t, handle.ConntrackTableFlush(netlink.ConntrackTable))
}

// serveNames runs the name servers.
func (r *routedLab) serveNames() {
	r.t.Helper()
	records := []string{"--local=/#/"} // it knows all names there are
	for n := range sites {
		records = append(records, "--address=/"+siteName(n)+"/"+siteAddress(n))
	}
	for address, answers := range map[string][]string{nameServer: records, emptyServer: {"--address=/#/"}, refusingServer: nil} {
		arguments := append([]string{"netns", "exec", "server", installed(r.t, "/usr/sbin/dnsmasq"), "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
			"--no-hosts", "--user=root", "--pid-file=", "--bind-interfaces", "--except-interface=lo", "--listen-address=" + address}, answers...)
		daemon(r.t, func() error {
			conn, err := net.DialTimeout("tcp", net.JoinHostPort(address, "53"), time.Second)
			if err == nil {
				_ = conn.Close()
			}
			return err
		}, "/usr/sbin/ip", arguments...)
	}
}

// serveSites runs one HTTPS server for each site, which answers with JSON. The certificate of each has another issuer.
func (r *routedLab) serveSites() {
	r.t.Helper()
	for n := range sites {
		issuer := r.issueBelow(fmt.Sprintf("Issuing CA %d", n))
		listener := r.listen("server", siteAddress(n)+":443")
		r.serve(tls.NewListener(listener, encryption(issue(r.t, issuer, time.Now(), siteName(n)), issuer.Certificate)), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"service": "` + siteName(n) + `"}`))
		}))
	}
}

func (r *routedLab) serve(listener net.Listener, handler http.Handler) {
	(&lab{t: r.t}).serve(listener, handler)
}

// listen opens a port in a namespace.
func (r *routedLab) listen(name, address string) (listener net.Listener) {
	r.t.Helper()
	must(r.t, inNamespace(name, func() (err error) {
		listener, err = net.Listen("tcp", address)
		return err
	}))
	r.t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// inNamespace runs a function on a thread in a namespace. What it opens stays there.
func inNamespace(name string, run func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		there, err := netns.GetFromName(name)
		if err == nil {
			err = netns.Set(there)
		}
		if err == nil {
			err = run()
		}
		result <- err
	}()
	return <-result
}

// intercept opens all TLS connections that reach a port of the interceptor, with certificates of an authority: what it reads,
// it passes on to the site.
func (r *routedLab) intercept(port string, by certificate.Pair) {
	r.t.Helper()
	(&lab{t: r.t}).accept(r.listen("interceptor", interceptorHost+":"+port), func(conn net.Conn) {
		front := tls.Server(conn, &tls.Config{GetCertificate: r.issueBy(by), MinVersion: tls.VersionTLS12})
		if front.Handshake() != nil {
			return
		}
		back, err := r.callSite(front.ConnectionState().ServerName)
		if err != nil {
			return
		}
		defer func() { _ = back.Close() }()
		go func() { _, _ = io.Copy(back, front) }()
		_, _ = io.Copy(front, back)
	})
}

func (r *routedLab) issueBy(by certificate.Pair) func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair := issue(r.t, by, time.Now(), hello.ServerName)
		return &tls.Certificate{Certificate: [][]byte{pair.Certificate.Raw, by.Certificate.Raw}, PrivateKey: pair.Key}, nil
	}
}

func (r *routedLab) callSite(name string) (conn net.Conn, err error) {
	var n int
	if _, err := fmt.Sscanf(name, "web.site%d.net", &n); err != nil {
		return nil, err
	}
	err = inNamespace("interceptor", func() (err error) {
		conn, err = net.Dial("tcp", siteAddress(n)+":443")
		return err
	})
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn, &tls.Config{ServerName: name, RootCAs: pool(r.public), MinVersion: tls.VersionTLS12})
	return secure, secure.Handshake()
}

// filter answers everything at another port of the interceptor with a status and a body of its own.
func (r *routedLab) filter(port string, status int, kind, body string) {
	r.t.Helper()
	listener := tls.NewListener(r.listen("interceptor", interceptorHost+":"+port), &tls.Config{GetCertificate: r.issueBy(r.corporate), MinVersion: tls.VersionTLS12})
	r.serve(listener, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "{host}", q.Host))
	}))
}

// client is the network of this process, in which the lab's internet is the public one.
func (r *routedLab) client(trusted ...certificate.Pair) network.Network {
	n := network.Host()
	n.PublicRoots, n.Roots = pool(r.public), pool(append(trusted, r.public)...)
	return n
}

func pool(pairs ...certificate.Pair) *x509.CertPool {
	all := x509.NewCertPool()
	for _, pair := range pairs {
		all.AddCert(pair.Certificate)
	}
	return all
}
