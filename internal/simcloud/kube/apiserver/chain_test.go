package apiserver

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/certificate"
)

func TestClientCertificate_RefusedAfterRotationOrExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trusted, shown := signed(t)
		others, _ := signed(t)
		var verified chains
		for range 2 {
			if err := verified.verify(shown, trusted); err != nil {
				t.Fatal(err)
			}
		}
		if err := verified.verify(shown, others); err == nil {
			t.Error("it is accepted by who trusts another authority")
		}
		time.Sleep(time.Hour + time.Minute)
		if err := verified.verify(shown, trusted); err == nil {
			t.Error("it is accepted after its end")
		}
	})
}

// signed returns a client certificate for an hour, and its authority.
func signed(t *testing.T) (*x509.CertPool, *x509.Certificate) {
	t.Helper()
	authority, err := certificate.NewAuthority(pkix.Name{CommonName: "signer"}, 24*time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Issue(certificate.Request{
		Subject: pkix.Name{CommonName: "system:node:worker-1"}, Validity: time.Hour, Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority.Certificate)
	return roots, client.Certificate
}
