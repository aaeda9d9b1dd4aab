package probe

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard/reach"
)

// listWebChecks returns the checks of the catalogue by HTTPS, whatever the answers.
func listWebChecks(t *testing.T) []reach.Check {
	t.Helper()
	catalogue, err := assets.ReadEndpoints()
	must(t, err)
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain, spec.Exoscale.Zone, spec.OpenShift.Version = "c-1", "example.net", "ch-gva-2", "4.20.0-okd-scos.1"
	spec.Syn.LieutenantURL = "https://api.syn.vshn.net"
	scope := reach.Scope{Spec: spec, Discovery: reach.Discovery{OIDC: "https://id.vshn.net/realm", Vault: "https://vault.example.net"}}
	for _, e := range catalogue {
		if kind, _, _ := strings.Cut(e.URL, ":"); !slices.Contains([]string{"ssh", "ntp", "dns", "zone", "tcp", "closed", "proxy", "release", "http"}, kind) {
			scope.Only = append(scope.Only, e.ID)
		}
	}
	checks, err := reach.SelectChecks(catalogue, scope)
	must(t, err)
	return checks
}

// everywhere serves a handler as every host of checks.
func (l *lab) everywhere(checks []reach.Check, handler http.HandlerFunc) {
	l.t.Helper()
	certificates := map[string]*tls.Certificate{}
	for _, check := range checks {
		address, err := url.Parse(check.URL)
		must(l.t, err)
		l.names[address.Hostname()] = []string{"203.0.113.1"}
		certificates[address.Hostname()] = l.authority.issue(l.t, address.Hostname())
	}
	config := &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return certificates[hello.ServerName], nil }}
	for _, port := range []string{"443", "6443"} {
		server := &http.Server{Handler: handler, ErrorLog: quiet()}
		listener := tls.NewListener(l.listen("203.0.113.1:"+port), config)
		go func() { _ = server.Serve(listener) }()
		l.t.Cleanup(func() { _ = server.Close() })
	}
}

func TestProbe_FilterIsNoService(t *testing.T) {
	blocked := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			says(status, map[string]string{"Content-Type": "text/html"}, "<html><title>Access to https://"+r.Host+r.RequestURI+" denied</title></html>")(w, r)
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"403 page": blocked(403), "200 page": blocked(200), "404 page": blocked(404),
		"403 text": says(403, nil, "This site is blocked by Example Filter"), "403 bare": says(403, nil, "Forbidden"), "403 empty": says(403, nil, ""),
		"200 text": says(200, map[string]string{"Content-Type": "text/plain"}, "This site is blocked by Example Filter"), "200 text, untyped": says(200, nil, "Access has been blocked."),
		"403 bare, typed": says(403, map[string]string{"Content-Type": "text/plain"}, "Forbidden\n"), "451": says(451, nil, ""),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/blocked") {
				blocked(200)(w, r)
				return
			}
			http.Redirect(w, r, "https://pypi.org/blocked?"+r.Host, http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				checks := listWebChecks(t)
				l.everywhere(checks, handler)
				for _, check := range checks {
					got := l.probe(check)
					if got.IsReached() {
						t.Errorf("%s %s passes: %q %v", check.ID, check.URL, got.Class, got.Evidence)
					}
				}
				if len(checks) < 50 {
					t.Errorf("only %d checks", len(checks))
				}
			})
		})
	}
}

// What answers everything with the same text passes no check without a remark, whatever the text.
func TestProbe_AnyTextIsNoService(t *testing.T) {
	for name, text := range map[string]string{"a sentence": "Please see the help desk.\n", "a word": "denied", "two lines": "Example Gateway\nno policy"} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				checks := listWebChecks(t)
				l.everywhere(checks, says(200, map[string]string{"Content-Type": "text/plain; charset=utf-8"}, text))
				for _, check := range checks {
					if got := l.probe(check); got.Class == "" {
						t.Errorf("%s %s passes: %v", check.ID, check.URL, got.Evidence)
					}
				}
			})
		})
	}
}

