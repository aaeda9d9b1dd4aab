// Package certificate makes and reads the real X.509 certificates of the simulated cluster: ECDSA P-256 throughout,
// because RSA keys would take most of a rehearsal's time.
package certificate

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Request describes a certificate to be issued.
type Request struct {
	Subject  pkix.Name
	DNS      []string
	IPs      []net.IP
	Usages   []x509.ExtKeyUsage
	Validity time.Duration // from now on
	CA       bool
}

// Pair is a certificate with its private key.
type Pair struct {
	Certificate *x509.Certificate
	Key         *ecdsa.PrivateKey
}

// NewAuthority creates a self-signed certificate authority.
func NewAuthority(name pkix.Name, validity time.Duration, now time.Time) (Pair, error) {
	key, err := NewKey()
	if err != nil {
		return Pair{}, err
	}
	template, err := newTemplate(Request{Subject: name, Validity: validity, CA: true}, now)
	if err != nil {
		return Pair{}, err
	}
	return create(template, template, key, key)
}

// Issue generates a key and a certificate for it.
func (p Pair) Issue(request Request, now time.Time) (Pair, error) {
	key, err := NewKey()
	if err != nil {
		return Pair{}, err
	}
	issued, err := p.Certify(request, key.Public(), now)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Certificate: issued, Key: key}, nil
}

// Certify issues a certificate for another's public key. It expires with the authority's own at the latest.
func (p Pair) Certify(request Request, public crypto.PublicKey, now time.Time) (*x509.Certificate, error) {
	template, err := newTemplate(request, now)
	if err != nil {
		return nil, err
	}
	if template.NotAfter.After(p.Certificate.NotAfter) {
		template.NotAfter = p.Certificate.NotAfter
	}
	der, err := x509.CreateCertificate(rand.Reader, template, p.Certificate, public, p.Key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %s: %w", request.Subject, err)
	}
	return x509.ParseCertificate(der)
}

// CertPEM returns the certificate.
func (p Pair) CertPEM() []byte { return EncodeCertificate(p.Certificate) }

// KeyPEM returns the private key.
func (p Pair) KeyPEM() ([]byte, error) { return EncodeKey(p.Key) }

// NewKey returns a new private key.
func NewKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

// EncodeKey returns a private key as PEM.
func EncodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// EncodeCertificate returns a certificate as PEM.
func EncodeCertificate(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

// Parse reads a certificate and its key from PEM.
func Parse(certificate, key []byte) (Pair, error) {
	certificates, err := ParseBundle(certificate)
	if err != nil {
		return Pair{}, err
	}
	block, _ := pem.Decode(key)
	if block == nil {
		return Pair{}, errors.New("no PEM block in the private key")
	}
	private, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Certificate: certificates[0], Key: private}, nil
}

// ParseBundle reads at least one certificate from PEM.
func ParseBundle(bundle []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		certificates = append(certificates, certificate)
	}
	if len(certificates) == 0 {
		return nil, errors.New("no certificate in the PEM bundle")
	}
	return certificates, nil
}

func create(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) (Pair, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return Pair{}, fmt.Errorf("sign the certificate of %s: %w", template.Subject, err)
	}
	parsed, err := x509.ParseCertificate(der)
	return Pair{Certificate: parsed, Key: key}, err
}

func newTemplate(request Request, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 62))
	if err != nil {
		return nil, err
	}
	usage := x509.KeyUsageDigitalSignature
	if request.CA {
		usage |= x509.KeyUsageCertSign
	}
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               request.Subject,
		NotBefore:             now.UTC(),
		NotAfter:              now.UTC().Add(request.Validity),
		KeyUsage:              usage,
		ExtKeyUsage:           request.Usages,
		DNSNames:              request.DNS,
		IPAddresses:           request.IPs,
		IsCA:                  request.CA,
		BasicConstraintsValid: true,
	}, nil
}
