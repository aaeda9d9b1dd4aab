package adminaccess

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"time"

	"exoshift/provisioner/openshift/kubeapi"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const certificateBlock = "CERTIFICATE"

// validity is that of the administrator's kubeconfig of `oc config new-admin-kubeconfig`.
const validity = 10 * 365 * 24 * time.Hour

// NewAdminKubeconfig returns a kubeconfig like current with a client certificate of a new authority, whose key nobody has. The certificate is
// followed by that authority.
func NewAdminKubeconfig(current []byte, now time.Time) ([]byte, error) {
	config, user, err := loadUser(current)
	if err != nil {
		return nil, err
	}
	chain, key, err := issueAdministrator(now)
	if err != nil {
		return nil, err
	}
	user.ClientCertificateData, user.ClientKeyData = chain, key
	return kubeapi.WriteKubeconfig(config)
}

func issueAdministrator(now time.Time) (chain, key []byte, err error) {
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	// Two authorities of one name are told apart by their keys.
	authority := &x509.Certificate{
		Subject: pkix.Name{OrganizationalUnit: []string{"openshift"}, CommonName: "admin-kubeconfig-signer"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IsCA: true, BasicConstraintsValid: true,
	}
	if authority.SerialNumber, err = newSerial(); err != nil {
		return nil, nil, err
	}
	root, err := x509.CreateCertificate(rand.Reader, authority, authority, &signer.PublicKey, signer)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := x509.ParseCertificate(root)
	if err != nil {
		return nil, nil, err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	administrator := &x509.Certificate{
		Subject: pkix.Name{Organization: []string{"system:masters"}, CommonName: "system:admin"}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}
	if administrator.SerialNumber, err = newSerial(); err != nil {
		return nil, nil, err
	}
	leaf, err := x509.CreateCertificate(rand.Reader, administrator, parsed, &private.PublicKey, signer)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	chain = append(encodeCertificate(leaf), encodeCertificate(root)...)
	return chain, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), nil
}

func newSerial() (*big.Int, error) {
	const bits = 127
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), bits))
}

func encodeCertificate(content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: content})
}

func loadUser(kubeconfig []byte) (*clientcmdapi.Config, *clientcmdapi.AuthInfo, error) {
	config, err := kubeapi.LoadKubeconfig(kubeconfig)
	if err != nil {
		return nil, nil, errors.New("it is not a kubeconfig") // the cause may quote a key
	}
	current := config.Contexts[config.CurrentContext]
	if current == nil || config.AuthInfos[current.AuthInfo] == nil {
		return nil, nil, errors.New("the kubeconfig has no user")
	}
	return config, config.AuthInfos[current.AuthInfo], nil
}

// FindAuthority returns the authority, as PEM, that signed the client certificate of a kubeconfig: one that follows the certificate, or else
// one of those given; nil: none of them did.
func FindAuthority(kubeconfig []byte, among [][]byte) ([]byte, error) {
	_, user, err := loadUser(kubeconfig)
	if err != nil {
		return nil, err
	}
	chain := splitPEM(string(user.ClientCertificateData))
	if len(chain) == 0 {
		return nil, errors.New("the kubeconfig has no client certificate")
	}
	leaf, err := parse(chain[0])
	if err != nil {
		return nil, err
	}
	for _, candidate := range append(chain[1:], among...) {
		authority, err := parse(candidate)
		if err == nil && leaf.CheckSignatureFrom(authority) == nil {
			return candidate, nil
		}
	}
	return nil, nil
}

func parse(content []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, errors.New("a certificate is not PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

// splitPEM returns the certificates of a bundle.
func splitPEM(bundle string) (all [][]byte) {
	for rest := []byte(bundle); ; {
		block, left := pem.Decode(rest)
		if block == nil {
			return all
		}
		if block.Type == certificateBlock {
			all = append(all, encodeCertificate(block.Bytes))
		}
		rest = left
	}
}

// isSame compares certificates, whatever is between their lines.
func isSame(one, other []byte) bool {
	a, _ := pem.Decode(one)
	b, _ := pem.Decode(other)
	return a != nil && b != nil && bytes.Equal(a.Bytes, b.Bytes)
}
