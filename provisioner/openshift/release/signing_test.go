package release_test

import (
	"bytes"
	"crypto"
	"crypto/sha1" //nolint:gosec // for a signature that must be refused
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

func newSigner(t *testing.T, lifetime time.Duration) *openpgp.Entity {
	t.Helper()
	signer, err := openpgp.NewEntity("publisher", "", "releases@example.net", &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, KeyLifetimeSecs: uint32(lifetime / time.Second), //nolint:gosec // it is short
	})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func fingerprint(signer *openpgp.Entity) string {
	return strings.ToUpper(hex.EncodeToString(signer.PrimaryKey.Fingerprint))
}

func armored(t *testing.T, signers ...*openpgp.Entity) []byte {
	t.Helper()
	return armorOf(t, openpgp.PublicKeyType, func(w io.Writer) error {
		var err error
		for _, signer := range signers {
			err = errors.Join(err, signer.Serialize(w))
		}
		return err
	})
}

func armorOf(t *testing.T, kind string, write func(io.Writer) error) []byte {
	t.Helper()
	var block bytes.Buffer
	w, err := armor.Encode(&block, kind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(w), w.Close()); err != nil {
		t.Fatal(err)
	}
	return block.Bytes()
}

func detached(t *testing.T, signer *openpgp.Entity, content []byte, config *packet.Config) []byte {
	t.Helper()
	var signature bytes.Buffer
	if err := openpgp.DetachSign(&signature, []*openpgp.Entity{signer}, bytes.NewReader(content), config); err != nil {
		t.Fatal(err)
	}
	return signature.Bytes()
}

func message(t *testing.T, signers []*openpgp.Entity, content []byte, config *packet.Config) []byte {
	t.Helper()
	var signed bytes.Buffer
	w, err := openpgp.Sign(&signed, signers, nil, config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return signed.Bytes()
}

// literal returns a message without a signature.
func literal(t *testing.T, content []byte) []byte {
	t.Helper()
	var plain bytes.Buffer
	w, err := packet.SerializeLiteral(nopCloser{&plain}, true, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return plain.Bytes()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// weak returns a signature that uses SHA-1.
func weak(t *testing.T, signer *openpgp.Entity, content []byte) []byte {
	t.Helper()
	key := signer.PrivateKey
	signature := &packet.Signature{
		Version: 4, SigType: packet.SigTypeBinary, PubKeyAlgo: key.PubKeyAlgo, Hash: crypto.SHA1,
		CreationTime: time.Now(), IssuerKeyId: &key.KeyId,
	}
	hash := sha1.New() //nolint:gosec // as above
	_, _ = hash.Write(content)
	var out bytes.Buffer
	salted := false // SHA-1 signatures have no salt
	if err := signature.Sign(hash, key, &packet.Config{NonDeterministicSignaturesViaNotation: &salted}); err != nil {
		t.Fatal(err)
	}
	if err := signature.Serialize(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
