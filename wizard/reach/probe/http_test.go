package probe

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/wizard/reach"
)

type counted struct {
	io.Reader
	read int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read += int64(n)
	return n, err
}

func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 \r\nWWW-Authenticate: Bearer\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: x\r\n\r\n", "HTTP/0.9", "SSH-2.0-x\r\n",
	} {
		f.Add(seed, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, times uint8) {
		const limit = 1000
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+service, nil)
		must(t, err)
		from := &counted{Reader: strings.NewReader(strings.Repeat(text, int(times)))}
		r, err := receiveReply(from, request, limit)
		if from.read > 5*limit+2*maxHeader || int64(len(r.body)) > limit {
			t.Errorf("read %d bytes, kept %d", from.read, len(r.body))
		}
		if err == nil && (r.status < 200 || r.header == nil) {
			t.Errorf("answer %+v", r)
		}
	})
}

func FuzzServerClock(f *testing.F) {
	f.Add("Thu, 01 Jan 2026 00:00:00 GMT", "10")
	f.Fuzz(func(t *testing.T, date, age string) {
		now, told := parseServerTime(http.Header{"Date": {date}, "Age": {age}})
		if told && (now.Year() < -1 || now.Year() > 10100) {
			t.Errorf("%q and %q are %s", date, age, now.Format(time.RFC3339))
		}
	})
}

func TestWhoWeAreIsToldToNobodyElse(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		seen := map[string]string{}
		note := func(next string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				seen[r.Host+r.URL.Path] = r.Header.Get("Authorization")
				if next != "" {
					http.Redirect(w, r, next, http.StatusTemporaryRedirect)
				}
			}
		}
		mux := http.NewServeMux()
		mux.Handle("/a", note("/b"))
		mux.Handle("/b", note("https://cdn.example.org/c"))
		l.site(service, mux.ServeHTTP)
		l.names["cdn.example.org"] = []string{"203.0.113.2"}
		l.web("203.0.113.2:443", l.authority.issue(t, "cdn.example.org"), note(""))
		p, err := New(l.network, l.task, l.limits)
		must(t, err)
		to, err := parseTarget("https://"+service+"/a", getDefaultPort)
		must(t, err)
		a := client{newAttempt(p.deps, reach.Check{}, to)}
		defer a.close()
		last, r, err := a.getRedirected(t.Context(), call{url: to.url, header: http.Header{"Authorization": {"Bearer very-secret"}}})
		must(t, err)
		if r.status != 200 || last.target.host != "cdn.example.org" {
			t.Errorf("ended at %s with %d", last.target.host, r.status)
		}
		if seen[service+"/a"] == "" || seen[service+"/b"] == "" || seen["cdn.example.org/c"] != "" || len(seen) != 3 {
			t.Errorf("seen %q", seen)
		}
	})
}
