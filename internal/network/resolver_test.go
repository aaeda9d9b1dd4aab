package network

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

const record = "api.c-1.example.net. 60 IN A 198.19.0.1"

func resolved(t *testing.T, resolver Resolver) error {
	t.Helper()
	answer, err := resolver(t.Context(), query("api.c-1.example.net", dns.TypeA))
	if err == nil && len(answer.Answer) != 1 {
		t.Errorf("answer: %s", answer)
	}
	return err
}

func TestResolver_FallsBackToTCP(t *testing.T) {
	cut := serveNames(t, func(reply *dns.Msg, udp bool) {
		reply.Truncated = udp
		if !udp {
			reply.Answer = records(t, record)
		}
	})
	garbled := serveNames(t, func(reply *dns.Msg, udp bool) {
		if reply.Answer = records(t, record); udp {
			reply.Response, reply.Question, reply.Answer, reply.Truncated = false, nil, nil, true
		}
	})
	for _, server := range []*nameServer{cut, garbled} {
		must(t, resolved(t, NewResolver(new(net.Dialer).DialContext, server.address)))
	}
}

func TestResolver_TriesNextServer(t *testing.T) {
	running := serveNames(t, says(t, record))
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, gone.Close())
	dial := new(net.Dialer).DialContext
	must(t, resolved(t, NewResolver(dial, gone.Addr().String(), running.address)))
	if err := resolved(t, NewResolver(dial, gone.Addr().String())); err == nil || !strings.Contains(err.Error(), gone.Addr().String()) {
		t.Errorf("error = %v", err)
	}
	if err := resolved(t, NewResolver(dial)); err == nil {
		t.Error("nobody answered")
	}
}

func TestResolver_ReadsConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "resolv.conf")
	must(t, os.WriteFile(file, []byte("search example.net\nnameserver 192.0.2.53\n"), 0o600))
	w := world{"192.0.2.53:53": serveNames(t, says(t, record))}
	must(t, resolved(t, newConfiguredResolver(w.dial, file)))
	if err := resolved(t, newConfiguredResolver(w.dial, file+".missing")); err == nil {
		t.Error("resolved without a configuration")
	}
}

// public starts a resolver over HTTPS, and returns its URL and a client that trusts it.
func public(t *testing.T, answer func(http.ResponseWriter, *dns.Msg)) (*http.Client, *url.URL) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		question := new(dns.Msg)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/dns-message" || question.Unpack(body) != nil {
			t.Errorf("asked by %s with %q", r.Method, r.Header)
		}
		answer(w, question)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL + "/dns-query")
	must(t, err)
	return server.Client(), address
}

func write(w http.ResponseWriter, reply *dns.Msg) {
	packed, err := reply.Pack()
	if err == nil {
		_, _ = w.Write(packed)
	}
}

func TestResolver_OverHTTPS(t *testing.T) {
	must(t, resolved(t, NewHTTPSResolver(public(t, func(w http.ResponseWriter, question *dns.Msg) {
		reply := new(dns.Msg).SetReply(question)
		reply.Answer = records(t, record)
		write(w, reply)
	}))))
	for name, answer := range map[string]func(http.ResponseWriter, *dns.Msg){
		"no resolver":              func(w http.ResponseWriter, _ *dns.Msg) { http.Error(w, "no", http.StatusForbidden) },
		"no message":               func(w http.ResponseWriter, _ *dns.Msg) { _, _ = w.Write([]byte("<html>")) },
		"an answer to another one": func(w http.ResponseWriter, q *dns.Msg) { q.Id++; write(w, new(dns.Msg).SetReply(q)) },
	} {
		if err := resolved(t, NewHTTPSResolver(public(t, answer))); err == nil {
			t.Errorf("%s is taken for an answer", name)
		}
	}
}

func TestResolver_FallbackOnFailureOnly(t *testing.T) {
	fails := Resolver(func(context.Context, *dns.Msg) (*dns.Msg, error) { return nil, errors.New("first is gone") })
	works := NewResolver(new(net.Dialer).DialContext, serveNames(t, says(t, record)).address)
	never := Resolver(func(context.Context, *dns.Msg) (*dns.Msg, error) { t.Error("asked"); return nil, nil })
	must(t, resolved(t, fails.withFallback(works)))
	must(t, resolved(t, works.withFallback(never)))
	if err := resolved(t, fails.withFallback(fails)); err == nil || strings.Count(err.Error(), "gone") != 2 {
		t.Errorf("error = %v", err)
	}
}

// behindProxy returns a network whose own resolver returns an internal address.
func behindProxy(t *testing.T, answer func(http.ResponseWriter, *dns.Msg)) func(context.Context, string) ([]netip.Addr, error) {
	t.Helper()
	client, address := public(t, answer)
	n := Network{Dial: new(net.Dialer).DialContext, Roots: client.Transport.(*http.Transport).TLSClientConfig.RootCAs}
	n.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	return n.withPublicResolver(address).Lookup
}

func TestResolver_PublicAnswerBehindProxy(t *testing.T) {
	reply := func(change func(*dns.Msg)) func(http.ResponseWriter, *dns.Msg) {
		return func(w http.ResponseWriter, question *dns.Msg) {
			reply := new(dns.Msg).SetReply(question)
			change(reply)
			write(w, reply)
		}
	}
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter, *dns.Msg)
		want   string
	}{
		"an address":     {reply(func(m *dns.Msg) { m.Answer = records(t, record) }), "198.19.0.1"},
		"a missing name": {reply(func(m *dns.Msg) { m.Rcode = dns.RcodeNameError }), ""},
		"no address":     {reply(func(*dns.Msg) {}), ""},
		"a failure":      {reply(func(m *dns.Msg) { m.Rcode = dns.RcodeServerFailure }), "10.0.0.1"},
		"a closed door":  {func(w http.ResponseWriter, _ *dns.Msg) { http.Error(w, "no", http.StatusForbidden) }, "10.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := behindProxy(t, test.answer)(t.Context(), "api.c-1.example.net")
			if test.want != "" {
				if err != nil || len(got) != 1 || got[0].String() != test.want {
					t.Errorf("%v, %v, want %s", got, err, test.want)
				}
				return
			}
			var missing *net.DNSError
			if !errors.As(err, &missing) || !missing.IsNotFound {
				t.Errorf("%v, %v, want not found", got, err)
			}
		})
	}
}
