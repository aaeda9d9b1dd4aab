package sharedstate

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/objects/sharedstore"
	"exoshift/state"
)

const (
	keyVariable    = "AWS_ACCESS_KEY_ID"
	secretVariable = "AWS_SECRET_ACCESS_KEY"
	keyName        = "key.env"
)

// keyFile is where this machine keeps the API key of a bucket of shared state: a private folder, with the journal of its creation.
type keyFile struct{ folder state.Folder }

func openKeyFile(at sharedstore.Location) (keyFile, error) {
	base, err := state.DefaultPath(".shared")
	if err != nil {
		return keyFile{}, err
	}
	folder, err := state.OpenReadOnly(filepath.Join(base, at.Bucket+"@"+at.Endpoint))
	return keyFile{folder}, err
}

func (k keyFile) path() string { return k.folder.Path(keyName) }

// load returns the key that was kept, for a role; without key and secret if none was.
func (k keyFile) load(role state.IAMRole) (state.APIKey, error) {
	key := state.APIKey{Name: role.Name, RoleID: role.ID}
	content, err := k.folder.Read(keyName)
	if errors.Is(err, fs.ErrNotExist) {
		return key, nil
	}
	if err != nil {
		return key, fmt.Errorf("read the API key of shared state: %w", err)
	}
	for line := range strings.Lines(string(content)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case keyVariable:
			key.Key = value
		case secretVariable:
			key.Secret = value
		}
	}
	if key.Key == "" || key.Secret == "" {
		return key, fault.Newf(fault.Invalid, "read the API key of shared state", "%s has no %s and %s", k.path(), keyVariable, secretVariable).
			WithHint("restore that file, or remove it if the key is elsewhere")
	}
	return key, nil
}

// save writes variables, as a shell, a container and the variables of a pipeline take them. The file is the only place that has the
// secret.
func (k keyFile) save(key state.APIKey) error {
	text := fmt.Sprintf("# API key %s: reads and writes shared state, and may do nothing else\n%s=%s\n%s=%s\n", key.Name, keyVariable, key.Key, secretVariable, key.Secret)
	return k.folder.Write(keyName, []byte(text))
}

// isPending reports whether a process was interrupted while it created the key, which is then created anew.
func (k keyFile) isPending(name string) bool {
	if _, err := k.folder.Read(state.JournalFile); err != nil {
		return false
	}
	journal, err := k.folder.OpenJournal(time.Now)
	if err != nil {
		return false
	}
	defer func() { _ = journal.Close() }() // it was only read
	return journal.Open(state.KindAPIKey, name)
}
