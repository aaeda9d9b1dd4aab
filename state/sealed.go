package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"filippo.io/age"
)

// The low scrypt work factor: a guess takes a fraction of a second, but the passphrases here are random.
const sealWork = 15

// WriteSealed encrypts content with a passphrase (age, scrypt).
func (f Folder) WriteSealed(name, passphrase string, content []byte) error {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return fmt.Errorf("seal %s: %w", f.Path(name), err)
	}
	recipient.SetWorkFactor(sealWork)
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, recipient)
	if err != nil {
		return fmt.Errorf("seal %s: %w", f.Path(name), err)
	}
	if _, err := w.Write(content); err != nil {
		return fmt.Errorf("seal %s: %w", f.Path(name), err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("seal %s: %w", f.Path(name), err)
	}
	return f.Write(name, sealed.Bytes())
}

// ReadSealed returns the content that WriteSealed wrote; fs.ErrNotExist if there is no such file.
func (f Folder) ReadSealed(name, passphrase string) ([]byte, error) {
	sealed, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("unseal %s: %w", f.Path(name), err)
	}
	identity.SetMaxWorkFactor(sealWork)
	opened, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if err != nil {
		return nil, fmt.Errorf("unseal %s: %w", f.Path(name), err)
	}
	content, err := io.ReadAll(opened)
	if err != nil {
		return nil, fmt.Errorf("unseal %s: %w", f.Path(name), err)
	}
	return content, nil
}

// Remove removes a file of the folder; a missing one is no error.
func (f Folder) Remove(name string) error {
	if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", f.Path(name), err)
	}
	return nil
}
