package signin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

// cached returns a source with an entry in its cache.
func (s *signOn) cached(t *testing.T, api string, entry any) (*signin.Source, *browser) {
	t.Helper()
	source, b, cache := s.source(t)
	content, err := json.Marshal(map[string]any{api: entry})
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(cache), 0o700))
	must(t, os.WriteFile(cache, content, 0o600))
	return source, b
}

func TestSource_UsesCommodoreCache(t *testing.T) {
	const api = "https://api.example.net"
	lasting, ending, over := jsonWebToken(t, time.Minute), jsonWebToken(t, 5*time.Second), jsonWebToken(t, -time.Minute)
	for name, test := range map[string]struct {
		api   string
		entry any
		used  bool
	}{
		"an answer":                  {api, map[string]any{"id_token": lasting}, true},
		"a token of older versions":  {api, lasting, true},
		"one that does not say":      {api, map[string]any{"id_token": "opaque"}, true},
		"one that ends in seconds":   {api, map[string]any{"id_token": ending}, false},
		"one that has ended":         {api, map[string]any{"id_token": over}, false},
		"one of another API":         {"https://other.example.net", map[string]any{"id_token": lasting}, false},
		"one of almost that API":     {api + "/", map[string]any{"id_token": lasting}, false},
		"none":                       {api, 42, false},
		"one that cannot be renewed": {api, map[string]any{"id_token": over, "refresh_token": over}, false},
	} {
		s := newSignOn(t)
		source, _ := s.cached(t, test.api, test.entry)
		token, err := source.Token(t.Context())
		if (err == nil) != test.used || !test.used && !fault.Is(err, fault.Denied) {
			t.Errorf("%s: %q, %v", name, token, err)
		}
		if len(s.grantTypes()) > 0 {
			t.Errorf("%s: the single sign-on was asked", name)
		}
	}
}

func TestSource_RenewsExpiringToken(t *testing.T) {
	s := newSignOn(t)
	source, _ := s.cached(t, "https://api.example.net", map[string]any{"id_token": jsonWebToken(t, -time.Minute), "refresh_token": canary + "-refresh"})
	must(t, source.SignIn(t.Context(), nil))
	first, err := source.Token(t.Context())
	must(t, err)
	source.Reject(first)
	s.mu.Lock()
	s.claims = map[string]any{"jti": "another"}
	s.answer = map[string]any{"refresh_token": nil} // the old one remains valid
	s.mu.Unlock()
	second, err := source.Token(t.Context())
	must(t, err)
	if second == first {
		t.Error("a rejected token is used again")
	}
	if got := s.grantTypes(); !slices.Equal(got, []string{"refresh_token", "refresh_token"}) || s.grants[1].Get("refresh_token") != canary+"-refresh" {
		t.Errorf("asked for %v", got)
	}
}

func TestSource_ExpiredSessionNeedsPerson(t *testing.T) {
	s := newSignOn(t)
	source, b := s.cached(t, "https://api.example.net", map[string]any{"id_token": jsonWebToken(t, -time.Minute), "refresh_token": canary + "-old"})
	s.refusals = []string{"503", "invalid_grant"}
	if _, err := source.Token(t.Context()); !fault.Is(err, fault.Transient) {
		t.Errorf("a single sign-on that is down: %v", err)
	}
	_, err := source.Token(t.Context())
	if !fault.Is(err, fault.Denied) || strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("a session that is over: %v", err)
	}
	must(t, source.SignIn(t.Context(), b.show))
	if got := s.grantTypes(); !slices.Equal(got, []string{"refresh_token", "refresh_token", "authorization_code"}) {
		t.Errorf("asked for %v", got)
	}
}

func TestSource_RefusesForeignRenewal(t *testing.T) {
	s := newSignOn(t)
	source, _ := s.cached(t, "https://api.example.net", map[string]any{"id_token": jsonWebToken(t, -time.Minute), "refresh_token": canary})
	s.claims = map[string]any{"aud": "vault"}
	if _, err := source.Token(t.Context()); !fault.Is(err, fault.Denied) {
		t.Errorf("error = %v", err)
	}
}

func TestSource_ReplacesBrokenCache(t *testing.T) {
	s := newSignOn(t)
	source, b, cache := s.source(t)
	must(t, os.MkdirAll(filepath.Dir(cache), 0o700))
	must(t, os.WriteFile(cache, []byte("null"), 0o644))
	must(t, source.SignIn(t.Context(), b.show))
	again, _, _ := s.source(t)
	if _, err := again.Token(t.Context()); !fault.Is(err, fault.Denied) {
		t.Errorf("error = %v", err)
	}
	token, err := source.Token(t.Context())
	must(t, err)
	content, err := os.ReadFile(cache)
	must(t, err)
	if !strings.Contains(string(content), token) {
		t.Error("the token is not kept")
	}
}

