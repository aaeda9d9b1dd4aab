package signin_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

// browser simulates a person who signs in: it gets a page, and returns with a code.
type browser struct {
	t      *testing.T
	signOn *signOn
	at     string // of the listener
	shown  int
}

func (b *browser) listen() (net.Listener, error) {
	listener, err := signin.ListenLoopback("0")()
	if err == nil {
		b.at = "http://" + listener.Addr().String()
	}
	return listener, err
}

func (b *browser) show(_ context.Context, page string) error {
	b.shown++
	address, err := url.Parse(page)
	if err != nil {
		return err
	}
	b.signOn.mu.Lock()
	b.signOn.asked = address.Query()
	b.signOn.mu.Unlock()
	back := url.Values{"state": {address.Query().Get("state")}, "code": {canary + "-code"}}
	if status, page := browse(b.t, b.at+"/?"+back.Encode()); status != http.StatusOK || strings.Contains(page, canary) {
		b.t.Errorf("%d %s", status, page)
	}
	return nil
}

func (s *signOn) source(t *testing.T) (*signin.Source, *browser, string) {
	t.Helper()
	b := &browser{t: t, signOn: s}
	options := s.options()
	options.Listen, options.Cache = b.listen, signin.CachePath(t.TempDir())
	return signin.New(options), b, options.Cache
}

func TestSignIn_Browser(t *testing.T) {
	s := newSignOn(t)
	source, b, cache := s.source(t)
	must(t, os.MkdirAll(filepath.Dir(cache), 0o700))
	must(t, os.WriteFile(cache, []byte(`{"https://other.example.net": {"id_token": "theirs", "strange": [1]}}`), 0o644))
	must(t, source.SignIn(t.Context(), b.show))
	for name, want := range map[string]string{
		"redirect_uri": "http://localhost:18000", "response_type": "code", "client_id": "lieutenant", "scope": "openid email profile",
		"code_challenge_method": "S256",
	} {
		if got := s.asked.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if len(s.asked.Get("state")) < 20 || len(s.asked.Get("nonce")) < 20 || s.asked.Get("state") == s.asked.Get("nonce") {
		t.Errorf("asked for %v", s.asked)
	}
	token, err := source.Token(t.Context())
	must(t, err)
	checkCache(t, cache, token)
	must(t, source.SignIn(t.Context(), nil)) // it is there already
	if b.shown != 1 {
		t.Errorf("the page was shown %d times", b.shown)
	}
}

// checkCache checks the entries that commodore needs, and its earlier entries.
func checkCache(t *testing.T, path, token string) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the cache: %v", info.Mode())
	}
	content, err := os.ReadFile(path)
	must(t, err)
	var entries map[string]map[string]any
	must(t, json.Unmarshal(content, &entries))
	ours, theirs := entries["https://api.example.net"], entries["https://other.example.net"]
	if ours["id_token"] != token || ours["refresh_token"] != canary+"-refresh" || ours["access_token"] != canary+"-access" || ours["session_state"] != "s-1" {
		t.Errorf("kept is %v", ours)
	}
	if theirs["id_token"] != "theirs" || theirs["strange"] == nil {
		t.Errorf("the entry of another API is %v", theirs)
	}
}

func TestSignIn_RefusesUnprovenToken(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	for name, spoil := range map[string]func(*signOn){
		"of another sign-in":       func(s *signOn) { s.claims = map[string]any{"nonce": "another"} },
		"without a nonce":          func(s *signOn) { s.claims = map[string]any{"nonce": ""} },
		"for another client":       func(s *signOn) { s.claims = map[string]any{"aud": "vault"} },
		"of another sign-on":       func(s *signOn) { s.claims = map[string]any{"iss": "https://id.evil.example"} },
		"that has ended":           func(s *signOn) { s.claims = map[string]any{"exp": time.Now().Add(-time.Minute).Unix()} },
		"signed by someone else":   func(s *signOn) { s.signer = other },
		"that is none":             func(s *signOn) { s.answer = map[string]any{"id_token": canary} },
		"that is missing":          func(s *signOn) { s.answer = map[string]any{"id_token": nil} },
		"without a signature":      func(s *signOn) { s.answer = map[string]any{"id_token": "eyJhbGciOiJub25lIn0.e30."} },
		"whose code is not ours":   func(s *signOn) { s.refusals = []string{"invalid_grant"} },
		"of endpoints without TLS": func(s *signOn) { s.configuration = map[string]any{"token_endpoint": "http://example.com/token"} },
		"of pages without TLS":     func(s *signOn) { s.configuration = map[string]any{"authorization_endpoint": "http://example.com/page"} },
		"by another one's word":    func(s *signOn) { s.configuration = map[string]any{"issuer": "https://id.evil.example"} },
		"with keys from the open":  func(s *signOn) { s.configuration = map[string]any{"jwks_uri": "http://example.com/keys"} },
		"elsewhere, without TLS": func(s *signOn) {
			s.configuration = map[string]any{"device_authorization_endpoint": "http://example.com"}
		},
		"of an endpoint of no host": func(s *signOn) { s.configuration = map[string]any{"token_endpoint": "https:token"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSignOn(t)
			spoil(s)
			source, b, cache := s.source(t)
			err := source.SignIn(t.Context(), b.show)
			if !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" || strings.Contains(err.Error(), canary) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("error = %q", err)
			}
			if s.configuration != nil && b.shown > 0 {
				t.Error("somebody was led to its page")
			}
			if _, err := os.Stat(cache); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was kept: %v", err)
			}
			if token, err := source.Token(t.Context()); !fault.Is(err, fault.Denied) {
				t.Errorf("token %q, %v", token, err)
			}
		})
	}
}

