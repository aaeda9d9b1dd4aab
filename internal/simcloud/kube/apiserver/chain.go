package apiserver

import (
	"crypto/x509"
	"sync"
	"time"
)

// chains caches verified client certificates: a kubelet sends the same one with each of its requests.
type chains struct {
	mu    sync.Mutex
	known map[string]chain // by the raw certificate
}

// chain is a verified certificate and the time until which the result holds.
type chain struct {
	roots                 *x509.CertPool
	validFrom, validUntil time.Time
}

// verify verifies a certificate against roots. A pool must not be changed after it is passed in.
func (c *chains) verify(certificate *x509.Certificate, roots *x509.CertPool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if known, ok := c.known[string(certificate.Raw)]; ok && known.roots == roots && !now.Before(known.validFrom) && !now.After(known.validUntil) {
		return nil
	}
	found, err := certificate.Verify(x509.VerifyOptions{
		Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, CurrentTime: now,
	})
	if err != nil {
		return err
	}
	if c.known == nil {
		c.known = map[string]chain{}
	}
	c.known[string(certificate.Raw)] = findValidity(found[0], roots)
	return nil
}

func findValidity(certificates []*x509.Certificate, roots *x509.CertPool) chain {
	lasts := chain{roots: roots, validFrom: certificates[0].NotBefore, validUntil: certificates[0].NotAfter}
	for _, certificate := range certificates[1:] {
		if certificate.NotBefore.After(lasts.validFrom) {
			lasts.validFrom = certificate.NotBefore
		}
		if certificate.NotAfter.Before(lasts.validUntil) {
			lasts.validUntil = certificate.NotAfter
		}
	}
	return lasts
}
