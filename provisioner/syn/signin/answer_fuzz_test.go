package signin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"exoshift/internal/fault"
)

type answering struct {
	status int
	body   []byte
}

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Body: io.NopCloser(bytes.NewReader(a.body)), Request: request, Header: http.Header{}}, nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// FuzzDiscover checks that a single sign-on's metadata sends nobody to another host or to an unencrypted URL.
func FuzzDiscover(f *testing.F) {
	const address = "https://id.example.net/realms/a" + wellKnown
	good := `{"issuer": "https://id.example.net/realms/a", "authorization_endpoint": "https://id.example.net/a", "token_endpoint": "https://id.example.net/t", "jwks_uri": "https://id.example.net/k", "device_authorization_endpoint": "https://id.example.net/d", "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"]}`
	for _, seed := range []string{
		good, strings.Replace(good, "https://id.example.net/t", "http://id.example.net/t", 1), strings.Replace(good, "realms/a\"", "realms/b\\u001b[2J\"", 1),
		strings.Replace(good, "https://id.example.net/k", "https://a:b@id.example.net/k", 1), `{"issuer": 1}`, "null", "<html>", "", strings.Replace(good, "/realms/a\"", "/realms/a//\"", 1),
	} {
		f.Add(http.StatusOK, []byte(seed))
	}
	f.Add(http.StatusBadGateway, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		client := &http.Client{Transport: answering{200 + int(uint(status)%400), body}}
		configuration, err := discover(t.Context(), client, address)
		if err == nil {
			err = configuration.check(address)
		}
		if err != nil {
			if words := err.Error(); words == "" || strings.ContainsFunc(words, unprintable) {
				t.Fatalf("%q is told as %q", body, words)
			}
			return
		}
		for _, endpoint := range []string{configuration.Issuer, configuration.Authorization, configuration.Token, configuration.Keys, configuration.Device} {
			if endpoint == "" && configuration.Device == "" {
				continue
			}
			if u, err := url.Parse(endpoint); err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
				t.Fatalf("somebody is led to %q", endpoint)
			}
		}
		if slices.ContainsFunc(configuration.listAlgorithms(), func(name string) bool { return name == "none" || strings.HasPrefix(name, "HS") }) {
			t.Fatalf("%q prove something", configuration.listAlgorithms())
		}
	})
}

// FuzzTokenEnd parses the claims of an arbitrary token.
func FuzzTokenEnd(f *testing.F) {
	for _, seed := range []string{`{"exp": 1777903320}`, `{"exp": 1e300}`, `{"exp": -1}`, `{"exp": 0.5}`, `{"exp": "1"}`, `{}`, "null", ""} {
		f.Add("e30."+base64.RawURLEncoding.EncodeToString([]byte(seed))+".c2ln", []byte(seed))
	}
	f.Add("..", []byte(nil))
	f.Add("a.%.b", []byte(nil))
	f.Fuzz(func(t *testing.T, token string, payload []byte) {
		for _, each := range []string{token, "e30." + base64.RawURLEncoding.EncodeToString(payload) + ".c2ln", "e30." + base64.URLEncoding.EncodeToString(payload) + ".c2ln"} {
			end, known := parseExpiry(each)
			if known && (end.Before(time.Unix(0, 0)) || end.Year() > 9999+1) || !known && !end.IsZero() {
				t.Fatalf("%q ends at %s", each, end)
			}
		}
	})
}

// FuzzCache reads a cache of commodore or another program: entries of others remain.
func FuzzCache(f *testing.F) {
	const api = "https://api.example.net"
	for _, seed := range []string{
		`{"https://api.example.net": {"id_token": "a.b.c", "refresh_token": "r"}, "https://other.example.net": "x.y.z"}`, `{"https://api.example.net": "a.b.c"}`, `{"https://api.example.net": 42, "": null}`,
		"null", "[]", "", "{", `{"https://api.example.net": {"id_token": 1}}`, "{\"\xff\": 1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // as another program may leave it
			t.Fatal(err)
		}
		c := cache{path, api}
		found := c.load()
		if !json.Valid(content) && (found.IDToken != "" || found.RefreshToken != "") {
			t.Fatalf("%q is in %q", found, content)
		}
		before, err := c.readEntries()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.save(tokenSet{answer: map[string]any{"id_token": "new.token.here"}}); err != nil {
			t.Fatal(err)
		}
		if got := c.load().IDToken; got != "new.token.here" {
			t.Fatalf("%q was kept", got)
		}
		if err := c.remove("new.token.here"); err != nil {
			t.Fatal(err)
		}
		after, err := c.readEntries()
		if delete(before, api); err != nil || !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
			t.Fatalf("of %q there is %q, %v", before, after, err)
		}
		for name := range before {
			var was, is any
			if json.Unmarshal(before[name], &was) != nil || json.Unmarshal(after[name], &is) != nil {
				t.Fatalf("%s became %s", before[name], after[name])
			}
			if a, b := asJSON(t, was), asJSON(t, is); a != b {
				t.Fatalf("%s became %s", a, b)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
	})
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// FuzzVerification parses the URL of the device flow.
func FuzzVerification(f *testing.F) {
	for _, seed := range []string{"https://id.example.net/device", "http://id.example.net", "https://a@id.example.net", "javascript:alert(1)", "https://", "", "https://id.example.net/?user_code=x#y"} {
		f.Add(seed, "", "ABCD-EFGH")
		f.Add("", seed, "AB&x=\x1b")
	}
	f.Fuzz(func(t *testing.T, address, complete, code string) {
		page, err := buildDeviceURL(&oauth2.DeviceAuthResponse{VerificationURI: address, VerificationURIComplete: complete, UserCode: code})
		if err != nil {
			if !fault.Is(err, fault.Denied) {
				t.Fatal(err)
			}
			return
		}
		u, err := url.Parse(page)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsFunc(page, unicode.IsControl) {
			t.Fatalf("somebody is sent to %q", page)
		}
		if complete == "" && !slices.Contains(u.Query()["user_code"], code) {
			t.Fatalf("the code %q is not in %q", code, page)
		}
	})
}

// FuzzRefused checks errors of a token endpoint, which may repeat the request.
func FuzzRefused(f *testing.F) {
	for _, seed := range []string{"", "invalid_grant", "very-\x1b[0msecret-\u200bvalue", "very-secret-value", strings.Repeat("a", 290) + "very-secret-value", "\xff\u202e"} {
		f.Add(seed, seed, http.StatusBadRequest)
		f.Add("invalid_request", seed, http.StatusBadGateway)
	}
	f.Fuzz(func(t *testing.T, code, description string, status int) {
		const secret = "very-secret-value"
		refused := toRefusalFault("sign in", &oauth2.RetrieveError{
			Response: &http.Response{StatusCode: status}, ErrorCode: code, ErrorDescription: description + secret,
		}, []string{secret, ""})
		if words := refused.Error(); strings.Contains(words, secret) || strings.ContainsFunc(words, unprintable) {
			t.Fatalf("%q, %q is told as %q", code, description, words)
		}
	})
}
