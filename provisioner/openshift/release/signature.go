package release

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/release/download"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// KeyFingerprint identifies the key that signs releases: Red Hat, Inc. (release key 2).
const KeyFingerprint = "567E347AD0044ADE55BA8A5F199E2F91FD431D51"

type releaseKey struct {
	keys        openpgp.EntityList
	fingerprint string // upper-case hex
	scope       string // the fingerprint if the network has its own key, "" for the pinned one
}

// loadReleaseKey returns the pinned key if none is given.
func loadReleaseKey(given []byte) (releaseKey, error) {
	if given == nil {
		key, err := parseReleaseKey(assets.ReleaseKey())
		if err == nil && key.fingerprint != KeyFingerprint {
			err = fmt.Errorf("its fingerprint is %s", key.fingerprint)
		}
		if err != nil {
			return releaseKey{}, fault.New(fault.Internal, "read the pinned release key", err)
		}
		return key, nil
	}
	key, err := parseReleaseKey(given)
	if err != nil {
		return releaseKey{}, fault.New(fault.Invalid, "read the release key", err).
			WithHint("use a file with one armored OpenPGP public key with --release-key, or omit the flag")
	}
	key.scope = key.fingerprint
	return key, nil
}

func parseReleaseKey(content []byte) (releaseKey, error) {
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(content))
	switch {
	case err != nil:
		return releaseKey{}, fmt.Errorf("it contains no OpenPGP public key: %w", err)
	case len(keys) != 1:
		return releaseKey{}, fmt.Errorf("it contains %d OpenPGP keys instead of one", len(keys))
	case keys[0].PrivateKey != nil:
		return releaseKey{}, errors.New("it contains a private key")
	}
	return releaseKey{keys: keys, fingerprint: strings.ToUpper(hex.EncodeToString(keys[0].PrimaryKey.Fingerprint))}, nil
}

// verify returns the signed list. A detached signature covers the published list; a signed message contains the list itself, and
// only that one counts then. Which of them the mirror publishes is not known.
func (k releaseKey) verify(list, signature []byte, now time.Time) ([]byte, error) {
	// An expired key is not accepted, even if the signature is older.
	if _, err := k.keys[0].VerifyPrimaryKey(now, nil); err != nil {
		return nil, k.describeError(err)
	}
	signature, err := decodeArmor(signature)
	if err != nil {
		return nil, err
	}
	limit := int64(download.MaxList)
	config := &packet.Config{Time: func() time.Time { return now }, MaxDecompressedMessageSize: &limit}
	_, _, detached := openpgp.VerifyDetachedSignature(k.keys, bytes.NewReader(list), bytes.NewReader(signature), config)
	if detached == nil {
		return list, nil
	}
	body, isMessage, err := k.verifyMessage(signature, config)
	switch {
	case !isMessage:
		return nil, k.describeError(detached)
	case err != nil:
		return nil, k.describeError(err)
	}
	return body, nil
}

// verifyMessage sets isMessage to false if it is no signed message.
func (k releaseKey) verifyMessage(message []byte, config *packet.Config) (body []byte, isMessage bool, err error) {
	details, err := openpgp.ReadMessage(bytes.NewReader(message), k.keys, nil, config)
	if err != nil {
		return nil, false, err
	}
	body, err = io.ReadAll(details.UnverifiedBody)
	switch {
	case err != nil:
		return nil, true, err
	case !details.IsSigned:
		return nil, true, pgperrors.ErrUnknownIssuer
	case details.SignatureError != nil:
		return nil, true, details.SignatureError
	case !details.IsVerified || details.Signature == nil:
		return nil, true, errors.New("it was not verified")
	}
	return body, true, nil
}

// decodeArmor accepts binary signatures, too.
func decodeArmor(signature []byte) ([]byte, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(signature), []byte("-----BEGIN PGP")) {
		return signature, nil
	}
	block, err := armor.Decode(bytes.NewReader(signature))
	if err != nil {
		return nil, fmt.Errorf("invalid armor: %w", err)
	}
	return io.ReadAll(block.Body)
}

func (k releaseKey) describeError(err error) error {
	switch {
	case errors.Is(err, pgperrors.ErrUnknownIssuer):
		return fmt.Errorf("it is not signed by the release key %s", k.fingerprint)
	case errors.Is(err, pgperrors.ErrKeyExpired):
		return fmt.Errorf("the release key %s has expired", k.fingerprint)
	case errors.Is(err, pgperrors.ErrKeyRevoked):
		return fmt.Errorf("the release key %s was revoked", k.fingerprint)
	case errors.Is(err, pgperrors.ErrSignatureExpired):
		return errors.New("its signature has expired")
	}
	return err
}
