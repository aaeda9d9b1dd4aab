// Package hostile_test holds every client that speaks to a server of others to one table of what such a server may do
// instead of its work: send without an end, send slowly, lead elsewhere, lie. Each attack has to end soon, cost little,
// show no credential to anybody else, and be told in a sentence of the right kind that steers no terminal.
package hostile_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"exoshift/internal/fault"
)

const (
	okay fault.Kind = -1 // no failure: what came is what was asked for, as far as this client can see

	// longest is how long any call may take, in virtual time, with all its attempts.
	longest = 15 * time.Minute
	// slack is what a server gets rid of beside what is read: buffers on the way, small answers before.
	slack    = 3 << 20
	tooLarge = "larger than"
	// costly is how many bytes may be allocated for each one that may be read: what grows is copied.
	costly = 8
)

// steering is what others would say to whoever looks at a terminal.
const steering = "a\x1b[2J\x1b]0;title\x07b\u009b31m\u202ec\u200b\r\nRun: rm -rf ~\x00\xff"

// attack is a column of the table.
type attack struct {
	name   string
	kind   func(client) fault.Kind
	answer func(w *world, c client) http.HandlerFunc
	certs  func(w *world, c client) *tls.Config // nil: the right ones
	say    string                               // what the error has to say where it is a failure of this kind
}

// attacks are the columns.
func attacks() []attack {
	large := func(c client) fault.Kind { return c.large }
	return []attack{
		{name: "endless body", kind: large, say: tooLarge, answer: func(_ *world, c client) http.HandlerFunc { return endless(c, nil) }},
		{name: "endless refusal", kind: func(client) fault.Kind { return anyKind }, answer: func(_ *world, c client) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				endless(c, func() { w.WriteHeader(http.StatusBadRequest) })(w, r)
			}
		}},
		{name: "a size that nothing has", kind: large, say: tooLarge, answer: func(_ *world, c client) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				c.begin(w)
				w.Header().Set("Content-Length", "1000000000000000")
				_, _ = w.Write([]byte(c.opening()))
			}
		}},
		{name: "a byte a second", kind: func(c client) fault.Kind { return c.slow }, answer: func(_ *world, c client) http.HandlerFunc { return trickle(c) }},
		{name: "no answer at all", kind: func(c client) fault.Kind { return c.slow }, answer: func(*world, client) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
				<-r.Context().Done()
				panic(http.ErrAbortHandler) // an empty response could still be read
			}
		}},
		{name: "header without an end", kind: func(client) fault.Kind { return anyKind }, answer: func(*world, client) http.HandlerFunc { return endlessHeader }},
		{name: "gzip bomb", kind: func(client) fault.Kind { return anyKind }, answer: func(_ *world, c client) http.HandlerFunc { return bomb(c) }},
		{
			name: "certificate of another name", kind: func(c client) fault.Kind { return c.forged },
			answer: func(*world, client) http.HandlerFunc { return unexpected },
			certs:  func(w *world, _ client) *tls.Config { return w.serverTLS(w.authority, "\x1b[2Jother.example.org") },
		},
		{
			name: "certificate of nobody's authority", kind: func(c client) fault.Kind { return c.forged },
			answer: func(*world, client) http.HandlerFunc { return unexpected },
			certs:  func(w *world, c client) *tls.Config { return w.serverTLS(w.stranger, c.host) },
		},
		{name: "redirect", kind: func(c client) fault.Kind { return c.led }, answer: func(_ *world, c client) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://"+elsewhere(c.host)+r.URL.RequestURI(), http.StatusTemporaryRedirect)
			}
		}},
		{name: "HTML", kind: func(c client) fault.Kind { return c.page }, answer: func(_ *world, c client) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				c.begin(w)
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				fmt.Fprintf(w, "<!DOCTYPE html><html><title>%s</title><body>Sign in</body></html>", steering)
			}
		}},
		{name: "garbled", kind: func(c client) fault.Kind { return c.garbled }, answer: func(_ *world, c client) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				c.begin(w)
				_, _ = w.Write([]byte(c.opening() + steering))
			}
		}},
		{name: "words", kind: func(client) fault.Kind { return anyKind }, answer: func(_ *world, c client) http.HandlerFunc { return says(c) }},
	}
}

// anyKind is for attacks that clients may take for one thing or another.
const anyKind fault.Kind = -2

