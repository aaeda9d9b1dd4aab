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
	"sync"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"exoshift/internal/simcloud/store"
)

// secretKey is PKCS #8, or a random text.
type secretKey struct{ Private []byte }

// keyring generates keys and texts at their first use, and keeps them.
type keyring struct {
	mu    sync.Mutex
	table *store.Table[secretKey]
}

const (
	accountKey = "kubernetes" // signs the tokens of service accounts
	signOnKey  = "sign-on"    // signs ID tokens
	refreshKey = "refresh"    // signs refresh tokens
	password   = "password"   // of the engineer
	signOnBits = 2048
)

// ensureSigner generates the key at its first use: RSA keys take their time.
func (k *keyring) ensureSigner(name string) (crypto.Signer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept, ok := k.table.Get(name); ok {
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
	return made, k.table.Put(name, secretKey{Private: private})
}

func newSigner(name string) (crypto.Signer, error) {
	if name == signOnKey {
		return rsa.GenerateKey(rand.Reader, signOnBits)
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func (k *keyring) ensureSecretText(name string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if kept, ok := k.table.Get(name); ok {
		return string(kept.Private), nil
	}
	made := rand.Text()
	return made, k.table.Put(name, secretKey{Private: []byte(made)})
}

func (k *keyring) newJWTSigner(name string, algorithm jose.SignatureAlgorithm) (jose.Signer, error) {
	var key any
	var err error
	if algorithm == jose.HS512 {
		key, err = k.getSharedKey(name)
	} else {
		key, err = k.ensureSigner(name)
	}
	if err != nil {
		return nil, err
	}
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", name)
	return jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
}

// getSharedKey returns a key for HS512, which requires 64 bytes.
func (k *keyring) getSharedKey(name string) ([]byte, error) {
	shared, err := k.ensureSecretText(name)
	return []byte(strings.Repeat(shared, 3)), err
}

func (k *keyring) sign(key string, algorithm jose.SignatureAlgorithm, claims map[string]any) (string, error) {
	signer, err := k.newJWTSigner(key, algorithm)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}
