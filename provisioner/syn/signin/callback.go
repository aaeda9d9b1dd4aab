package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"exoshift/internal/fault"
)

// Callback is the one request by which a browser comes back from a sign-in, to a listener on this machine.
type Callback struct {
	Listener net.Listener // is closed when the wait is over
	Path     string       // that the browser is led to, e.g. "/oidc/callback"
	State    string       // that this sign-in was begun with; a request with another one is not for us
}

// Loopback returns a function that listens on a port of 127.0.0.1.
func Loopback(port string) func() (net.Listener, error) {
	return func() (net.Listener, error) {
		return new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", port))
	}
}

// Code shows a person the page where they sign in, and returns the authorization code that their browser brings back. An
// error of show ends the wait, and so does the end of ctx. fault.Denied: the sign-on refused, or sent no code.
func (c Callback) Code(ctx context.Context, page string, show func(ctx context.Context, url string) error) (string, error) {
	arrived := make(chan outcome, 1)
	server := &http.Server{
		Handler: c.handler(arrived), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(c.Listener) }()
	shown, end := present(ctx, page, show)
	defer func() { stop(server); end() }() // show is ended when the browser has its page
	for {
		select {
		case got := <-arrived:
			return got.code, got.err
		case err := <-shown:
			if err != nil {
				return late(arrived, err)
			}
			shown = nil // it is shown; the browser comes back later
		case err := <-served:
			return "", fault.New(fault.Internal, "wait for the browser", err)
		case <-ctx.Done():
			return "", fault.New(fault.KindOf(ctx.Err()), "wait for the sign-in", context.Cause(ctx))
		}
	}
}

// present calls show aside; end waits for its return.
func present(ctx context.Context, page string, show func(context.Context, string) error) (shown <-chan error, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	result, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		result <- show(ctx, page)
	}()
	return result, func() {
		cancel()
		<-done
	}
}

// late prefers what the browser brought, if it did so at the moment when show gave up.
func late(arrived <-chan outcome, gaveUp error) (string, error) {
	select {
	case got := <-arrived:
		return got.code, got.err
	default:
		return "", gaveUp
	}
}

// stop lets the page that is on its way arrive.
func stop(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// outcome is what the browser brought.
type outcome struct {
	code string
	err  error
}

// handler answers the browser. What is not for this sign-in is told so and changes nothing; only the first one counts.
func (c Callback) handler(arrived chan<- outcome) http.Handler {
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.Method != http.MethodGet, r.URL.Path != c.Path:
			http.NotFound(w, r)
			return
		case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(c.State)) == 0 || c.State == "":
			say(w, http.StatusBadRequest, "This page belongs to another sign-in", "Nothing was done. Please use the newest link.")
			return
		}
		select {
		case <-turn:
		default:
			say(w, http.StatusConflict, "This sign-in is over already", "You may close this page.")
			return
		}
		got := read(query)
		if got.err != nil {
			say(w, http.StatusForbidden, "You are not signed in", "The program says more. You may close this page.")
		} else {
			say(w, http.StatusOK, "You are signed in", "You may close this page and go back to the program.")
		}
		arrived <- got
	})
}

// read takes the answer out of the address that the browser was led to (RFC 6749, 4.1.2).
func read(query url.Values) outcome {
	const op = "sign in"
	refusal, code := query.Get("error"), query.Get("code")
	switch {
	case refusal == "access_denied":
		return outcome{err: fault.Newf(fault.Denied, op, "the single sign-on refused%s", said(query.Get("error_description"))).
			WithHint("sign in as somebody who may, and do not refuse what the page asks")}
	case refusal != "":
		return outcome{err: fault.Newf(fault.Denied, op, "the single sign-on answers %s%s", clean(refusal), said(query.Get("error_description"))).
			WithHint("try again; if it stays, tell those who run the single sign-on")}
	case code == "":
		return outcome{err: fault.New(fault.Denied, op, errors.New("the single sign-on sent the browser back without a code")).
			WithHint("try again; if it stays, tell those who run the single sign-on")}
	}
	return outcome{code: code}
}

func said(words string) string {
	if words = clean(words); words != "" {
		return ": " + words
	}
	return ""
}

// say writes a plain page, which loads nothing and gives nothing away.
func say(w http.ResponseWriter, status int, title, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>"+title+"</title></head>\n"+
		"<body>\n<h1>"+title+"</h1>\n<p>"+text+"</p>\n</body>\n</html>\n") // the browser may be gone
}