func TestSource_GivenTokenOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte(canary+"-1\n"), 0o600))
	empty := filepath.Join(t.TempDir(), "empty")
	must(t, os.WriteFile(empty, nil, 0o600))
	over := jsonWebToken(t, -time.Minute)
	for name, test := range map[string]struct{ given, token, says string }{
		"a value":                {canary, canary, ""},
		"a value with a newline": {canary + "\n", canary, ""},
		"a file":                 {file, canary + "-1", ""},
		"an empty file":          {empty, "", "there is none"},
		"a file that is missing": {"/nowhere/" + canary, "", "no such file"},
		"one that has ended":     {over, "", "expired"},
		"a sentence":             {"Bearer " + canary, "", "characters,"},
		"a control character":    {canary + "\x1b[31m", "", "characters,"},
		"a novel":                {strings.Repeat(canary, 1<<14), "", "too long"},
	} {
		s := newSignOn(t)
		options := s.options()
		options.Given = test.given
		source := signin.New(options)
		token, err := source.Token(t.Context())
		if token != test.token || (err == nil) != (test.says == "") {
			t.Errorf("%s: %q, %v", name, token, err)
		}
		if err == nil {
			continue
		}
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), test.says) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), over) {
			t.Errorf("%s: a secret is told: %v", name, err)
		}
		shown := func(context.Context, string) error { t.Errorf("%s: somebody is to sign in", name); return nil }
		if !fault.Is(source.SignIn(t.Context(), shown), fault.Denied) {
			t.Errorf("%s: signed in", name)
		}
	}
}

func TestSource_RejectedGivenToken(t *testing.T) {
	s := newSignOn(t)
	options := s.options()
	options.Given = jsonWebToken(t, time.Minute)
	source := signin.New(options)
	source.Reject(options.Given)
	if token, err := source.Token(t.Context()); token != options.Given || err != nil {
		t.Errorf("%q, %v", token, err)
	}
}

func TestSource_WaitEndsWithContext(t *testing.T) {
	s := newSignOn(t)
	source, b, _ := s.source(t)
	must(t, source.SignIn(t.Context(), func(ctx context.Context, page string) error {
		source.Reject("another") // which is not the current one
		short, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := source.Token(short); !fault.Is(err, fault.Cancelled) {
			t.Errorf("error = %v", err)
		}
		return b.show(ctx, page)
	}))
}

func TestSource_RereadsTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	s := newSignOn(t)
	options := s.options()
	options.Given = file
	source := signin.New(options)
	for _, want := range []string{"one", "two"} {
		must(t, os.WriteFile(file, []byte(want), 0o600))
		if token, err := source.Token(t.Context()); token != want || err != nil {
			t.Errorf("%q, %v", token, err)
		}
	}
}

func TestSource_UsesConcurrentRenewal(t *testing.T) {
	const api = "https://api.example.net"
	s := newSignOn(t)
	s.refusals = []string{"invalid_grant"} // the other program has used the refresh token
	options, theirs := s.options(), jsonWebToken(t, time.Minute)
	options.Cache = filepath.Join(t.TempDir(), "token")
	keep := func(token string) {
		content, err := json.Marshal(map[string]any{api: map[string]any{"id_token": token, "refresh_token": canary}})
		must(t, err)
		must(t, os.WriteFile(options.Cache, content, 0o600))
	}
	keep(jsonWebToken(t, -time.Minute))
	services := options.Services
	options.Services = func(ctx context.Context) (state.SynServices, error) {
		keep(theirs) // after the cache was read
		return services(ctx)
	}
	if token, err := signin.New(options).Token(t.Context()); err != nil || token != theirs {
		t.Errorf("%v", err)
	}
}

func TestSource_ConcurrentSavesAreKept(t *testing.T) {
	s := newSignOn(t)
	cache, entries := filepath.Join(t.TempDir(), "token"), map[string]any{}
	old := map[string]any{"id_token": jsonWebToken(t, -time.Minute), "refresh_token": canary}
	for n := range 16 {
		entries[fmt.Sprintf("https://api-%d.example.net", n)] = old
	}
	content, err := json.Marshal(entries)
	must(t, err)
	must(t, os.WriteFile(cache, content, 0o644))
	var all sync.WaitGroup
	for api := range entries {
		all.Go(func() {
			options := s.options()
			options.API, options.Cache = api, cache
			if _, err := signin.New(options).Token(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	content, err = os.ReadFile(cache)
	must(t, err)
	if lost := strings.Count(string(content), old["id_token"].(string)); lost > 0 {
		t.Errorf("%d tokens were written over", lost)
	}
}

func TestSource_RejectedTokenIsNotReused(t *testing.T) {
	const api, other = "https://api.example.net", "https://other.example.net"
	s := newSignOn(t)
	revoked, theirs := jsonWebToken(t, time.Hour), jsonWebToken(t, time.Minute)
	options := s.options()
	options.Cache = filepath.Join(t.TempDir(), "token")
	content, err := json.Marshal(map[string]any{api: map[string]any{"id_token": revoked}, other: map[string]any{"id_token": theirs}})
	must(t, err)
	must(t, os.WriteFile(options.Cache, content, 0o600))
	source := signin.New(options)
	source.Reject(canary) // which is not the current one
	first, err := signin.New(options).Token(t.Context())
	must(t, err)
	source.Reject(first)
	if _, err := signin.New(options).Token(t.Context()); !fault.Is(err, fault.Denied) {
		t.Errorf("it is used again: %v", err)
	}
	options.API = other
	if token, err := signin.New(options).Token(t.Context()); token != theirs || err != nil {
		t.Errorf("that of another API: %v", err)
	}
}
