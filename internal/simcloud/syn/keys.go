package syn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// secretKey is PKCS #8, or a random text.
type secretKey struct{ Private []byte }

const (
	accountKey = "kubernetes" // signs the tokens of service accounts
	signOnKey  = "sign-on"    // signs ID tokens
	refreshKey = "refresh"    // signs refresh tokens
	password   = "password"   // of the engineer
	signOnBits = 2048
)

// ensureSigner generates the key at its first use: RSA keys take their time.
func (s *Syn) ensureSigner(name string) (crypto.Signer, error) {
	s.keysLock.Lock()
	defer s.keysLock.Unlock()
	if kept, ok := s.keys.Get(name); ok {
		key, err := x509.ParsePKCS8PrivateKey(kept.Private)
		if err != nil {
			return nil, err
		}
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, fmt.Errorf("the key %s does not sign", name)
		}
		return signer, nil
	}
	made, err := newSigner(name)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(made)
	if err != nil {
		return nil, err
	}
	return made, s.keys.Put(name, secretKey{Private: private})
}

func newSigner(name string) (crypto.Signer, error) {
	if name == signOnKey {
		return rsa.GenerateKey(rand.Reader, signOnBits)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func (s *Syn) ensureSecretText(name string) (string, error) {
	s.keysLock.Lock()
	defer s.keysLock.Unlock()
	if kept, ok := s.keys.Get(name); ok {
		return string(kept.Private), nil
	}
	made := rand.Text()
	return made, s.keys.Put(name, secretKey{Private: []byte(made)})
}

func (s *Syn) newJWTSigner(name string, algorithm jose.SignatureAlgorithm) (jose.Signer, error) {
	var key any
	var err error
	if algorithm == jose.HS512 {
		key, err = s.getSharedKey(name)
	} else {
		key, err = s.ensureSigner(name)
	}
	if err != nil {
		return nil, err
	}
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", name)
	return jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
}

// getSharedKey returns a key for HS512, which requires 64 bytes.
func (s *Syn) getSharedKey(name string) ([]byte, error) {
	shared, err := s.ensureSecretText(name)
	return []byte(strings.Repeat(shared, 3)), err
}