func TestClients_HostileServers(t *testing.T) {
	if raced {
		t.Skip("runs without the race detector")
	}
	for _, c := range clients() {
		for _, a := range attacks() {
			t.Run(c.name+"/"+a.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { endure(t, c, a) })
			})
		}
	}
}

// endure lets a client meet an attack.
func endure(t *testing.T, c client, a attack) {
	w := open(t, c, a)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := c.call(t, w)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if took > longest {
		t.Errorf("it took %s", took)
	}
	if sent := w.sent.Load(); sent > c.limit+slack {
		t.Errorf("%d bytes were sent, the limit is %d", sent, c.limit)
	}
	if spent := int64(after.TotalAlloc - before.TotalAlloc); spent > costly*(c.limit+2*slack) {
		t.Errorf("%d bytes were allocated, the limit of an answer is %d", spent, c.limit)
	}
	for _, request := range w.strays() {
		if strings.Contains(request, secret) || strings.Contains(request, "Authorization") {
			t.Errorf("a credential went elsewhere:\n%s", request)
		}
	}
	switch want := a.kind(c); {
	case c.evidence:
		if err == nil {
			return
		}
	case want == okay:
		if err != nil {
			t.Errorf("kind %d: %v", fault.KindOf(err), err)
		}
		return
	case err == nil:
		t.Fatal("there is no error")
	case want != anyKind && fault.KindOf(err) != want:
		t.Errorf("it is of kind %d, want %d: %v", fault.KindOf(err), want, err)
	case a.say == tooLarge && a.name == "endless body" && c.stream: // only its form ends it before its limit
	case !strings.Contains(err.Error(), a.say):
		t.Errorf("it does not say %q: %v", a.say, err)
	}
	readable(t, err)
}

// readable holds an error to what people can read.
func readable(t *testing.T, err error) {
	t.Helper()
	text := err.Error() + " / " + fault.HintOf(err)
	if strings.Contains(text, secret) {
		t.Errorf("it tells the credential: %q", text)
	}
	if n := utf8.RuneCountInString(text); n < 20 || n > 1500 {
		t.Errorf("%d characters: %.200q", n, text)
	}
	if i := strings.IndexFunc(text, steers); i >= 0 || !utf8.ValidString(text) {
		t.Errorf("it could steer a terminal: %q", text)
	}
	if strings.Contains(text, "\nRun:") {
		t.Errorf("words of others look like a line of ours: %q", text)
	}
}

func steers(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r))
}

// endless sends until nobody reads any more; begin is called before the first byte.
func endless(c client, begin func()) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		c.begin(w)
		if begin != nil {
			begin()
		}
		part, err := w.Write([]byte(c.opening()))
		for more := bytes.Repeat(c.middle(), 400); err == nil && part >= 0; {
			part, err = w.Write(more)
		}
	}
}

// trickle sends a byte a second, and never the last one.
func trickle(c client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c.begin(w)
		opening, control := c.opening(), http.NewResponseController(w)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for i := 0; ; i++ {
			next := byte('x')
			if i < len(opening) {
				next = opening[i]
			}
			if _, err := w.Write([]byte{next}); err != nil || control.Flush() != nil {
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

// endlessHeader never comes to the body.
func endlessHeader(w http.ResponseWriter, _ *http.Request) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, err = buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
	for i := 0; err == nil; i++ {
		_, err = fmt.Fprintf(buffered, "X-%d: %s\r\n", i, strings.Repeat("x", 1000))
	}
}

// bomb sends a thousand times what comes over the wire, whether that was asked for or not.
func bomb(c client) http.HandlerFunc {
	var member bytes.Buffer
	packer := gzip.NewWriter(&member)
	_, _ = packer.Write(bytes.Repeat([]byte(" "), 1<<20))
	_ = packer.Close()
	return func(w http.ResponseWriter, _ *http.Request) {
		c.begin(w)
		w.Header().Set("Content-Encoding", "gzip")
		for range 2048 {
			if _, err := w.Write(member.Bytes()); err != nil {
				return
			}
		}
	}
}

// says refuses, with words in every place that there is for some.
func says(c client) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		body := c.refusal(steering)
		fmt.Fprintf(buffered, "HTTP/1.1 403 No\x1b[31m\u202eway\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", c.media(), len(body), body)
		_ = buffered.Flush()
	}
}

// unexpected answers a question that should not have been asked.
func unexpected(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
