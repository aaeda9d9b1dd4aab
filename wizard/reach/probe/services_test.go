package probe

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

// routes answers by path, e.g. "/healthz"; everything else is not found.
type routes map[string]http.HandlerFunc

func (r routes) serve(w http.ResponseWriter, request *http.Request) {
	if handler := r[request.URL.Path]; handler != nil {
		handler(w, request)
		return
	}
	http.NotFound(w, request)
}

func data(body string) http.HandlerFunc {
	return says(http.StatusOK, map[string]string{"Content-Type": "application/json"}, body)
}

func dataWith(status int, body string) http.HandlerFunc {
	return says(status, map[string]string{"Content-Type": "application/json"}, body)
}

func page(status int) http.HandlerFunc {
	return says(status, map[string]string{"Content-Type": "text/html"}, "<html>please log in</html>")
}

const (
	good    = "ok ok ok ok"
	badHTTP = "ok ok ok fail"
)

// serviceCase is a service, its answers, and the expected finding.
type serviceCase struct {
	url     string // after the host; its kind comes before "://"
	routes  routes
	task    reach.Task
	class   reach.Class
	layers  string
	reached bool
	says    string // in the error's evidence
}

func (c serviceCase) run(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, c.routes.serve)
		l.task = c.task
		kind, rest, _ := strings.Cut(c.url, "://")
		got := l.probeURL(kind + "://" + service + rest)
		expect(t, got, c.class, c.layers, c.reached)
		if !strings.Contains(got.Evidence[reach.EvidenceError], c.says) {
			t.Errorf("it says %q, want %q", got.Evidence[reach.EvidenceError], c.says)
		}
	})
}

func TestProbe_ACMEDirectory(t *testing.T) {
	for name, c := range map[string]serviceCase{
		"good":               {"acme:///directory", routes{"/directory": data(`{"newOrder":"https://ca.example/new"}`)}, reach.Task{}, "", good, true, ""},
		"usual path":         {"acme://", routes{"/directory": data(`{"newOrder":"https://ca.example/new"}`)}, reach.Task{}, "", good, true, ""},
		"no newOrder":        {"acme://", routes{"/directory": data(`{"newNonce":"x"}`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not an ACME server"},
		"newOrder is no URL": {"acme://", routes{"/directory": data(`{"newOrder":"http://ca.example"}`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not an ACME server"},
		"login page":         {"acme://", routes{"/directory": page(200)}, reach.Task{}, reach.BlockPage, badHTTP, false, "web page"},
		"not found":          {"acme://", routes{}, reach.Task{}, reach.Unexpected, badHTTP, false, "404"},
		"overloaded":         {"acme://", routes{"/directory": dataWith(503, `{}`)}, reach.Task{}, reach.ServerError, badHTTP, false, "503"},
		"endless":            {"acme://", routes{"/directory": data(strings.Repeat(" ", 1<<20))}, reach.Task{}, reach.Malformed, badHTTP, false, "too large"},
		"blocked":            {"acme://", routes{"/directory": says(403, nil, "not available in your country")}, reach.Task{}, reach.Geo, badHTTP, false, ""},
	} {
		t.Run(name, c.run)
	}
}

func TestProbe_ServicesByPlainName(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, func(w http.ResponseWriter, r *http.Request) {
			if r.Host == service { // some sign the URL of the redirect, the port included
				data(`{"newOrder":"https://ca.example/new"}`)(w, r)
			}
		})
		expect(t, l.probeURL("acme://"+service), "", good, true)
	})
}

func TestProbe_TruncatedAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		holds bool
		class reach.Class
	}{"cut": {false, reach.Reset}, "never ends": {true, reach.HTTPTimeout}} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.acceptTLS("203.0.113.1:443", l.authority.issue(t, service), func(conn net.Conn) {
					_, _ = conn.Read(make([]byte, 4096))
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"+`{"newOrder":"https://ca.example/new"}`)
					if c.holds {
						_, _ = conn.Read(make([]byte, 1)) // until the client closes
					}
				})
				expect(t, l.probeURL("acme://"+service), c.class, badHTTP, false)
			})
		})
	}
}

