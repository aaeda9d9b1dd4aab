package connection

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"time"

	"exoshift/wizard/reach"
)

// diagnosis finds out why a connection was not possible: a certificate, a clock, or a portal in the way. It may call the host
// again, in attempts of its own.
type diagnosis struct{ *Attempt }

func (a diagnosis) handleTLSError(ctx context.Context, err error) error {
	var distrusted *tls.CertificateVerificationError
	var text tls.RecordHeaderError
	switch {
	case errors.As(err, &distrusted):
		return a.handleCertError(ctx, distrusted)
	case errors.As(err, &text):
		return a.Fail(&a.Layers.TLS, a.detectPortal(ctx, reach.TLSFailure, nil), errors.New("it does not use TLS"))
	case IsTimeout(err):
		return a.Fail(&a.Layers.TLS, a.detectLargePackets(ctx), err)
	case isCut(err):
		return a.Fail(&a.Layers.TLS, reach.Reset, err)
	}
	return a.Fail(&a.Layers.TLS, reach.TLSFailure, err)
}

func (a diagnosis) handleCertError(ctx context.Context, refused *tls.CertificateVerificationError) error {
	chain := refused.UnverifiedCertificates
	if len(chain) == 0 {
		return a.Fail(&a.Layers.TLS, reach.TLSFailure, refused)
	}
	a.recordCertificate(chain[0])
	class := mapCertError(refused.Err)
	if class == reach.Expired {
		class = a.resolveExpiry(ctx, chain)
	}
	if class == reach.WrongHostname {
		class = a.detectPortal(ctx, class, chain[0])
	}
	return a.Fail(&a.Layers.TLS, class, refused.Err)
}

func mapCertError(err error) reach.Class {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return reach.WrongHostname
	case errors.As(err, &authority):
		return reach.Untrusted
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return reach.Expired
	}
	return reach.TLSFailure
}

// resolveExpiry decides whether the server's certificates are out of date or this machine's clock is wrong. Another
// defect of the certificates takes precedence.
func (a diagnosis) resolveExpiry(ctx context.Context, chain []*x509.Certificate) reach.Class {
	from, until := computeValidity(chain)
	if err := verifyChain(chain, a.Target.Host, a.Deps.Network.Roots, from); err != nil {
		if class := mapCertError(err); class != reach.Expired {
			return class
		}
		return reach.Expired // they were never all valid at the same time
	}
	now := a.Deps.Now()
	server, known := a.fetchServerTime(ctx, from)
	switch {
	case known && isSkewed(now.Sub(server)) && !server.Before(from.Add(-time.Minute)) && server.Before(until):
		a.recordSkew(now.Sub(server))
		return reach.ClockSkew
	case !known && now.Before(from):
		return reach.ClockSkew // a certificate that is not valid yet is rarer than a clock that has stopped
	}
	return reach.Expired
}

func computeValidity(chain []*x509.Certificate) (from, until time.Time) {
	from, until = chain[0].NotBefore, chain[0].NotAfter
	for _, certificate := range chain[1:] {
		if certificate.NotBefore.After(from) {
			from = certificate.NotBefore
		}
		if certificate.NotAfter.Before(until) {
			until = certificate.NotAfter
		}
	}
	return from, until
}

func verifyChain(chain []*x509.Certificate, host string, roots *x509.CertPool, at time.Time) error {
	between := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		between.AddCert(certificate)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{
		DNSName: host, Intermediates: between, Roots: roots, CurrentTime: at,
	})
	return err
}

// detectPortal sends plain HTTP to the host and returns reach.Captive if a login page answers, or else class. Shown is
// the certificate that the host presented, if it did.
func (a diagnosis) detectPortal(ctx context.Context, class reach.Class, shown *x509.Certificate) reach.Class {
	if a.Evidence[reach.EvidenceProxy] != "" || a.isPlainHTTP() {
		return class
	}
	ctx, cancel := context.WithTimeout(ctx, portalLimit)
	defer cancel()
	page := &url.URL{Scheme: "http", Host: a.Target.Host, Path: "/"}
	bare, err := Client(a).Next(page)
	if err != nil {
		return class
	}
	bare.addresses = a.addresses
	r, err := bare.Get(ctx, Call{URL: bare.Target.URL})
	if GetClass(err) == reach.Captive {
		return reach.Captive
	}
	to, redirected := ParseRedirect(bare.Target.URL, r)
	if err == nil && redirected && isPortalRedirect(a.Target.Host, to, shown) {
		a.Record(reach.EvidenceStatus, r.Line+" to "+to.Host)
		return reach.Captive
	}
	return class
}

// detectLargePackets does the handshake that timed out again, with small segments: if these pass, large packets are lost.
func (a diagnosis) detectLargePackets(ctx context.Context) reach.Class {
	if !a.Deps.Thorough || a.Deps.Network.DialSmall == nil {
		return reach.TLSTimeout
	}
	small := *a.Deps
	small.Network.Dial = small.Network.DialSmall
	again := nextAttempt(&small, a.Check, a.Target, a.state)
	again.addresses = a.addresses
	if err := again.Connect(ctx); err != nil {
		return reach.TLSTimeout
	}
	conn, err := again.performHandshake(ctx, a.Deps.Now)
	var distrusted *tls.CertificateVerificationError
	if err != nil && !errors.As(err, &distrusted) { // the certificate arrived
		return reach.TLSTimeout
	}
	again.Keep(conn)
	return reach.MTU
}

// Captive portals often redirect plain HTTP only, and close every other port.
func (a diagnosis) handleClosedPort(ctx context.Context, err error) error {
	class := GetClass(err)
	if class != reach.Refused && class != reach.TCPTimeout && class != reach.Reset || a.Target.Port != "443" {
		return err
	}
	if portal := a.detectPortal(ctx, class, nil); portal != class {
		return a.Fail(&a.Layers.TCP, portal, errors.New("a web page of the network answers everything"))
	}
	return err
}

// The time comes over a connection of its own, whose certificates are verified as of another time: a host whose
// certificate is right but for the time may supply the time. Nothing else is sent there.
func (a diagnosis) fetchServerTime(ctx context.Context, at time.Time) (time.Time, bool) {
	ctx, cancel := context.WithTimeout(ctx, clockLimit)
	defer cancel()
	again := a.Again()
	if err := again.Connect(ctx); err != nil {
		return time.Time{}, false
	}
	conn, err := again.performHandshake(ctx, func() time.Time { return at })
	if err != nil {
		return time.Time{}, false
	}
	again.Keep(conn)
	reply, err := Client{again}.send(ctx, Call{URL: a.Target.URL})
	if err != nil {
		return time.Time{}, false
	}
	return parseServerTime(reply.Header)
}
