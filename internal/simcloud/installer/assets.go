package installer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const stateFile = ".openshift_install_state.json"

// assets is the content of the state file: Go type names of the real program to JSON. It is reused whatever its age, as by the
// real one.
type assets map[string]json.RawMessage

func loadAssets(dir string) (assets, error) {
	content, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return assets{}, nil
	}
	if err != nil {
		return nil, err
	}
	loaded := assets{}
	if err := json.Unmarshal(content, &loaded); err != nil {
		return nil, fmt.Errorf("failed to unmarshal the state file %s: %w", stateFile, err)
	}
	return loaded, nil
}

func (a assets) save(dir string) error {
	content, err := json.MarshalIndent(a, "", "    ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, stateFile), content, 0o640)
}

func loadOrGenerate[T any](a assets, name string, generate func() (T, error)) (T, error) {
	var value T
	if raw, ok := a[name]; ok {
		return value, json.Unmarshal(raw, &value)
	}
	value, err := generate()
	if err != nil {
		return value, fmt.Errorf("failed to generate asset %q: %w", name, err)
	}
	return value, a.put(name, value)
}

func (a assets) put(name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	a[name] = raw
	return nil
}

func (a assets) delete(names ...string) {
	for _, name := range names {
		delete(a, name)
	}
}
