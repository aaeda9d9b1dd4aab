package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"time"

	"exoshift/wizard/reach"
)

const (
	renewalMargin = 14 * 24 * time.Hour
	// shortLived certificates are renewed so late that only their last day counts.
	shortLived = 10 * 24 * time.Hour
)

func (a *attempt) checkCertificate(certificate *x509.Certificate) {
	a.recordCertificate(certificate)
	margin := renewalMargin
	if certificate.NotAfter.Sub(certificate.NotBefore) <= shortLived {
		margin = 24 * time.Hour
	}
	if certificate.NotAfter.Sub(a.prober.now()) < margin {
		a.degrade(reach.Expired)
	}
}

func (a *attempt) recordCertificate(certificate *x509.Certificate) {
	a.record(reach.EvidenceSubject, certificate.Subject.String())
	a.record(reach.EvidenceIssuer, certificate.Issuer.String())
	a.record(reach.EvidenceExpires, certificate.NotAfter.UTC().Format(time.RFC3339))
}

func (a *attempt) handleCertError(ctx context.Context, refused *tls.CertificateVerificationError) error {
	chain := refused.UnverifiedCertificates
	if len(chain) == 0 {
		return a.fail(&a.layers.TLS, reach.TLSFailure, refused)
	}
	a.recordCertificate(chain[0])
	class := mapCertError(refused.Err)
	if class == reach.Expired {
		class = a.resolveExpiry(ctx, chain)
	}
	if class == reach.WrongHostname {
		class = a.detectPortal(ctx, class, chain[0])
	}
	return a.fail(&a.layers.TLS, class, refused.Err)
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
func (a *attempt) resolveExpiry(ctx context.Context, chain []*x509.Certificate) reach.Class {
	from, until := computeValidity(chain)
	if err := a.verify(chain, from); err != nil {
		if class := mapCertError(err); class != reach.Expired {
			return class
		}
		return reach.Expired // they were never all valid at the same time
	}
	now := a.prober.now()
	server, told := a.fetchServerTime(ctx, from)
	switch {
	case told && isSkewed(now.Sub(server)) && !server.Before(from.Add(-time.Minute)) && server.Before(until):
		a.recordSkew(now.Sub(server))
		return reach.ClockSkew
	case !told && now.Before(from):
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

func (a *attempt) verify(chain []*x509.Certificate, at time.Time) error {
	between := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		between.AddCert(certificate)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{
		DNSName: a.target.host, Intermediates: between, Roots: a.prober.network.Roots, CurrentTime: at,
	})
	return err
}
