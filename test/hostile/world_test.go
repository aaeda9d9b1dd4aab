package hostile_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// world is a network with one hostile server, and one that credentials must never come to.
type world struct {
	t                   *testing.T
	network             network.Network
	authority, stranger *fabric.CA
	clientCertificate   []byte
	clientKey           []byte
	sent                atomic.Int64 // bytes of answers, as they came over the wire

	mu    sync.Mutex
	stray []string // what the other server was asked
}

// elsewhere is where servers lead to. Go's own client takes it for the same site, and shows it credentials.
func elsewhere(host string) string { return "elsewhere." + host }

func open(t *testing.T, c client, a attack) *world {
	w := &world{t: t}
	var err error
	w.authority, err = fabric.NewCA("Internet")
	must(t, err)
	w.stranger, err = fabric.NewCA("\x1b[2Jnobody\u202e")
	must(t, err)
	// The certificate of our client is as good as any: the server asks for none.
	w.clientCertificate = w.authority.PEM()
	w.clientKey, err = w.authority.KeyPEM()
	must(t, err)
	here, there := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	memory := fabric.New(fabric.Config{Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
		switch name {
		case c.host:
			return []netip.Addr{here}, nil
		case elsewhere(c.host):
			return []netip.Addr{there}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}})
	t.Cleanup(memory.Close)
	settings := w.serverTLS(w.authority, c.host)
	if a.certs != nil {
		settings = a.certs(w, c)
	}
	w.serve(memory, here, settings, w.counted(c.limit, w.after(c.before, a.answer(w, c))))
	w.serve(memory, there, w.serverTLS(w.authority, elsewhere(c.host)), http.HandlerFunc(w.note))
	client, err := memory.AddHost(netip.MustParseAddr("192.0.2.3"))
	must(t, err)
	w.network = client.Network(w.authority.Pool())
	return w
}

func (w *world) serverTLS(ca *fabric.CA, name string) *tls.Config {
	settings, err := ca.NewServerTLS(name)
	must(w.t, err)
	return settings
}

func (w *world) serve(memory *fabric.Fabric, address netip.Addr, settings *tls.Config, handler http.Handler) {
	host, err := memory.AddHost(address)
	must(w.t, err)
	for _, port := range []int{443, 6443} {
		listener, err := host.Listen(port)
		must(w.t, err)
		server := &http.Server{Handler: handler, TLSConfig: settings, ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // nobody is slow in memory but on purpose
		w.t.Cleanup(func() { _ = server.Close() })
		go func() { _ = server.ServeTLS(listener, "", "") }()
	}
}

// after lets the attack begin after what has to be asked before.
func (w *world) after(before func(*world, http.ResponseWriter, *http.Request) bool, attack http.HandlerFunc) http.HandlerFunc {
	if before == nil {
		return attack
	}
	return func(answer http.ResponseWriter, request *http.Request) {
		if !before(w, answer, request) {
			attack(answer, request)
		}
	}
}

// counted counts what is sent.
func (w *world) counted(limit int64, handler http.HandlerFunc) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		handler(&counter{answer, &w.sent, 2*limit + slack}, request)
	}
}

type counter struct {
	http.ResponseWriter
	sent *atomic.Int64
	most int64 // an attack on a client without a limit would never end
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	if c.sent.Add(int64(n)) > c.most {
		err = io.ErrShortWrite
	}
	return n, err
}

// Unwrap is for http.ResponseController.
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// note remembers what was asked elsewhere, and answers as if it had it.
func (w *world) note(answer http.ResponseWriter, request *http.Request) {
	asked, _ := httputil.DumpRequest(request, true)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stray = append(w.stray, string(asked))
	_, _ = io.WriteString(answer, "{}")
}

func (w *world) strays() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stray
}

// begin sets the header of an answer.
func (c client) begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", c.media())
	w.Header().Set("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT")
}

// media is the type of the answers of a client's server.
func (c client) media() string {
	switch {
	case c.host == network.PublicResolver().Host:
		return "application/dns-message"
	case strings.Contains(c.name, "storage"):
		return "application/xml"
	case c.name == "Git":
		return "application/x-git-upload-pack-advertisement"
	case strings.Contains(c.name, "mirror"):
		return "application/octet-stream"
	}
	return "application/json"
}

// opening is how an answer begins that could be the right one.
func (c client) opening() string {
	switch c.media() {
	case "application/json":
		return `{"name": "`
	case "application/xml":
		return `<?xml version="1.0"?><ListAllMyBucketsResult><Owner><ID>`
	case "application/x-git-upload-pack-advertisement":
		return "001e# service=git-upload-pack\n0000" + pktLine("refs/heads/a\x00side-band-64k ofs-delta shallow")
	}
	if c.stream {
		return imageStart
	}
	return ""
}

// middle is what goes on without an end.
func (c client) middle() []byte {
	if c.name == "Git" {
		return []byte(pktLine("refs/heads/b"))
	}
	return bytes.Repeat([]byte("x"), 80)
}

// pktLine is how Git tells a reference.
func pktLine(name string) string {
	line := strings.Repeat("1", 40) + " " + name + "\n"
	return fmt.Sprintf("%04x%s", len(line)+4, line)
}

// imageStart is the start of a gzip stream that says little in many bytes: stored blocks of one byte each.
var imageStart = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + strings.Repeat("\x00\x01\x00\xfe\xffx", 100_000)

// quote returns a text as JSON, with bytes that are not UTF-8 as they are.
func quote(content string) string {
	text, _ := json.Marshal(strings.ReplaceAll(content, "\xff", ""))
	return strings.Replace(string(text), `\u202e`, "\u202e", 1)
}

// escapeXML leaves out what no XML document can hold.
func escapeXML(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == '\uFFFD' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
