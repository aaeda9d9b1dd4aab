package haproxy

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/fabric"
)

const config = `
defaults
    mode tcp
    timeout connect 5s
    timeout check 5s
    default-server init-addr none check inter 5s fall 3 rise 2 resolvers machine

resolvers machine
    parse-resolv-conf
    hold valid 10s

listen api
    bind *:6443
    option httpchk GET /readyz
    server bootstrap bootstrap.test:6443 check-ssl verify none backup
    server etcd-0 etcd-0.test:6443 check-ssl verify none

listen ingress
    bind *:80
    option httpchk GET /healthz/ready
    server-template router 1-3 router.test:80 port 1936 send-proxy-v2

frontend health
    bind *:8404
    mode http
    monitor-uri /healthz
`

// web serves the name of a host on a port, and health checks with the status that the function returns.
func (b *testbed) web(host *fabric.Host, port int, name string, secure bool, status func() int) {
	b.t.Helper()
	l, err := host.Listen(port)
	if err != nil {
		b.t.Fatal(err)
	}
	b.serve(l, name, secure, status)
}

func (b *testbed) serve(l net.Listener, name string, secure bool, status func() int) {
	b.t.Helper()
	if secure {
		config, err := b.ca.NewServerTLS(name, "api.test")
		if err != nil {
			b.t.Fatal(err)
		}
		l = tls.NewListener(l, config)
	}
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(status())
		}
		_, _ = io.WriteString(w, name)
	})}
	go func() { _ = server.Serve(l) }()
}

// nobody is the result for a connection that is closed without a response.
const nobody = "nobody"

func healthy() int { return http.StatusOK }

// get returns the response of the load balancer's port, or the error's text.
func (b *testbed) get(url string) string {
	transport := &http.Transport{DialContext: b.client.Dial, TLSClientConfig: &tls.Config{RootCAs: b.ca.Pool()}, DisableKeepAlives: true}
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

func (b *testbed) wantAPI(want string) {
	b.t.Helper()
	got := b.get("https://api.test:6443/")
	if slices.Contains([]string{"bootstrap", "etcd-0"}, got) == (want == nobody) || want != nobody && got != want {
		b.t.Errorf("the API is served by %q, want %q", got, want)
	}
}

func TestBackup_ServesWithoutHealthyServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		defer b.start(config)()
		time.Sleep(time.Minute)
		b.wantAPI(nobody) // nothing resolves

		var ready atomic.Int64
		ready.Store(http.StatusInternalServerError)
		b.web(b.host("198.18.0.3"), 6443, "bootstrap", true, healthy)
		etcd := b.host("198.18.0.4")
		b.web(etcd, 6443, "etcd-0", true, func() int { return int(ready.Load()) })
		b.point("bootstrap.test", "198.18.0.3")
		b.point("etcd-0.test", "198.18.0.4")
		time.Sleep(31 * time.Second) // between two checks
		b.wantAPI("bootstrap")

		ready.Store(http.StatusOK)
		time.Sleep(5 * time.Second)
		b.wantAPI("bootstrap") // one successful check is not enough
		time.Sleep(5 * time.Second)
		b.wantAPI("etcd-0")

		etcd.Close()
		time.Sleep(30 * time.Second)
		b.wantAPI("bootstrap")
	})
}

func TestRedispatch_NeedsOption(t *testing.T) {
	for options, want := range map[string]int{"": 6, "    option redispatch 1\n": 12} {
		synctest.Test(t, func(t *testing.T) {
			b := newTestbed(t)
			with := strings.Replace(config, "    mode tcp\n", "    mode tcp\n"+options, 1)
			with = strings.NewReplacer("verify none backup", "verify none", "init-addr none check", "init-addr none").Replace(with)
			defer b.start(with)()
			b.web(b.host("198.18.0.3"), 6443, "bootstrap", true, healthy)
			b.point("bootstrap.test", "198.18.0.3")
			b.host("198.18.0.4")
			b.point("etcd-0.test", "198.18.0.4")
			time.Sleep(15 * time.Second)
			served := 0
			for range 12 {
				if b.get("https://api.test:6443/") == "bootstrap" {
					served++
				}
			}
			if served != want {
				t.Errorf("with %q, %d of 12 were served, want %d", options, served, want)
			}
		})
	}
}

func TestTemplate_FollowsDNSAndSendsProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		defer b.start(config)()
		headers := make(chan string, 8)
		for _, address := range []string{"198.18.0.5", "198.18.0.6"} {
			router := b.host(address)
			b.web(router, 1936, address, false, healthy)
			b.proxied(router, headers)
		}
		b.point("router.test", "198.18.0.5", "198.18.0.6")
		time.Sleep(15 * time.Second)
		seen := map[string]int{}
		for range 4 {
			seen[b.get("http://api.test/")]++
			if got := <-headers; got != "192.0.2.10 -> 198.18.0.2:80" {
				t.Errorf("PROXY header says %s", got)
			}
		}
		if seen["198.18.0.5"] != 2 || seen["198.18.0.6"] != 2 {
			t.Errorf("answers = %v, want two of each router", seen)
		}
		b.point("router.test", "198.18.0.6")
		time.Sleep(15 * time.Second)
		for range 2 {
			if got := b.get("http://api.test/"); got != "198.18.0.6" {
				t.Errorf("answered by %s after its record went", got)
			}
			<-headers
		}
	})
}

// proxied is a web server on port 80 that requires a PROXY header.
func (b *testbed) proxied(host *fabric.Host, headers chan<- string) {
	b.t.Helper()
	l, err := host.Listen(80)
	if err != nil {
		b.t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			header := make([]byte, 28)
			if _, err := io.ReadFull(c, header); err == nil {
				source, _ := netip.AddrFromSlice(header[16:20])
				destination, _ := netip.AddrFromSlice(header[20:24])
				headers <- source.String() + " -> " + netip.AddrPortFrom(destination, uint16(header[26])<<8|uint16(header[27])).String()
			}
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+host.Address().String())
			_ = c.Close()
		}
	}()
}

func TestMonitor_Answers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		defer b.start(config)()
		synctest.Wait()
		if got := b.get("http://api.test:8404/healthz"); got != "<html><body><h1>200 OK</h1>\nService ready.\n</body></html>\n" {
			t.Errorf("answer = %q", got)
		}
		if got := b.get("http://api.test:8404/other"); got != "No server is available to handle this request.\n" {
			t.Errorf("answer = %q", got)
		}
	})
}

func TestFrontend_ReturnsClientAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, err := os.ReadFile("../../../assets/testdata/haproxy.golden")
		if err != nil {
			t.Fatal(err)
		}
		b := newTestbed(t)
		defer b.start(string(text))()
		synctest.Wait()
		for path, want := range map[string]string{
			"/address":   "192.0.2.10",
			"/address/x": "No server is available to handle this request.\n",
			"/healthz":   "<html><body><h1>200 OK</h1>\nService ready.\n</body></html>\n",
		} {
			if got := b.get("http://api.test:8404" + path); got != want {
				t.Errorf("%s: answer = %q, want %q", path, got, want)
			}
		}
	})
}

func TestHTTP_ForwardsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		b.web(b.host("198.18.0.5"), 8080, "app", false, healthy)
		defer b.start("frontend f\n bind :80\n mode http\n default_backend b\nbackend b\n mode http\n server s 198.18.0.5:8080\n")()
		synctest.Wait()
		if got := b.get("http://api.test/"); got != "app" {
			t.Errorf("answer = %q", got)
		}
	})
}

func TestServer_VerifiesCertificateOnRequest(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newTestbed(t)
			other, err := fabric.NewCA("Other CA")
			if err != nil {
				t.Fatal(err)
			}
			authority := other
			if trusted {
				authority = b.ca
			}
			b.lb.files["/etc/ca.pem"] = authority.PEM()
			b.web(b.host("198.18.0.3"), 6443, "etcd-0", true, healthy)
			defer b.start("listen api\n bind :6443\n server s 198.18.0.3:6443 check check-ssl verify required ca-file /etc/ca.pem\n")()
			time.Sleep(time.Minute)
			want := map[bool]string{true: "etcd-0", false: nobody}[trusted]
			b.wantAPI(want)
		})
	}
}

