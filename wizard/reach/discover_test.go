package reach

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// lieutenant serves an answer at example.com, with the test server's certificate.
func lieutenant(t *testing.T, answer http.HandlerFunc) network.Network {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	return network.Network{Dial: dial, Roots: roots}
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

func TestDiscover_Neighbours(t *testing.T) {
	var path string
	n := lieutenant(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		says(`{"apiVersion":"v0.5.0","oidc":{"clientId":"lieutenant","discoveryUrl":"https://id.example.net/realms/r/.well-known/openid-configuration"},
			"vault":{"addr":"https://vault.example.net:443/","loginMethod":"oidc"}}`)(w, r)
	})
	got, err := Discover(t.Context(), n, "https://example.com/api")
	want := Discovery{OIDC: "https://id.example.net/realms/r/.well-known/openid-configuration", Vault: "https://vault.example.net"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || path != "/api/" {
		t.Errorf("%v, asked at %s: %s", err, path, diff)
	}
}

func TestDiscover_RefusesUntrustworthy(t *testing.T) {
	for answer, want := range map[string]Discovery{
		`{"oidc":{"discoveryUrl":"http://id.example.net"},"vault":{"addr":"https://vault.example.net"}}`:        {Vault: "https://vault.example.net"},
		`{"oidc":{"discoveryUrl":"https://u:p@id.example.net"},"vault":{"addr":"https://\u001b[2J"}}`:           {},
		`{"oidc":{"discoveryUrl":"https://id.example.net/o"},"vault":{"addr":"https://vault.example.net?a=b"}}`: {OIDC: "https://id.example.net/o"},
		`{"vault":{"addr":"closed://vault.example.net:22"}}`:                                                    {},
		`{"vault":{"addr":17}}`: {},
		`<html>log in</html>`:   {},
	} {
		got, err := Discover(t.Context(), lieutenant(t, says(answer)), "https://example.com")
		if diff := cmp.Diff(want, got); diff != "" || !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v %s", answer, err, diff)
		}
	}
}

func TestDiscover_EmptyAnswer(t *testing.T) {
	if got, err := Discover(t.Context(), lieutenant(t, says(`{"apiVersion":"v0.5.0"}`)), "https://example.com"); err != nil || got != (Discovery{}) {
		t.Error(got, err)
	}
}

func TestDiscover_IsBounded(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"no end": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/login", http.StatusFound)
				return
			}
			says(`{"vault":{"addr":"https://vault.example.net"}}`)(w, r)
		},
		"missing": http.NotFound,
	} {
		got, err := Discover(t.Context(), lieutenant(t, answer), "https://example.com")
		if !fault.Is(err, fault.Transient) || got != (Discovery{}) || fault.HintOf(err) == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent := func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		panic(http.ErrAbortHandler) // an empty response could still be read
	}
	if _, err := Discover(ctx, lieutenant(t, silent), "https://example.com"); !errors.Is(err, context.Canceled) {
		t.Errorf("silence: %v", err)
	}
	for _, address := range []string{"http://example.com", "https://u:s3cret@example.com", "", "\x1b"} {
		if _, err := Discover(t.Context(), network.Network{}, address); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
