package e2e

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"exoshift/internal/simcloud/certificate"
)

func TestCheck_CertificateErrors(t *testing.T) {
	l, ok := newLab(t, "good.example.net A 203.0.113.10", "expired.example.net A 203.0.113.11", "early.example.net A 203.0.113.12",
		"name.example.net A 203.0.113.13", "corp.example.net A 203.0.113.14", "self.example.net A 203.0.113.15",
		"plain.example.net A 203.0.113.16", "silent.example.net A 203.0.113.17", "cut.example.net A 203.0.113.18",
		"chain.example.net A 203.0.113.19", "between.example.net A 203.0.113.20", "garbage.example.net A 203.0.113.21", "soon.example.net A 203.0.113.22", "future.example.net A 203.0.113.23")
	if !ok {
		return
	}
	now := time.Now()
	corporate := authority(t, "Corp Proxy CA")
	say := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) })
	for name, pair := range map[string]certificate.Pair{
		"good.example.net":    issue(t, l.authority, now, "good.example.net"),
		"expired.example.net": issue(t, l.authority, now.Add(-validity-time.Hour), "expired.example.net"),
		"soon.example.net":    issue(t, l.authority, now.Add(-validity+2*24*time.Hour), "soon.example.net"),
		"early.example.net":   issue(t, l.authority, now.Add(30*24*time.Hour), "early.example.net"),
		"name.example.net":    issue(t, l.authority, now, "other.example.net"),
		"corp.example.net":    issue(t, corporate, now, "corp.example.net"),
		"self.example.net":    selfSigned(t, "self.example.net"),
	} {
		l.secure(name, "443", encryption(pair), say)
	}
	l.secure("future.example.net", "443", encryption(issue(t, l.authority, now.Add(30*24*time.Hour), "future.example.net")), dated(now.Add(31*24*time.Hour)))
	l.chains(say)
	l.serve(l.listen("plain.example.net", "443"), say)
	l.talk("silent.example.net", "443", func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	l.talk("cut.example.net", "443", func(conn net.Conn) { cut(conn) })
	l.talk("garbage.example.net", "443", func(conn net.Conn) { _, _ = conn.Write(make([]byte, 1<<20)) })
	l.ask(map[string]asked{
		"good":                 {url: "https://good.example.net/", want: "ok - ++++"},
		"expired":              {url: "https://expired.example.net/", want: "fail tls-expired ++x-"},
		"expires soon":         {url: "https://soon.example.net/", want: "warn tls-expired ++++"},
		"not yet valid":        {url: "https://early.example.net/", want: "fail tls-expired ++x-"},
		"valid by their clock": {url: "https://future.example.net/", want: "fail tls-clock-skew ++x-", seen: "skew=-74"},
		"for another name":     {url: "https://name.example.net/", want: "fail tls-hostname ++x-", seen: "subject=other.example.net"},
		"by a company":         {url: "https://corp.example.net/", want: "fail tls-untrusted-issuer ++x-", seen: "issuer=CN=Corp Proxy CA"},
		"by itself":            {url: "https://self.example.net/", want: "fail tls-untrusted-issuer ++x-", seen: "issuer=CN=self.example.net"},
		"not TLS":              {url: "https://plain.example.net/", want: "fail tls-failure ++x-"},
		"silent":               {url: "https://silent.example.net/", want: "fail tls-timeout ++x-"},
		"cut":                  {url: "https://cut.example.net/", want: "fail connection-reset ++x-"},
		"garbage":              {url: "https://garbage.example.net/", want: "fail tls-failure ++x-"},
		"chain of 100":         {url: "https://chain.example.net/", want: "fail tls-untrusted-issuer ++x-"},
		"intermediate":         {url: "https://between.example.net/", want: "ok - ++++"},
	})
}

func selfSigned(t *testing.T, name string) certificate.Pair {
	t.Helper()
	own := authority(t, name)
	pair, err := own.Certify(certificate.Request{Subject: pkix.Name{CommonName: name}, DNS: []string{name}, Validity: validity}, own.Key.Public(), time.Now())
	must(t, err)
	return certificate.Pair{Certificate: pair, Key: own.Key}
}

// chains serves a certificate with one intermediate authority, and one with a hundred that lead nowhere.
func (l *lab) chains(say http.Handler) {
	l.t.Helper()
	now := time.Now()
	between, err := l.authority.Issue(certificate.Request{Subject: pkix.Name{CommonName: "Lab Issuing CA"}, CA: true, Validity: validity}, now)
	must(l.t, err)
	l.secure("between.example.net", "443", encryption(issue(l.t, between, now, "between.example.net"), between.Certificate), say)
	above := authority(l.t, "Endless CA 0")
	var chain []*x509.Certificate
	for n := range 100 {
		above, err = above.Issue(certificate.Request{Subject: pkix.Name{CommonName: fmt.Sprintf("Endless CA %d", n+1)}, CA: true, Validity: validity}, now)
		must(l.t, err)
		chain = append(chain, above.Certificate)
	}
	l.secure("chain.example.net", "443", encryption(issue(l.t, above, now, "chain.example.net"), chain...), say)
}

// cut ends a connection with a reset as soon as the other side has said something.
func cut(conn net.Conn) {
	_, _ = conn.Read(make([]byte, 1))
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

func TestCheck_ComparesClocks(t *testing.T) {
	l, ok := newLab(t, "ahead.example.net A 203.0.113.10", "near.example.net A 203.0.113.11")
	if !ok {
		return
	}
	for name, ahead := range map[string]time.Duration{"ahead.example.net": 13*time.Minute + 20*time.Second, "near.example.net": 2 * time.Second} {
		l.web(name, dated(time.Now().Add(ahead)))
	}
	l.ask(map[string]asked{
		"13 minutes behind": {url: "https://ahead.example.net/", want: "warn tls-clock-skew ++++", seen: "skew=-13m"},
		"2 seconds behind":  {url: "https://near.example.net/", want: "ok - ++++"},
	})
}

// dated answers as if it were that time.
func dated(at time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Date", at.UTC().Format(http.TimeFormat)) })
}
