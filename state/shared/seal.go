package shared

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"

	"exoshift/internal/fault"
)

// keyLength is in bytes.
const keyLength = 32

// maxSealed bounds what is decrypted into memory, in bytes.
const maxSealed = 64 << 20

// sealer encrypts to the recipients of a place, and authenticates by its key: encryption alone does not say who wrote.
type sealer struct {
	key        []byte
	recipients []age.Recipient
	identities []age.Identity
}

func newSealer(key []byte, recipients []string) (sealer, error) {
	s := sealer{key: key}
	for _, text := range recipients {
		recipient, err := ParseRecipient(text)
		if err != nil {
			return s, err
		}
		s.recipients = append(s.recipients, recipient)
	}
	if len(s.recipients) == 0 {
		return s, fault.Newf(fault.Invalid, "encrypt shared state", "there is no recipient").WithHint("add one: --recipient age1...")
	}
	return s, nil
}

// ParseRecipient reads an age recipient, or an SSH public key of a type that age can encrypt to.
func ParseRecipient(text string) (age.Recipient, error) {
	text = strings.TrimSpace(text)
	var recipient age.Recipient
	var err error
	if strings.HasPrefix(text, "ssh-") {
		recipient, err = agessh.ParseRecipient(text)
	} else {
		recipient, err = age.ParseX25519Recipient(text)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "read a recipient", err).
			WithHint("a recipient is an age public key (age1...), or an SSH public key of type ssh-ed25519 or ssh-rsa")
	}
	return recipient, nil
}

func (s sealer) seal(content []byte) ([]byte, error) {
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, s.recipients...)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fault.New(fault.Internal, "encrypt shared state", err)
	}
	return sealed.Bytes(), nil
}

func unseal(sealed []byte, identities []age.Identity) ([]byte, error) {
	if len(identities) == 0 {
		return nil, errors.New("there is no identity to decrypt it with")
	}
	reader, err := age.Decrypt(bytes.NewReader(sealed), identities...)
	if err != nil {
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(reader, maxSealed+1))
	if err != nil {
		return nil, fmt.Errorf("decrypt: %w", err)
	}
	if len(content) > maxSealed {
		return nil, fault.TooLargeError{What: "the encrypted file", Limit: maxSealed}
	}
	return content, nil
}

func (s sealer) authenticate(content []byte) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(content)
	return hex.EncodeToString(mac.Sum(nil))
}

func (s sealer) isAuthentic(content []byte, mac string) bool {
	return hmac.Equal([]byte(s.authenticate(content)), []byte(mac))
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
