package probe

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/wizard/reach"
)

const service = "service.example.com"

// says returns a handler with a fixed answer.
func says(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for key, value := range header {
			w.Header().Set(key, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestProbe_AnyAnswerIsReached(t *testing.T) {
	html := map[string]string{"Content-Type": "text/html"}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		expect  []int
		class   reach.Class
		http    string
		reached bool
	}{
		"content":                        {says(200, nil, "ok"), nil, "", "ok", true},
		"nothing there":                  {says(404, nil, ""), nil, "", "ok", true},
		"refused by S3":                  {says(403, nil, "<Error><Code>AccessDenied</Code></Error>"), nil, "", "ok", true},
		"too many requests":              {says(429, nil, ""), nil, "", "ok", true},
		"asks who we are":                {says(401, nil, ""), nil, reach.Unauthorized, "ok", true},
		"as expected, asks who we are":   {says(401, nil, ""), []int{401}, reach.Unauthorized, "ok", true},
		"moved by TLS":                   {says(302, map[string]string{"Location": "https://www.example.org/"}, ""), nil, "", "ok", true},
		"expected":                       {says(204, nil, ""), []int{200, 204}, "", "ok", true},
		"a failure that is expected":     {says(503, nil, ""), []int{503}, "", "ok", true},
		"not expected":                   {says(404, nil, ""), []int{200}, reach.Unexpected, "fail", false},
		"asks who we are, unexpectedly":  {says(401, nil, ""), []int{200}, reach.Unexpected, "fail", false},
		"blocked by country":             {says(403, html, "Not available in Your Country."), nil, reach.Geo, "fail", false},
		"blocked by country, unexpected": {says(403, html, "This service is subject to an embargo"), []int{200}, reach.Geo, "fail", false},
		"blocked by law":                 {says(451, nil, ""), nil, reach.Geo, "fail", false},
		"blocked is only a word":         {says(200, html, "your country"), nil, "", "ok", true},
		"broken":                         {says(500, nil, ""), nil, reach.ServerError, "fail", false},
		"overloaded":                     {says(503, html, "your country"), nil, reach.ServerError, "fail", false},
		"somebody wants a login":         {says(511, html, ""), nil, reach.Captive, "fail", false},
		"a proxy in the middle":          {says(407, nil, ""), nil, reach.ProxyAuth, "fail", false},
		"sent to an inner page":          {says(302, map[string]string{"Location": "https://10.1.1.1/blocked"}, ""), nil, reach.Captive, "fail", false},
		"sent to a page without TLS":     {says(302, map[string]string{"Location": "http://block.example.org/"}, ""), nil, reach.Captive, "fail", false},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.site(service, test.handler)
				expect(t, l.probe(reach.Check{URL: "https://" + service + "/path", Expect: test.expect}), test.class, "ok ok ok "+test.http, test.reached)
			})
		})
	}
}

func TestProbe_RequestHeaders(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		asked := make(chan *http.Request, 1)
		l.site(service, func(_ http.ResponseWriter, r *http.Request) { asked <- r })
		l.probeURL("https://me:secret@" + strings.ToUpper(service) + ":443/a/path?with=query#fragment")
		r := <-asked
		if r.Method != http.MethodGet || r.Host != service || r.RequestURI != "/a/path?with=query" || len(r.Header["Authorization"]) != 0 {
			t.Errorf("asked %s %s at %s with %q", r.Method, r.RequestURI, r.Host, r.Header)
		}
	})
}

func TestProbe_RedirectsForExpectedStatus(t *testing.T) {
	to := func(location string) http.HandlerFunc { return says(302, map[string]string{"Location": location}, "") }
	for name, test := range map[string]struct {
		first, elsewhere http.HandlerFunc
		class            reach.Class
		host             string
	}{
		"to what is wanted":       {to("https://other.example.org/x"), says(200, nil, ""), "", ""},
		"to something else":       {to("https://other.example.org/x"), says(404, nil, ""), reach.Unexpected, "other.example.org:443"},
		"to something broken":     {to("https://other.example.org/x"), says(500, nil, ""), reach.ServerError, "other.example.org:443"},
		"in a circle":             {to("https://other.example.org/x"), to("https://" + service + "/"), reach.Unexpected, "other.example.org:443"},
		"to itself":               {to("/"), nil, reach.Unexpected, ""},
		"without end":             {func(w http.ResponseWriter, r *http.Request) { to(r.URL.Path+"x")(w, r) }, nil, reach.Unexpected, ""},
		"to the same without TLS": {to("http://" + service + "/"), nil, reach.Unexpected, ""},
		"to a portal":             {to("http://portal.example.org/"), nil, reach.Captive, ""},
		"to no web address":       {to("ssh://" + service + "/"), nil, reach.Unexpected, ""},
		"to no address":           {to("https://exa mple/"), nil, reach.Unexpected, ""},
		"to nowhere":              {to("https://missing.example.org/"), nil, reach.NXDomain, "missing.example.org:443"},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.site(service, test.first)
				l.names["other.example.org"] = []string{"203.0.113.2"}
				l.web("203.0.113.2:443", l.authority.issue(t, "other.example.org"), test.elsewhere)
				got := l.probe(reach.Check{URL: "https://" + service + "/", Expect: []int{200}})
				if got.Class != test.class || got.Evidence[reach.EvidenceHost] != test.host {
					t.Errorf("%q at %q, want %q at %q; evidence %q", got.Class, got.Evidence[reach.EvidenceHost], test.class, test.host, got.Evidence)
				}
			})
		})
	}
}

