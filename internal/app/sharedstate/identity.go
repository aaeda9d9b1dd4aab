package sharedstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"filippo.io/age/agessh"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/exit"
	"exoshift/internal/fileread"
)

// IdentityVariable names the file of an age identity or of an SSH private key, or the secret in Vault that is one.
const IdentityVariable = "EXOSHIFT_AGE_IDENTITY"

// identities are those of whoever opens shared state.
type identities struct{ Access }

// read returns the identities that the variable names, or else those of the usual SSH keys that have no passphrase.
func (i identities) read(ctx context.Context) ([]age.Identity, error) {
	place, given := i.Lookup(IdentityVariable)
	if !given {
		return readUsualKeys()
	}
	var content []byte
	var err error
	if strings.HasPrefix(place, vaultScheme) {
		content, err = i.readVault(ctx, place)
		if err != nil {
			return nil, err
		}
	} else {
		content, err = fileread.Text(place, fileread.Small)
	}
	var found []age.Identity
	if err == nil {
		found, err = parseIdentities(content)
	}
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s=%s: %w", IdentityVariable, place, err))
	}
	return found, nil
}

func readUsualKeys() ([]age.Identity, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil //nolint:nilerr // then there are no keys
	}
	var all []age.Identity
	for _, name := range []string{"id_ed25519", "id_rsa"} {
		content, err := fileread.Text(filepath.Join(home, ".ssh", name), fileread.Small)
		var found []age.Identity
		if err == nil {
			found, err = parseIdentities(content)
		}
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

// parseIdentities quotes nothing of the content in an error.
func parseIdentities(content []byte) ([]age.Identity, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(content), []byte("-----BEGIN")) {
		found, err := age.ParseIdentities(bytes.NewReader(content))
		if err != nil {
			return nil, errors.New("it is neither an age identity nor an SSH private key")
		}
		return found, nil
	}
	identity, err := agessh.ParseIdentity(content)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, fmt.Errorf("the key has a passphrase; use an age identity, or a key without a passphrase: %w", err)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	return []age.Identity{identity}, nil
}
