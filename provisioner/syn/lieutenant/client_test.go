package lieutenant_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/state"
)

var _ syn.Lieutenant = (*lieutenant.Client)(nil)

func TestDiscover_PublicNeighbours(t *testing.T) {
	s := newServer(t)
	for _, url := range []string{s.http.URL, s.http.URL + "/"} {
		got, err := lieutenant.New(s.network, url, nil).Discover(t.Context())
		must(t, err)
		want := state.SynServices{
			DiscoveryURL: "https://id.example.net/realms/prod/.well-known/openid-configuration", ClientID: "lieutenant",
			Vault: "https://vault.example.net", VaultMethod: "oidc",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestListTenants_WithClusters(t *testing.T) {
	s := newServer(t)
	s.clusters["c-1"] = map[string]any{"id": "c-1", "tenant": "t-one", "facts": map[string]any{"cloud": "exoscale", "count": 3},
		"compileMeta": map[string]any{"lastCompile": "2026-01-02T03:04:05Z"}, "tenantGitRepoRevision": "v1"}
	s.clusters["c-2"] = map[string]any{"id": "c-2", "tenant": "t-two"}
	tenants, err := s.client().ListTenants(t.Context())
	must(t, err)
	if diff := cmp.Diff([]state.SynTenant{{ID: "t-one", DisplayName: "One"}, {ID: "t-two"}}, tenants); diff != "" {
		t.Error(diff)
	}
	one, err := s.client().GetTenant(t.Context(), "t-one")
	must(t, err)
	if diff := cmp.Diff(state.SynTenant{ID: "t-one", DisplayName: "One", Config: state.GitRepo{
		URL: "ssh://git@git.example.net/t-one.git", Revision: "main", HostKeys: "git.example.net ssh-ed25519 AAAA",
	}}, one); diff != "" {
		t.Error(diff)
	}
	clusters, err := s.client().ListClusters(t.Context(), "t-one")
	must(t, err)
	if diff := cmp.Diff([]state.SynCluster{{ID: "c-1", Tenant: "t-one", Facts: map[string]string{"cloud": "exoscale", "count": "3"},
		TenantRevision: "v1", Compiled: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}, clusters); diff != "" {
		t.Error(diff)
	}
	if all, err := s.client().ListClusters(t.Context(), ""); len(all) != 2 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}

func TestClient_RefusesMalformedIDs(t *testing.T) {
	s := newServer(t)
	for _, id := range []string{"", "demo", "t-", "T-demo", "t-demo/../../x", "t-demo?x", "t-" + strings.Repeat("a", 62), "c-demo\x1b", "t-demo-"} {
		_, err := s.client().GetTenant(t.Context(), id)
		checkFault(t, id, err, fault.Invalid, "t-")
		if fault.FieldOf(err) != "syn.tenant" {
			t.Errorf("%q: field %s", id, fault.FieldOf(err))
		}
	}
	_, err := s.client().GetCluster(t.Context(), "t-demo")
	checkFault(t, "a tenant as a cluster", err, fault.Invalid, "c-")
	if len(s.requests) > 0 {
		t.Errorf("asked %v", s.requests)
	}
}

func TestClient_TranslatesRefusals(t *testing.T) {
	const tenant = "GET /tenants/t-one"
	long := strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		override
		kind  fault.Kind
		field string
		says  []string
	}{
		"no token that is one": {override{status: 400, body: `{"reason": "missing or malformed jwt"}`}, fault.Denied, "", []string{"sign in"}},
		"no right": {override{status: 403, body: `{"reason": "tenants.syn.tools 't-one' is forbidden: User 'x' cannot get resource 'tenants' in API group 'syn.tools'"}`},
			fault.Denied, "", []string{"permission to get tenants"}},
		"no right, in few words":       {override{status: 403, body: `{"reason": "no"}`}, fault.Denied, "", []string{"permission to get and list"}},
		"no such tenant":               {override{status: 404, body: `{"reason": "not found"}`}, fault.NotFound, "syn.tenant", []string{"t-one"}},
		"nonsense":                     {override{status: 422, body: `{"reason": "bad\u001b[31m ` + canary + long + `"}`}, fault.Invalid, "syn.tenant", []string{"bad", "(secret)"}},
		"a web page":                   {override{status: 200, body: "<html>" + canary, strange: true}, fault.Invalid, "syn.lieutenantURL", []string{"web page"}},
		"a web page that refuses":      {override{status: 403, body: "<html>" + canary, strange: true}, fault.Invalid, "syn.lieutenantURL", []string{"web page"}},
		"a web page in place of a 401": {override{status: 401, body: "<html>" + canary, strange: true}, fault.Invalid, "syn.lieutenantURL", []string{"web page"}},
		"garbage":                      {override{status: 200, body: "garbage " + canary, strange: true}, fault.Invalid, "syn.lieutenantURL", []string{"not Lieutenant"}},
		"nothing":                      {override{status: 200, strange: true}, fault.Invalid, "syn.lieutenantURL", []string{"empty"}},
		"another object":               {override{status: 200, body: `{}`}, fault.Invalid, "syn.lieutenantURL", []string{"another tenant"}},
		"a way to somewhere else": {override{status: 302, header: "Location: https://evil.example/?" + canary, strange: true},
			fault.Invalid, "syn.lieutenantURL", []string{"another address"}},
	} {
		s := newServer(t)
		test.request = tenant
		s.overrides = []override{test.override}
		_, err := s.client().GetTenant(t.Context(), "t-one")
		checkFault(t, name, err, test.kind, test.says...)
		if fault.FieldOf(err) != test.field {
			t.Errorf("%s: field %q", name, fault.FieldOf(err))
		}
	}
}

func TestClient_RetriesTemporaryErrors(t *testing.T) {
	s := newServer(t)
	s.overrides = []override{
		{request: "GET /tenants", status: 503, body: "<html>", strange: true},
		{request: "GET /tenants", status: 500, body: `{"reason": "etcd is busy"}`},
	}
	if _, err := s.client().ListTenants(t.Context()); err != nil || len(s.requests) != 3 {
		t.Errorf("%d requests, %v", len(s.requests), err)
	}
	for range 9 {
		s.next("GET /tenants", 500, `{"reason": "etcd is busy"}`)
	}
	_, err := s.client().ListTenants(t.Context())
	checkFault(t, "what stays", err, fault.Transient, "etcd is busy")
	if len(s.requests) != 7 {
		t.Errorf("%d requests", len(s.requests))
	}
}

func TestClient_Unreachable(t *testing.T) {
	s := newServer(t)
	cut := s.network
	cut.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("cut off \x1b[31m") }
	_, err := lieutenant.New(cut, s.http.URL, token(canary)).ListTenants(t.Context())
	checkFault(t, "cut off", err, fault.Transient, "cut off", s.http.URL)
	stranger := s.network
	stranger.Roots = x509.NewCertPool()
	_, err = lieutenant.New(stranger, s.http.URL, token(canary)).ListTenants(t.Context())
	checkFault(t, "another authority", err, fault.Internal, "trust store")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.client().ListTenants(ctx)
	if !fault.Is(err, fault.Cancelled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, url := range []string{"", "http://api.example.net", "api.example.net", "https://", "https://\x7f"} {
		_, err := lieutenant.New(s.network, url, nil).Discover(t.Context())
		checkFault(t, url, err, fault.Invalid, "https")
	}
	s.next("GET /", 200, `{"apiVersion": ""}`)
	_, err = s.client().Discover(t.Context())
	checkFault(t, "another API", err, fault.Invalid, "not like Lieutenant")
}

// forgetful provides a new token after one was rejected.
type forgetful struct{ rejected []string }

func (*forgetful) SignIn(context.Context, func(context.Context, string) error) error { return nil }
func (f *forgetful) Reject(token string)                                             { f.rejected = append(f.rejected, token) }
func (f *forgetful) Token(context.Context) (string, error) {
	return canary + strings.Repeat("+", len(f.rejected)), nil
}

func TestClient_RenewsRejectedTokenOnce(t *testing.T) {
	s := newServer(t)
	s.next("GET /tenants", 401, `{"reason": "Unauthorized"}`)
	tokens := &forgetful{}
	if _, err := lieutenant.New(s.network, s.http.URL, tokens).ListTenants(t.Context()); err != nil || len(tokens.rejected) != 1 {
		t.Errorf("%v, %v", tokens.rejected, err)
	}
	s.next("GET /tenants", 401, `{"reason": "Unauthorized"}`)
	s.next("GET /tenants", 401, `{"reason": "Unauthorized"}`)
	_, err := lieutenant.New(s.network, s.http.URL, tokens).ListTenants(t.Context())
	checkFault(t, "rejected twice", err, fault.Denied, s.http.URL)
}

func TestLieutenant_RenewsTokenOn500(t *testing.T) {
	const reason = `{"reason": "failed to get server groups: the server has asked for the client to provide credentials"}`
	s := newServer(t)
	s.next("GET /tenants", 500, reason)
	tokens := &forgetful{}
	if _, err := lieutenant.New(s.network, s.http.URL, tokens).ListTenants(t.Context()); err != nil || len(tokens.rejected) != 1 || len(s.requests) != 2 {
		t.Errorf("%v, %v, %v", tokens.rejected, err, s.requests)
	}
	s.next("GET /tenants", 500, reason)
	s.next("GET /tenants", 500, reason)
	_, err := lieutenant.New(s.network, s.http.URL, tokens).ListTenants(t.Context())
	checkFault(t, "rejected twice", err, fault.Denied, "sign in at "+s.http.URL+" again")
}

func TestClient_ExplainsForeignToken(t *testing.T) {
	for claims, says := range map[string]string{
		`{"iss": "https://id.example.net/realms/dev", "aud": "lieutenant"}`:                       "it is of https://id.example.net/realms/dev",
		`{"iss": "https://id.example.net/realms/prod", "aud": ["vault"]}`:                         "it was issued for vault",
		`{"iss": "https://id.example.net/realms/prod/", "aud": "vault"}`:                          "it was issued for vault",
		`{"iss": "https://id.example.net/realms/prod", "aud": "lieutenant"}`:                      "Unauthorized",
		`{"iss": "https://kubernetes.default.svc", "sub": "system:serviceaccount:lieutenant:ci"}`: "the service account lieutenant:ci",
		`{"iss": 42}`: "Unauthorized",
		`garbage`:     "Unauthorized",
	} {
		s := newServer(t)
		s.next("GET /tenants", 401, `{"reason": "Unauthorized"}`)
		bearer := token(canary + "." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + "." + canary)
		_, err := lieutenant.New(s.network, s.http.URL, bearer).ListTenants(t.Context())
		checkFault(t, claims, err, fault.Denied, says, s.http.URL, "COMMODORE_API_TOKEN")
	}
}

// nobody has not signed in.
type nobody struct{ token }

func (nobody) Token(context.Context) (string, error) {
	return "", fault.Newf(fault.Denied, "sign in", "nobody has")
}

func TestClient_RequiresSignIn(t *testing.T) {
	s := newServer(t)
	if _, err := lieutenant.New(s.network, s.http.URL, nobody{}).ListTenants(t.Context()); !fault.Is(err, fault.Denied) || len(s.requests) > 0 {
		t.Errorf("%v, %v", s.requests, err)
	}
}

// returning is a person whose kept token Lieutenant does not know, and who signs in again.
type returning struct{ signedIn, rejected int }

func (r *returning) SignIn(context.Context, func(context.Context, string) error) error {
	if r.rejected > 0 {
		r.signedIn++
	}
	return nil
}
func (r *returning) Reject(string) { r.rejected++ }
func (r *returning) Token(context.Context) (string, error) {
	return canary + strings.Repeat("+", r.signedIn), nil
}

func TestClient_SignsInAgainWhenItsTokenIsNotKnown(t *testing.T) {
	const probe = "GET /tenants/t-exoshift-sign-in"
	for status, reason := range map[int]string{401: "Unauthorized", 500: "failed to get server groups: the server has asked for the client to provide credentials"} {
		s := newServer(t)
		s.next(probe, status, `{"reason": "`+reason+`"}`)
		who := &returning{}
		client := lieutenant.New(s.network, s.http.URL, who)
		must(t, client.SignIn(t.Context(), nil))
		if who.rejected != 1 || who.signedIn != 1 {
			t.Errorf("%d: rejected %d times, signed in %d times", status, who.rejected, who.signedIn)
		}
	}
	s := newServer(t)
	who := &returning{}
	client := lieutenant.New(s.network, s.http.URL, who)
	for range 3 {
		must(t, client.SignIn(t.Context(), nil))
	}
	if who.signedIn > 0 || len(s.requests) != 1 {
		t.Errorf("a known token: signed in %d times, requests %q", who.signedIn, s.requests)
	}
}