func TestProbe_UpdateServiceKnowsVersion(t *testing.T) {
	graph := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("arch") != "amd64" {
			http.Error(w, "no arch", http.StatusBadRequest)
			return
		}
		versions := map[string]string{
			"stable-4.21": `{"version":"4.21.1"},{"version":"4.21.3"}`, "candidate-4.22": `{"version":"4.22.0-rc.1"}`,
			"fast-4.21": `{"version":"4.21.4"}`, "stable-4.99": "",
		}
		data(`{"nodes":[`+versions[r.URL.Query().Get("channel")]+`],"edges":[]}`)(w, r)
	}
	here := routes{"/api/upgrades_info/v1/graph": graph}
	for name, c := range map[string]serviceCase{
		"known":            {"graph://", here, reach.Task{Version: "4.21.3"}, "", good, true, ""},
		"unknown":          {"graph://", here, reach.Task{Version: "4.21.9"}, reach.Missing, badHTTP, false, "channel stable-4.21 has no version 4.21.9"},
		"candidate":        {"graph://", here, reach.Task{Version: "4.22.0-rc.1"}, "", good, true, ""},
		"a channel":        {"graph://", here, reach.Task{Version: "fast-4.21"}, "", good, true, ""},
		"the latest":       {"graph://", here, reach.Task{Version: "latest-4.21"}, "", good, true, ""},
		"an empty one":     {"graph://", here, reach.Task{Version: "stable-4.99"}, reach.Missing, badHTTP, false, "no versions"},
		"nobody said":      {"graph://", here, reach.Task{}, "", good, true, ""},
		"channel is told":  {"graph://" + "/api/upgrades_info/v1/graph" + "?channel=fast-4.21&arch=amd64", here, reach.Task{Version: "4.21.4"}, "", good, true, ""},
		"no version graph": {"graph://", routes{"/api/upgrades_info/v1/graph": data(`{"kind":"error"}`)}, reach.Task{Version: "4.21.3"}, reach.Unexpected, badHTTP, false, "no version graph"},
		"login page":       {"graph://", routes{"/api/upgrades_info/v1/graph": page(200)}, reach.Task{}, reach.BlockPage, badHTTP, false, ""},
		"broken JSON":      {"graph://", routes{"/api/upgrades_info/v1/graph": data(`{"nodes":[{"version":"4.21.3"}`)}, reach.Task{Version: "4.21.3"}, reach.Unexpected, badHTTP, false, "no version graph"},
	} {
		t.Run(name, c.run)
	}
}