func TestProbe_PlainHTTPRedirectAway(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		class   reach.Class
		http    string
	}{
		"content":        {says(200, nil, "ok"), "", "ok"},
		"moved to TLS":   {says(301, map[string]string{"Location": "https://www.example.com/"}, ""), "", "ok"},
		"a portal":       {says(302, map[string]string{"Location": "https://login.portal.org/"}, ""), reach.Captive, "fail"},
		"a portal's own": {says(302, map[string]string{"Location": "http://10.0.0.1/"}, ""), reach.Captive, "fail"},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.web("203.0.113.1:80", nil, test.handler)
				got := l.probeURL("http://" + service)
				expect(t, got, test.class, "ok ok none "+test.http, test.class == "")
			})
		})
	}
}

func TestProbe_SlowAnswer(t *testing.T) {
	for wait, class := range map[time.Duration]reach.Class{2900 * time.Millisecond: "", 3 * time.Second: reach.Slow} {
		inLab(t, func(t *testing.T, l *lab) {
			l.site(service, func(_ http.ResponseWriter, _ *http.Request) { pause(wait) })
			got := l.probeURL("https://" + service)
			expect(t, got, class, "ok ok ok ok", true)
			if got.Evidence[reach.EvidenceHTTPTime] != fmt.Sprint(wait.Milliseconds()) || got.Evidence[reach.EvidenceTime] != fmt.Sprint(wait.Milliseconds()) {
				t.Errorf("evidence %q", got.Evidence)
			}
		})
	}
}

func TestProbe_EvidenceHasPath(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, says(200, nil, ""))
		got := l.probeURL("https://" + service).Evidence
		for key, want := range map[string]string{
			reach.EvidenceResolver: "192.0.2.53", reach.EvidenceAddresses: "203.0.113.1", reach.EvidenceAddress: "203.0.113.1:443",
			reach.EvidenceIPv4: "ok", reach.EvidenceIPv6: "", reach.EvidenceIssuer: "CN=Public Root",
			reach.EvidenceSubject: "CN=" + service, reach.EvidenceStatus: "200 OK", reach.EvidenceSkew: "", reach.EvidenceError: "",
		} {
			if got[key] != want {
				t.Errorf("%s is %q, want %q", key, got[key], want)
			}
		}
	})
}

// raw is a site that writes arbitrary bytes inside TLS.
func (l *lab) raw(write func(net.Conn)) {
	l.names[service] = []string{"203.0.113.1"}
	l.acceptTLS("203.0.113.1:443", l.authority.issue(l.t, service), func(conn net.Conn) {
		buffer := make([]byte, 4096)
		_, _ = conn.Read(buffer)
		write(conn)
	})
}

func flood(conn net.Conn, start, piece string) {
	_, err := io.WriteString(conn, start)
	for block := strings.Repeat(piece, 1024); err == nil; {
		_, err = io.WriteString(conn, block)
	}
}

func drip(conn net.Conn, start, piece string) {
	_, err := io.WriteString(conn, start)
	for err == nil {
		pause(time.Second)
		_, err = io.WriteString(conn, piece)
	}
}

func TestProbe_LimitsHostileAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n\r\n"
	for name, test := range map[string]struct {
		write   func(net.Conn)
		class   reach.Class
		reached bool
		longest time.Duration
	}{
		"garbage":                   {func(c net.Conn) { _, _ = io.WriteString(c, "\x1b[2J\x00\xff garbage\r\n\r\n") }, reach.Malformed, false, 0},
		"another protocol":          {func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\n") }, reach.Malformed, false, 0},
		"nothing, and the end":      {func(net.Conn) {}, reach.Reset, false, 0},
		"half a header":             {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nA: b") }, reach.Reset, false, 0},
		"nothing":                   {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, reach.HTTPTimeout, false, 10 * time.Second},
		"a gigabyte of headers":     {func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\n", "A: b\r\n") }, reach.Malformed, false, 0},
		"one header without end":    {func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\nA: ", "b") }, reach.Malformed, false, 0},
		"a status without end":      {func(c net.Conn) { flood(c, "", "HTTP/1.1 ") }, reach.Malformed, false, 0},
		"headers, one a second":     {func(c net.Conn) { drip(c, "HTTP/1.1 200 OK\r\n", "A: b\r\n") }, reach.HTTPTimeout, false, 10 * time.Second},
		"go on, and on":             {func(c net.Conn) { flood(c, "", "HTTP/1.1 100 Continue\r\n\r\n") }, reach.Malformed, false, 0},
		"a body without end":        {func(c net.Conn) { flood(c, ok, "x") }, "", true, 0},
		"a chunk without end":       {func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", "x") }, "", true, 0},
		"chunks of nothing":         {func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x") }, reach.Malformed, false, 0},
		"a body, one byte a second": {func(c net.Conn) { drip(c, ok, "x") }, reach.Slow, true, 10 * time.Second},
		"a body that is cut":        {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx") }, reach.Reset, false, 0},
		"a length that is none":     {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx") }, reach.Malformed, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.raw(test.write)
				began := time.Now()
				got := l.probeURL("https://" + service)
				if took := time.Since(began); got.Class != test.class || got.IsReached() != test.reached || took != test.longest {
					t.Errorf("%q, reached %v, after %s, want %q, %v, %s; evidence %q", got.Class, got.IsReached(), took, test.class, test.reached, test.longest, got.Evidence)
				}
				if strings.ContainsFunc(strings.Join(values(got.Evidence), ""), func(r rune) bool { return r < ' ' || r == 0x7f }) {
					t.Errorf("control characters in %q", got.Evidence)
				}
			})
		})
	}
}

func values(evidence map[string]string) (list []string) {
	for _, value := range evidence {
		list = append(list, value)
	}
	return list
}