func TestConfig_RefusesInvalid(t *testing.T) {
	for name, test := range map[string]struct{ config, says string }{
		"unknown keyword":      {"listen a\n bind :6443\n bogus 1\n", "haproxy.cfg:3] : unknown keyword 'bogus' in 'listen' section"},
		"unknown server word":  {"listen a\n bind :6443\n server s 1.2.3.4:1 bogus 1\n", "cfg:3] : unknown keyword 'bogus'"},
		"out of section":       {"bind :6443\n", "cfg:1] : unknown keyword 'bind' out of section"},
		"missing backend":      {"frontend a\n bind :6443\n default_backend b\n", "unable to find required default_backend: 'b'"},
		"missing resolvers":    {"listen a\n bind :6443\n server s x.test:1 resolvers r init-addr none\n", "unable to find required resolvers 'r'"},
		"unverified TLS check": {"listen a\n bind :6443\n server s 1.2.3.4:1 check check-ssl\n", "no CA file specified"},
		"missing CA file":      {"listen a\n bind :6443\n server s 1.2.3.4:1 check check-ssl ca-file /none\n", "unable to load '/none'"},
		"unknown name":         {"listen a\n bind :6443\n server s x.test:1 check\n", "could not resolve address 'x.test'"},
		"port in use":          {"listen a\n bind :6443\nlisten b\n bind :6443\n", "cannot bind socket"},
		"foreign address":      {"listen a\n bind :6443\nlisten b\n bind 198.18.0.9:80\n", "cannot assign requested address"},
		"server in frontend":   {"frontend a\n bind :6443\n server s 1.2.3.4:1\n", "'server' not allowed in 'frontend' section"},
		"open quote":           {"listen a\n bind \":6443\n", "unmatched quote"},
		"unknown action":       {"frontend a\n bind :6443\n mode http\n http-request bogus\n", "unknown or missing action [bogus]"},
		"untyped answer":       {"frontend a\n bind :6443\n mode http\n http-request return string x\n", "content type must be defined"},
		"answer to a header":   {"frontend a\n bind :6443\n mode http\n http-request return status 200 if { hdr(x) y }\n", "cannot read the condition"},
		"format of a header":   {"frontend a\n bind :6443\n mode http\n http-request return lf-string %[hdr(x)] content-type a\n", "cannot read the format"},
		"monitor in mode tcp":  {"listen a\n bind :6443\n monitor-uri /x\n", "monitor-uri needs 'mode http'"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTestbed(t)
				defer b.start(test.config)()
				synctest.Wait()
				if !b.lb.said(test.says) {
					t.Errorf("console = %q, want %q", b.lb.lines, test.says)
				}
				_, err := b.client.Dial(t.Context(), "tcp", "198.18.0.2:6443")
				if !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("dial = %v, want refused", err)
				}
			})
		})
	}
}

func TestConfig_ClusterLoadBalancer(t *testing.T) {
	for _, name := range []string{"haproxy.golden", "haproxy-proxy.golden"} {
		text, err := os.ReadFile("../../../assets/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		api := parsed.findBackend("api")
		if api == nil || len(api.servers) != 4 {
			t.Fatalf("%s: backend api = %+v", name, api)
		}
		s := api.servers[0].options
		want := options{check: true, checkSSL: true, backup: true, verify: "none", inter: 10 * time.Second,
			fastInter: 2 * time.Second, downInter: 5 * time.Second, fall: 3, rise: 2,
			resolvers: "machine", initAddr: "none"}
		if s != want {
			t.Errorf("%s: bootstrap = %+v, want %+v", name, s, want)
		}
	}
}

func TestRun_StopEndsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		l, err := b.host("198.18.0.3").Listen(80)
		if err != nil {
			t.Fatal(err)
		}
		stop := b.start("listen a\n bind :80\n server s 198.18.0.3:80\n")
		synctest.Wait()
		c, err := b.client.Dial(t.Context(), "tcp", "api.test:80")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
		stop()
		if _, err = c.Read(make([]byte, 1)); err == nil || errors.Is(err, net.ErrClosed) {
			t.Errorf("read = %v, want the peer's good-bye", err)
		}
	})
}