func TestProbe_VaultHealth(t *testing.T) {
	const healthy, sealed = `{"initialized":true,"sealed":false}`, `{"initialized":true,"sealed":true}`
	for name, c := range map[string]serviceCase{
		"active":               {"vault://", routes{"/v1/sys/health": dataWith(200, healthy)}, reach.Task{}, "", good, true, ""},
		"standby":              {"vault://", routes{"/v1/sys/health": dataWith(429, healthy)}, reach.Task{}, "", good, true, ""},
		"for disasters":        {"vault://", routes{"/v1/sys/health": dataWith(472, healthy)}, reach.Task{}, "", good, true, ""},
		"replica":              {"vault://", routes{"/v1/sys/health": dataWith(473, healthy)}, reach.Task{}, "", good, true, ""},
		"not initialized":      {"vault://", routes{"/v1/sys/health": dataWith(501, sealed)}, reach.Task{}, reach.ServerError, badHTTP, false, "not initialized"},
		"sealed":               {"vault://", routes{"/v1/sys/health": dataWith(503, sealed)}, reach.Task{}, reach.ServerError, badHTTP, false, "sealed"},
		"balancer's 503":       {"vault://", routes{"/v1/sys/health": says(503, nil, "no server")}, reach.Task{}, reach.ServerError, badHTTP, false, ""},
		"rate limit":           {"vault://", routes{"/v1/sys/health": dataWith(429, `{"errors":[]}`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not a Vault"},
		"something else":       {"vault://", routes{"/v1/sys/health": data(`{}`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not a Vault"},
		"says half of it":      {"vault://", routes{"/v1/sys/health": data(`{"initialized":true}`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not a Vault"},
		"login page":           {"vault://", routes{"/v1/sys/health": page(200)}, reach.Task{}, reach.BlockPage, badHTTP, false, ""},
		"not a Vault at all":   {"vault://", routes{}, reach.Task{}, reach.Unexpected, badHTTP, false, "404"},
		"an interceptor's 503": {"vault://", routes{"/v1/sys/health": page(503)}, reach.Task{}, reach.ServerError, badHTTP, false, ""},
	} {
		t.Run(name, c.run)
	}
}

func TestProbe_LieutenantNeighbours(t *testing.T) {
	well, about := says(200, nil, "ok\n"), data(`{"apiVersion":"v0.9","oidc":{"discoveryUrl":"https://sso.example"},"vault":{"addr":"x"}}`)
	for name, c := range map[string]serviceCase{
		"good":            {"lieutenant://", routes{"/healthz": well, "/": about}, reach.Task{}, "", good, true, ""},
		"not well":        {"lieutenant://", routes{"/healthz": says(200, nil, "starting"), "/": about}, reach.Task{}, reach.Unexpected, badHTTP, false, "healthy Lieutenant"},
		"no vault":        {"lieutenant://", routes{"/healthz": well, "/": data(`{"oidc":{}}`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "no login service"},
		"down":            {"lieutenant://", routes{"/healthz": says(502, nil, ""), "/": about}, reach.Task{}, reach.ServerError, badHTTP, false, "502"},
		"login page":      {"lieutenant://", routes{"/healthz": page(200)}, reach.Task{}, reach.BlockPage, badHTTP, false, ""},
		"portal below it": {"lieutenant://", routes{"/healthz": well, "/": page(200)}, reach.Task{}, reach.BlockPage, badHTTP, false, ""},
	} {
		t.Run(name, c.run)
	}
}

func TestProbe_OIDCIssuer(t *testing.T) {
	says := func(issuer string) routes {
		return routes{"/realms/one" + discoveryPath: data(`{"issuer":"` + issuer + `"}`)}
	}
	for name, c := range map[string]serviceCase{
		"by its realm":         {"oidc:///realms/one", says("https://" + service + "/realms/one"), reach.Task{}, "", good, true, ""},
		"by its configuration": {"oidc:///realms/one" + discoveryPath, says("https://" + service + "/realms/one"), reach.Task{}, "", good, true, ""},
		"with the usual port":  {"oidc:///realms/one/", says("https://" + service + ":443/realms/one/"), reach.Task{}, "", good, true, ""},
		"another realm":        {"oidc:///realms/one", says("https://" + service + "/realms/two"), reach.Task{}, reach.Unexpected, badHTTP, false, "another issuer"},
		"another host":         {"oidc:///realms/one", says("https://evil.example/realms/one"), reach.Task{}, reach.Unexpected, badHTTP, false, "another issuer"},
		"without TLS":          {"oidc:///realms/one", says("http://" + service + "/realms/one"), reach.Task{}, reach.Unexpected, badHTTP, false, "another issuer"},
		"no issuer":            {"oidc:///realms/one", says(""), reach.Task{}, reach.Unexpected, badHTTP, false, "no issuer"},
		"hostile issuer":       {"oidc:///realms/one", says(`\u001b[2Jx`), reach.Task{}, reach.Unexpected, badHTTP, false, "another issuer, x"},
		"no such realm":        {"oidc:///realms/two", says("x"), reach.Task{}, reach.Unexpected, badHTTP, false, "404"},
	} {
		t.Run(name, c.run)
	}
}

func TestProbe_ObjectStorageRefusal(t *testing.T) {
	const refusal = `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`
	xml := map[string]string{"Content-Type": "application/xml"}
	for name, c := range map[string]serviceCase{
		"refuses":        {"s3://", routes{"/": says(403, xml, refusal)}, reach.Task{}, "", good, true, ""},
		"lists":          {"s3://", routes{"/": says(200, xml, `<ListAllMyBucketsResult xmlns="x"/>`)}, reach.Task{}, "", good, true, ""},
		"a bare 403":     {"s3://", routes{"/": says(403, nil, "go away")}, reach.Task{}, reach.BlockPage, badHTTP, false, `"go away", 403`},
		"a filter's 403": {"s3://", routes{"/": says(403, nil, "blocked by company policy")}, reach.Task{}, reach.BlockPage, badHTTP, false, `"blocked by company policy", 403`},
		"other XML":      {"s3://", routes{"/": says(403, xml, `<html/>`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not an object storage"},
		"a list as 403":  {"s3://", routes{"/": says(403, xml, `<ListAllMyBucketsResult/>`)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not an object storage"},
		"an error as OK": {"s3://", routes{"/": says(200, xml, refusal)}, reach.Task{}, reach.Unexpected, badHTTP, false, "not an object storage"},
		"login page":     {"s3://", routes{"/": page(200)}, reach.Task{}, reach.BlockPage, badHTTP, false, ""},
		"down":           {"s3://", routes{"/": says(503, xml, `<Error><Code>SlowDown</Code></Error>`)}, reach.Task{}, reach.ServerError, badHTTP, false, ""},
	} {
		t.Run(name, c.run)
	}
}

func FuzzS3(f *testing.F) {
	f.Add(403, `<Error><Code>AccessDenied</Code></Error>`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if isS3(status, []byte(body)) && status != http.StatusOK && status != http.StatusForbidden {
			t.Errorf("%d %q is taken for an object storage", status, body)
		}
	})
}
