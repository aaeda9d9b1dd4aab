package ignition

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
)

// The gateway's certificate has this name, whatever the machine's address.
const gatewayName = "journal-gatewayd"

const (
	blockHostKey     = "OPENSSH PRIVATE KEY"
	blockCertificate = "CERTIFICATE"
	blockKey         = "EC PRIVATE KEY"
)

// NewIdentity returns the identity of a bootstrap machine, as PEM: the private key of its SSH server (Ed25519), and
// certificate and private key of its journal's gateway. Clients trust this certificate only. The one that
// openshift-install generates for the gateway names no host that a client could verify (its pkg/asset/tls,
// journalcertkey).
func NewIdentity(now time.Time) ([]byte, error) {
	const op = "make the bootstrap machine's keys"
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	hostKey, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	certificate, key, err := newGatewayPair(now)
	if err != nil {
		return nil, fault.New(fault.Internal, op, err)
	}
	return slices.Concat(pem.EncodeToMemory(hostKey),
		pem.EncodeToMemory(&pem.Block{Type: blockCertificate, Bytes: certificate}),
		pem.EncodeToMemory(&pem.Block{Type: blockKey, Bytes: key})), nil
}

// The certificate is in DER. The bootstrap machine lives for an hour, and its clock may be wrong by more.
func newGatewayPair(now time.Time) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: gatewayName, Organization: []string{"exoshift"}},
		NotBefore:    now.AddDate(0, 0, -1),
		NotAfter:     now.AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{gatewayName},
	}
	if certificate, err = x509.CreateCertificate(rand.Reader, template, template, private.Public(), private); err != nil {
		return nil, nil, err
	}
	key, err = x509.MarshalECPrivateKey(private)
	return certificate, key, err
}

func readIdentityFiles(identity []byte) (map[string][]byte, error) {
	blocks := map[string][]byte{}
	for block, rest := pem.Decode(identity); block != nil; block, rest = pem.Decode(rest) {
		blocks[block.Type] = pem.EncodeToMemory(block)
	}
	for _, kind := range []string{blockHostKey, blockCertificate, blockKey} {
		if blocks[kind] == nil {
			return nil, errors.New("it has no " + kind)
		}
	}
	signer, err := ssh.ParsePrivateKey(blocks[blockHostKey])
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		hostKeyPath:              blocks[blockHostKey],
		hostKeyPath + ".pub":     ssh.MarshalAuthorizedKey(signer.PublicKey()),
		gatewayPairPath + ".crt": blocks[blockCertificate],
		gatewayPairPath + ".key": blocks[blockKey],
	}, nil
}
