package mirror

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Key is an OpenPGP key that releases are signed with.
type Key struct {
	entity          *openpgp.Entity
	public, private []byte
}

// NewKey creates a key that is valid from a time on, to the second; a lifetime of 0 is unlimited.
func NewKey(from time.Time, lifetime time.Duration) (Key, error) {
	config := &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, KeyLifetimeSecs: uint32(lifetime / time.Second), //nolint:gosec // a lifetime is short
		Time: func() time.Time { return from.Truncate(time.Second) },
	}
	made, err := openpgp.NewEntity("Simulated release key", "", "releases@example.net", config)
	if err != nil {
		return Key{}, fmt.Errorf("make the key of the simulated releases: %w", err)
	}
	var private bytes.Buffer
	if err := made.SerializePrivateWithoutSigning(&private, config); err != nil {
		return Key{}, fmt.Errorf("write the key of the simulated releases: %w", err)
	}
	return ParseKey(private.Bytes())
}

// ParseKey parses the output of ExportPrivate.
func ParseKey(private []byte) (Key, error) {
	ring, err := openpgp.ReadKeyRing(bytes.NewReader(private))
	if err != nil || len(ring) != 1 {
		return Key{}, fmt.Errorf("read the key of the simulated releases: %d keys: %w", len(ring), err)
	}
	var public bytes.Buffer
	armored, err := armor.Encode(&public, openpgp.PublicKeyType, nil)
	if err != nil {
		return Key{}, err
	}
	if err := errors.Join(ring[0].Serialize(armored), armored.Close()); err != nil {
		return Key{}, fmt.Errorf("write the public key of the simulated releases: %w", err)
	}
	return Key{entity: ring[0], public: append(public.Bytes(), '\n'), private: private}, nil
}

// ExportPublic returns the public key, armored.
func (k Key) ExportPublic() []byte { return bytes.Clone(k.public) }

// ExportPrivate returns the input of ParseKey, without a passphrase.
func (k Key) ExportPrivate() []byte { return bytes.Clone(k.private) }

// signDetached returns a binary signature of content with a creation time.
func (k Key) signDetached(content []byte, at time.Time) ([]byte, error) {
	var signature bytes.Buffer
	err := openpgp.DetachSign(&signature, k.entity, bytes.NewReader(content), &packet.Config{Time: func() time.Time { return at }})
	return signature.Bytes(), err
}

// SignMessage returns a binary message with the content and its signature, which has a creation time.
func (k Key) SignMessage(content []byte, at time.Time) ([]byte, error) {
	var message bytes.Buffer
	body, err := openpgp.Sign(&message, k.entity, nil, &packet.Config{Time: func() time.Time { return at }})
	if err != nil {
		return nil, err
	}
	_, err = body.Write(content)
	err = errors.Join(err, body.Close())
	return message.Bytes(), err
}
