package probe

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"testing"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

const day = 24 * time.Hour

// presenting starts a good web server with this certificate and the right time.
func (l *lab) presenting(certificate *tls.Certificate) {
	l.names[service] = []string{"203.0.113.1"}
	l.web("203.0.113.1:443", certificate, says(200, nil, ""))
}

// certified is a certificate, the offset of this machine's clock, and the expected finding.
type certified struct {
	certificate func(t *testing.T, l *lab) *tls.Certificate
	clock       time.Duration
	class       reach.Class
	tls         string
	reached     bool
}

// lasting issues a certificate that is valid from and until then.
func lasting(from, until time.Duration) func(*testing.T, *lab) *tls.Certificate {
	return func(t *testing.T, l *lab) *tls.Certificate {
		return l.authority.issueFor(t, service, time.Now().Add(from), time.Now().Add(until))
	}
}

func TestProbe_CertificateTrust(t *testing.T) {
	corp := func(from, until time.Duration) func(*testing.T, *lab) *tls.Certificate {
		return func(t *testing.T, _ *lab) *tls.Certificate {
			return newAuthority(t, "Corp Proxy CA").issueFor(t, service, time.Now().Add(from), time.Now().Add(until))
		}
	}
	for name, test := range map[string]certified{
		"good":                                  {lasting(-30*day, 300*day), 0, "", "ok", true},
		"of an interceptor":                     {corp(-30*day, 300*day), 0, reach.Untrusted, "fail", false},
		"by itself":                             {func(t *testing.T, _ *lab) *tls.Certificate { return selfSigned(t, service) }, 0, reach.Untrusted, "fail", false},
		"for another name":                      {func(t *testing.T, l *lab) *tls.Certificate { return l.authority.issue(t, "other.example.com") }, 0, reach.WrongHostname, "fail", false},
		"over":                                  {lasting(-90*day, -time.Hour), 0, reach.Expired, "fail", false},
		"over, of an interceptor":               {corp(-90*day, -time.Hour), 0, reach.Untrusted, "fail", false},
		"not begun":                             {lasting(day, 90*day), 0, reach.Expired, "fail", false},
		"over by a clock that is ahead":         {lasting(-60*day, 30*day), 40 * day, reach.ClockSkew, "fail", false},
		"not begun by a clock that is behind":   {lasting(-day, 90*day), -2 * day, reach.ClockSkew, "fail", false},
		"over, and the clock is a little ahead": {lasting(-90*day, -time.Hour), 4 * time.Minute, reach.Expired, "fail", false},
		"over, and the clock is ahead, too":     {lasting(-90*day, -time.Hour), day, reach.Expired, "fail", false},
		"about to end, and the clock is a little ahead": {lasting(-90*day, 2*time.Minute), 4 * time.Minute, reach.Expired, "fail", false},
		"ends in two weeks":                             {lasting(-76*day, 14*day-time.Second), 0, reach.Expired, "ok", true},
		"ends later":                                    {lasting(-76*day, 14*day), 0, "", "ok", true},
		"for six days only":                             {lasting(-3*day, 3*day), 0, "", "ok", true},
		"for six days only, on the last":                {lasting(-6*day, day-time.Second), 0, reach.Expired, "ok", true},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(_ *testing.T, l *lab) { l.judge(test) })
		})
	}
}

func (l *lab) judge(test certified) {
	l.presenting(test.certificate(l.t, l))
	l.now = func() time.Time { return time.Now().Add(test.clock) }
	spoken := map[string]string{"ok": "ok", "fail": "none"}[test.tls]
	got := l.probeURL("https://" + service)
	expect(l.t, got, test.class, "ok ok "+test.tls+" "+spoken, test.reached)
	if want := "CN=" + service; test.class != reach.WrongHostname && got.Evidence[reach.EvidenceSubject] != want || got.Evidence[reach.EvidenceExpires] == "" {
		l.t.Errorf("evidence %q", got.Evidence)
	}
}

func selfSigned(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	certificate, key := sign(t, &x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-day), NotAfter: time.Now().Add(100 * day)}, nil)
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}
}

func TestProbe_NamesInterceptor(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.presenting(newAuthority(t, "Corp \x1b[31mProxy CA").issue(t, service))
		if got := l.probeURL("tls://" + service).Evidence[reach.EvidenceIssuer]; got != "CN=Corp Proxy CA" && got != `CN=Corp \1B[31mProxy CA` {
			t.Errorf("issuer %q", got)
		}
	})
}

func TestProbe_AdditionalAuthorities(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		corp := newAuthority(t, "Corp Proxy CA")
		l.task.Authorities = corp.pem()
		l.presenting(corp.issue(t, service))
		expect(t, l.probeURL("https://"+service), "", "ok ok ok ok", true)
		l.names["other.example.com"] = []string{"203.0.113.2"}
		l.web("203.0.113.2:443", l.authority.issue(t, "other.example.com"), says(200, nil, ""))
		expect(t, l.probeURL("https://other.example.com"), "", "ok ok ok ok", true)
	})
	if _, err := New(network.Network{}, reach.Task{Authorities: "none"}, connection.DefaultLimits()); err == nil {
		t.Error("took nonsense for an authority")
	}
}

