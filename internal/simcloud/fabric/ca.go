package fabric

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/certificate"
)

// CA is the certificate authority that every client on the simulated internet trusts.
type CA struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewCA returns a new authority; its certificates are valid from an hour ago for ten years of the wall clock.
func NewCA(name string) (*CA, error) {
	return NewAuthority(pkix.Name{CommonName: name, Organization: []string{"Simulated Internet"}})
}

// NewAuthority returns a new authority of any name.
func NewAuthority(subject pkix.Name) (*CA, error) {
	name := subject.String()
	template, err := newTemplate(subject)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", name, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of %s: %w", name, err)
	}
	made, err := x509.ParseCertificate(der)
	return &CA{certificate: made, key: key}, err
}

// ParseCA parses the output of PEM and KeyPEM, so that clients can keep trusting it.
func ParseCA(cert, key []byte) (*CA, error) {
	pair, err := certificate.Parse(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read the authority of the simulated internet: %w", err)
	}
	return &CA{certificate: pair.Certificate, key: pair.Key}, nil
}

// newTemplate: the serial number is random, so that it stays unique after ParseCA.
func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 62))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.AddDate(10, 0, 0),
	}, nil
}

// Pool returns a pool that trusts this authority only.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.certificate)
	return pool
}

// PEM returns the authority's certificate.
func (ca *CA) PEM() []byte { return certificate.EncodeCertificate(ca.certificate) }

// KeyPEM returns the authority's private key.
func (ca *CA) KeyPEM() ([]byte, error) { return certificate.EncodeKey(ca.key) }

// IssueCertificate returns a server certificate for names, some of which may be addresses.
func (ca *CA) IssueCertificate(names ...string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a key for %v: %w", names, err)
	}
	template, err := newTemplate(pkix.Name{Organization: []string{"Simulated Internet"}})
	if err != nil {
		return tls.Certificate{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, name := range names {
		if ip, err := netip.ParseAddr(name); err == nil {
			template.IPAddresses = append(template.IPAddresses, net.IP(ip.AsSlice()))
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, key.Public(), ca.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate for %v: %w", names, err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// NewServerTLS returns a server configuration with a certificate for names.
func (ca *CA) NewServerTLS(names ...string) (*tls.Config, error) {
	certificate, err := ca.IssueCertificate(names...)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12,
		// A zone's own clients offer P-256, the cheapest curve, all others X25519: a simulated zone makes thousands of handshakes.
		CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256}}, nil
}
