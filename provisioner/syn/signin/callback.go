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

// Callback waits for the one request with which a browser returns from a sign-in, to a listener on this machine.
type Callback struct {
	Listener net.Listener // closed when the wait is over
	Path     string       // of the redirect URL, e.g. "/oidc/callback"
	State    string       // of this sign-in; a request with another one is ignored
}

// ListenLoopback returns a function that listens on a port of 127.0.0.1.
func ListenLoopback(port string) func() (net.Listener, error) {
	return func() (net.Listener, error) {
		return new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", port))
	}
}

// WaitCode calls show with the URL of the sign-in page, and returns the authorization code that the browser brings back. An error
// of show ends the wait, and so does the end of ctx. fault.Denied: the single sign-on refused, or sent no code.
func (c Callback) WaitCode(ctx context.Context, page string, show func(ctx context.Context, url string) error) (string, error) {
	arrived := make(chan callbackResult, 1)
	server := &http.Server{
		Handler: c.newHandler(arrived), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(c.Listener) }()
	shown, end := startShow(ctx, page, show)
	defer func() { stopServer(server); end() }() // show is stopped after the browser has received its page
	for {
		select {
		case got := <-arrived:
			return got.code, got.err
		case err := <-shown:
			if err != nil {
				return resolveResult(arrived, err)
			}
			shown = nil // show succeeded; the browser returns later
		case err := <-served:
			return "", fault.New(fault.Internal, "wait for the browser", err)
		case <-ctx.Done():
			return "", fault.New(fault.KindOf(ctx.Err()), "wait for the sign-in", context.Cause(ctx))
		}
	}
}

func startShow(ctx context.Context, page string, show func(context.Context, string) error) (shown <-chan error, end func()) {
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

func resolveResult(arrived <-chan callbackResult, gaveUp error) (string, error) {
	select {
	case got := <-arrived:
		return got.code, got.err
	default:
		return "", gaveUp
	}
}

func stopServer(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

type callbackResult struct {
	code string
	err  error
}

func (c Callback) newHandler(arrived chan<- callbackResult) http.Handler {
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.Method != http.MethodGet, r.URL.Path != c.Path:
			http.NotFound(w, r)
			return
		case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(c.State)) == 0 || c.State == "":
			writePage(w, http.StatusBadRequest, "This page belongs to another sign-in", "Nothing was changed. Please use the newest link.")
			return
		}
		select {
		case <-turn:
		default:
			writePage(w, http.StatusConflict, "This sign-in has already ended", "You may close this page.")
			return
		}
		got := parseCallback(query)
		if got.err != nil {
			writePage(w, http.StatusForbidden, "You are not signed in", "exoshift shows the reason. You may close this page.")
		} else {
			writePage(w, http.StatusOK, "You are signed in", "You may close this page and return to exoshift.")
		}
		arrived <- got
	})
}

// parseCallback reads the query of the redirect URL (RFC 6749, 4.1.2).
func parseCallback(query url.Values) callbackResult {
	const op = "sign in"
	refusal, code := query.Get("error"), query.Get("code")
	switch {
	case refusal == "access_denied":
		return callbackResult{err: fault.Newf(fault.Denied, op, "the single sign-on rejected the sign-in%s", formatDetail(query.Get("error_description"))).
			WithHint("sign in as a user with access, and accept the request of the page")}
	case refusal != "":
		return callbackResult{err: fault.Newf(fault.Denied, op, "the single sign-on responds %s%s", sanitize(refusal), formatDetail(query.Get("error_description"))).
			WithHint("try again; if the problem persists, contact the operator of the single sign-on")}
	case code == "":
		return callbackResult{err: fault.New(fault.Denied, op, errors.New("the single sign-on sent the browser back without a code")).
			WithHint("try again; if the problem persists, contact the operator of the single sign-on")}
	}
	return callbackResult{code: code}
}

func formatDetail(words string) string {
	if words = sanitize(words); words != "" {
		return ": " + words
	}
	return ""
}

func writePage(w http.ResponseWriter, status int, title, text string) {
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