func TestProbe_LongCertificateChain(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		chain, last := [][]byte{}, l.authority
		for i := range 100 {
			last = last.below(t, fmt.Sprintf("Authority %d", i))
			chain = append([][]byte{last.certificate.Raw}, chain...)
		}
		certificate := last.issue(t, service)
		certificate.Certificate = append(certificate.Certificate[:1], chain...)
		l.presenting(certificate)
		if got := l.probeURL("https://" + service); got.Class != "" && got.Class != reach.TLSFailure && got.Class != reach.Untrusted {
			t.Errorf("%q, evidence %q", got.Class, got.Evidence)
		}
	})
}

func TestProbe_NoTLS(t *testing.T) {
	for name, test := range map[string]struct {
		serve   func(net.Conn)
		class   reach.Class
		longest time.Duration
	}{
		"plain text": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}, reach.TLSFailure, 0},
		"the end":             {func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }, reach.Reset, 0},
		"nothing":             {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, reach.TLSTimeout, 5 * time.Second},
		"one byte a second":   {func(c net.Conn) { drip(c, "\x16\x03\x03\x20\x00", "\x02") }, reach.TLSTimeout, 5 * time.Second},
		"records without end": {func(c net.Conn) { flood(c, "", "\x16\x03\x03\x00\x04\x02\x00\x00\x00") }, reach.TLSFailure, 0},
		"an alert": {func(c net.Conn) {
			_, _ = io.WriteString(c, "\x15\x03\x03\x00\x02\x02\x70")
			_, _ = io.Copy(io.Discard, c)
		}, reach.TLSFailure, 0},
		"an old version of it": {func(c net.Conn) {
			_ = tls.Server(c, &tls.Config{MaxVersion: tls.VersionTLS11, Certificates: []tls.Certificate{{}}}).Handshake()
		}, reach.TLSFailure, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.accept("203.0.113.1:443", test.serve)
				began := time.Now()
				expect(t, l.probeURL("tls://"+service), test.class, "ok ok fail none", false)
				if took := time.Since(began); took > test.longest+3*time.Second {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestProbe_PortalIsNotWrongCertificate(t *testing.T) {
	to := func(location string) map[string]string { return map[string]string{"Location": location} }
	for name, test := range map[string]struct {
		status int
		header map[string]string
		class  reach.Class
	}{
		"to the page whose certificate is shown": {302, to("https://login.portal.org/"), reach.Captive},
		"to an inner page":                       {302, to("http://10.0.0.1/"), reach.Captive},
		"says so itself":                         {511, nil, reach.Captive},
		"moves visitors to TLS":                  {301, to("https://" + service + "/"), reach.WrongHostname},
		"moves visitors to another service":      {301, to("https://www.example.org/"), reach.WrongHostname},
		"serves them":                            {200, nil, reach.WrongHostname},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.web("203.0.113.1:443", l.authority.issue(t, "login.portal.org"), says(200, nil, ""))
				l.web("203.0.113.1:80", nil, says(test.status, test.header, ""))
				expect(t, l.probeURL("https://"+service), test.class, "ok ok fail none", false)
			})
		})
	}
}

func TestProbe_ComparesClocks(t *testing.T) {
	for name, test := range map[string]struct {
		clock   time.Duration
		skew    string
		class   reach.Class
		reached bool
	}{
		"right":                       {0, "", "", true},
		"a minute ahead":              {time.Minute, "+1m0s", "", true},
		"less than a minute":          {-59 * time.Second, "", "", true},
		"five minutes ahead":          {5 * time.Minute, "+5m0s", reach.ClockSkew, true},
		"a quarter of an hour behind": {-17 * time.Minute, "-17m0s", reach.ClockSkew, true},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.now = func() time.Time { return time.Now().Add(test.clock) }
				l.site(service, says(200, nil, ""))
				got := l.probeURL("https://" + service)
				expect(t, got, test.class, "ok ok ok ok", test.reached)
				if got.Evidence[reach.EvidenceSkew] != test.skew {
					t.Errorf("skew %q, want %q", got.Evidence[reach.EvidenceSkew], test.skew)
				}
			})
		})
	}
}

func TestProbe_CachedAnswerAge(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, says(200, map[string]string{"Date": time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), "Age": "3600"}, ""))
		expect(t, l.probeURL("https://"+service), "", "ok ok ok ok", true)
	})
}

func TestProbe_FutureCertificateShowsWrongClock(t *testing.T) {
	for clock, class := range map[time.Duration]reach.Class{-2 * day: reach.ClockSkew, 100 * day: reach.Expired} {
		inLab(t, func(t *testing.T, l *lab) {
			l.names[service] = []string{"203.0.113.1"}
			l.acceptTLS("203.0.113.1:443", lasting(-day, 90*day)(t, l), idle)
			l.now = func() time.Time { return time.Now().Add(clock) }
			began := time.Now()
			expect(t, l.probeURL("tls://"+service), class, "ok ok fail none", false)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}
