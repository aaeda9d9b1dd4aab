package kube

import (
	"crypto/x509"
	"sync"
	"time"
)

// chains remembers which client certificates were verified: a kubelet shows the same one with each of its requests.
type chains struct {
	mu    sync.Mutex
	known map[string]chain // by the certificate itself
}

// chain is a certificate that was verified, and while nothing of that can change.
type chain struct {
	roots                 *x509.CertPool
	validFrom, validUntil time.Time
}

// verify tells whether a certificate leads to one of the roots now. A pool that is handed in is never changed later.
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

// findValidity returns for how long all certificates of a chain are valid.
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