func TestProbe_Fingerprint(t *testing.T) {
	html, json := map[string]string{"Content-Type": "text/html"}, map[string]string{"Content-Type": "application/json"}
	marked := func(answer http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Server", "AkamaiGHost/9")
			answer(w, r)
		}
	}
	text, header := &assets.Answer{Text: "Index of"}, &assets.Answer{Headers: []string{"Server: AkamaiGHost"}}
	for name, test := range map[string]struct {
		answer  *assets.Answer
		handler http.HandlerFunc
		class   reach.Class
		reached bool
	}{
		"its page":                    {text, says(200, html, "<html><title>Index of /</title>"), "", true},
		"another page":                {text, says(200, html, "<html><title>Welcome</title>"), reach.BlockPage, false},
		"a text without its mark":     {text, says(200, nil, "welcome"), reach.Unexpected, true},
		"a page with its header":      {header, marked(says(403, html, "<html><title>Access Denied</title>")), "", true},
		"a page without its header":   {header, says(403, html, "<html><title>Access Denied</title>"), reach.BlockPage, false},
		"JSON":                        {&assets.Answer{Type: "json"}, says(404, json, "{}"), "", true},
		"a page for JSON":             {&assets.Answer{Type: "json"}, says(200, html, "<html><title>Welcome</title>"), reach.BlockPage, false},
		"a text for JSON":             {&assets.Answer{Type: "json"}, says(200, nil, "welcome"), reach.Unexpected, false},
		"a text without its header":   {header, says(403, nil, "Forbidden"), reach.BlockPage, false},
		"a text with its header":      {header, marked(says(403, nil, "Forbidden")), "", true},
		"denied with a document":      {&assets.Answer{Type: "data"}, says(403, json, `{"message": "no certificate"}`), "", true},
		"denied without a document":   {&assets.Answer{Type: "data"}, says(403, nil, "Forbidden"), reach.BlockPage, false},
		"a text for a document":       {&assets.Answer{Type: "data"}, says(200, nil, "welcome"), reach.Unexpected, true},
		"a notice for a document":     {&assets.Answer{Type: "data"}, says(200, nil, "Blocked by Example Filter"), reach.BlockPage, false},
		"a notice for JSON":           {&assets.Answer{Type: "json"}, says(200, nil, "Blocked by Example Filter"), reach.BlockPage, false},
		"its text with such words":    {text, says(200, nil, "Index of what is blocked by default"), "", true},
		"nothing for a document":      {&assets.Answer{Type: "data"}, says(200, nil, ""), "", true},
		"a document":                  {&assets.Answer{Type: "data"}, says(200, json, "{}"), "", true},
		"of no service that is known": {nil, says(403, nil, "Forbidden"), "", true},
		"unauthorized":                {&assets.Answer{Type: "json"}, says(401, json, "{}"), reach.Unauthorized, true},
		"its country":                 {text, says(403, html, "<html>not in your country"), reach.Geo, false},
		"broken":                      {text, says(502, html, "<html><title>Bad gateway</title>"), reach.ServerError, false},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.site(service, test.handler)
				got := l.probe(reach.Check{URL: "https://" + service + "/path", Answer: test.answer})
				if got.Class != test.class || got.IsReached() != test.reached {
					t.Errorf("%q, reached %v, want %q, %v; %v", got.Class, got.IsReached(), test.class, test.reached, got.Evidence)
				}
			})
		})
	}
}

// Without a fingerprint, a new check by HTTPS would take a web filter for its service.
func TestCatalogue_WebServicesHaveFingerprints(t *testing.T) {
	catalogue, err := assets.ReadEndpoints()
	must(t, err)
	for _, e := range catalogue {
		if strings.HasPrefix(e.URL, "http") != (e.Answer != nil) {
			t.Errorf("%s %s: %v", e.ID, e.URL, e.Answer)
		}
	}
}
