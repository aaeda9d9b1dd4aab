package sharedstate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
)

// IdentityVariable names the file of an age identity or of an SSH private key.
const IdentityVariable = "EXOSHIFT_AGE_IDENTITY"

// ReadIdentities returns the identities in the file that the variable names, or else those of the usual SSH keys that have no
// passphrase.
func ReadIdentities(lookup func(string) (string, bool)) ([]age.Identity, error) {
	if path, given := lookup(IdentityVariable); given {
		found, err := readIdentityFile(path)
		if err != nil {
			return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s=%s: %w", IdentityVariable, path, err))
		}
		return found, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil //nolint:nilerr // then there are no keys
	}
	var all []age.Identity
	for _, name := range []string{"id_ed25519", "id_rsa"} {
		found, err := readIdentityFile(filepath.Join(home, ".ssh", name))
		var locked *ssh.PassphraseMissingError
		switch {
		case err == nil:
			all = append(all, found...)
		case errors.Is(err, fs.ErrNotExist), errors.As(err, &locked):
		default:
			return nil, fmt.Errorf("read your SSH key: %w", err)
		}
	}
	return all, nil
}

func readIdentityFile(path string) ([]age.Identity, error) {
	content, err := fileread.Text(path, fileread.Small)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(content), []byte("-----BEGIN")) {
		return age.ParseIdentities(bytes.NewReader(content)) //nolint:wrapcheck // the caller names the file
	}
	identity, err := agessh.ParseIdentity(content)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, fmt.Errorf("the key has a passphrase; name a file with an age identity instead, or a key without one: %w", err)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	return []age.Identity{identity}, nil
}
