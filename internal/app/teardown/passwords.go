package teardown

import (
	"encoding/json"
	"errors"
	"io/fs"

	"exoshift/internal/fault"
	"exoshift/provisioner/destroy"
	"exoshift/state"
)

// sealedPasswords keeps the passwords of the backups in the cluster's folder.
type sealedPasswords struct {
	folder state.Folder
	seal   string
}

// Load implements destroy.PasswordStore.
func (p sealedPasswords) Load() (kept destroy.Passwords, err error) {
	content, err := p.folder.ReadSealed(state.PasswordsFile, p.seal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &kept)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "read the copies of the backups' passwords", err).
			WithHint("they are encrypted with the API secret that was in use then: use that one; if Vault has the passwords, delete the file")
	}
	return kept, nil
}

// Save implements destroy.PasswordStore.
func (p sealedPasswords) Save(kept destroy.Passwords) error {
	if kept == nil {
		return p.folder.Remove(state.PasswordsFile)
	}
	content, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return p.folder.WriteSealed(state.PasswordsFile, p.seal, content)
}