func TestSignIn_MissingProviderIsTransient(t *testing.T) {
	s := newSignOn(t)
	source, b, _ := s.source(t)
	s.refusals = []string{"503"}
	if err := source.SignIn(t.Context(), b.show); !fault.Is(err, fault.Transient) || strings.Contains(err.Error(), canary) {
		t.Errorf("error = %v", err)
	}
	options := s.options()
	options.Network.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("cut off") }
	if err := signin.New(options).SignIn(t.Context(), b.show); !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("error = %v", err)
	}
	options = s.options()
	options.Network.Roots = nil
	if err := signin.New(options).SignIn(t.Context(), b.show); !fault.Is(err, fault.Internal) || !strings.Contains(fault.HintOf(err), "trust store") {
		t.Errorf("error = %v", err)
	}
}

func TestSignIn_InvalidProvider(t *testing.T) {
	for path, test := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"/strange?status=200&body=<html>": {fault.Invalid, "is not that of"},
		"/strange?status=404&body={}":     {fault.Invalid, "404"},
		"/strange?status=302&body={}":     {fault.Invalid, "302"},
		"/strange?status=503&body={}":     {fault.Transient, "503"},
		"\x7f":                            {fault.Invalid, "not a URL"},
	} {
		s := newSignOn(t)
		options := s.options()
		options.Services = func(context.Context) (state.SynServices, error) {
			return state.SynServices{DiscoveryURL: s.url + path, ClientID: "lieutenant"}, nil
		}
		err := signin.New(options).SignIn(t.Context(), func(context.Context, string) error { t.Error("shown"); return nil })
		if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %v", path, err)
		}
	}
	s := newSignOn(t)
	options := s.options()
	options.Services = func(context.Context) (state.SynServices, error) { return state.SynServices{}, context.DeadlineExceeded }
	if err := signin.New(options).SignIn(t.Context(), func(context.Context, string) error { return nil }); !fault.Is(err, fault.Timeout) {
		t.Errorf("error = %v", err)
	}
}

func TestSignIn_UnwritableCache(t *testing.T) {
	s := newSignOn(t)
	source, b, cache := s.source(t)
	must(t, os.MkdirAll(cache, 0o700)) // at the path of the file
	must(t, source.SignIn(t.Context(), b.show))
	if _, err := source.Token(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSignIn_RequiresPerson(t *testing.T) {
	s := newSignOn(t)
	source, _, _ := s.source(t)
	if err := source.SignIn(t.Context(), nil); !fault.Is(err, fault.Waiting) || fault.HintOf(err) == "" {
		t.Errorf("error = %v", err)
	}
	if _, err := source.Token(t.Context()); !fault.Is(err, fault.Denied) {
		t.Errorf("error = %v", err)
	}
}

func TestSignIn_NamesOccupiedPort(t *testing.T) {
	s := newSignOn(t)
	taken, err := signin.ListenLoopback("0")()
	must(t, err)
	defer func() { _ = taken.Close() }()
	options := s.options()
	options.Listen = signin.ListenLoopback(portOf(t, taken))
	err = signin.New(options).SignIn(t.Context(), func(context.Context, string) error { return errors.New("shown") })
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "18000") || !strings.Contains(fault.HintOf(err), "18000") {
		t.Errorf("error = %v, %s", err, fault.HintOf(err))
	}
}

func TestSignIn_WithoutProviderNeedsToken(t *testing.T) {
	s := newSignOn(t)
	options := s.options()
	options.Services = func(context.Context) (state.SynServices, error) { return state.SynServices{}, nil }
	err := signin.New(options).SignIn(t.Context(), func(context.Context, string) error { return nil })
	if !fault.Is(err, fault.Waiting) || !strings.Contains(fault.HintOf(err), "COMMODORE_API_TOKEN") {
		t.Errorf("error = %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
