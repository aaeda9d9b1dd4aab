package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

const keysDir = "api-keys"

type storedKey struct {
	Key    string `json:"key"`
	Secret string `json:"secret"`
}

// SaveAPIKey stores a key with its secret, which the API returns only once.
func (f Folder) SaveAPIKey(key APIKey) error {
	content, err := json.Marshal(storedKey{Key: key.Key, Secret: key.Secret})
	if err != nil {
		return fmt.Errorf("keep API key %s: %w", key.Name, err)
	}
	return f.Write(formatKeyFile(key.Name), content)
}

// LoadAPIKey returns the key that was stored under a name, or one without Key and Secret.
func (f Folder) LoadAPIKey(name string) (APIKey, error) {
	content, err := f.Read(formatKeyFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return APIKey{Name: name}, nil
	}
	if err != nil {
		return APIKey{}, err
	}
	var stored storedKey
	if err := json.Unmarshal(content, &stored); err != nil {
		return APIKey{}, fmt.Errorf("read API key %s: %w", name, err)
	}
	return APIKey{Name: name, Key: stored.Key, Secret: stored.Secret}, nil
}

func formatKeyFile(name string) string { return filepath.Join(keysDir, filepath.Base(name)+".json") }
