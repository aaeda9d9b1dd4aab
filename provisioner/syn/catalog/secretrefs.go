package catalog

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/state"
)

const (
	refsFolder = "refs"
	kvType     = "vaultkv"
	kvEngine   = "kv-v2"
	maxRef     = 16 << 10 // bytes of a file below refs
)

type secretRef struct {
	Data  string `yaml:"data"` // base64 of "<path>:<key>"
	Type  string `yaml:"type"`
	Vault struct {
		Mount  string `yaml:"mount"`
		Engine string `yaml:"engine"`
	} `yaml:"vault_params"`
}

// wrongStoreError is a reference to another store than that of the clusters.
type wrongStoreError struct{ reason string }

func (e wrongStoreError) Error() string { return e.reason }

// ListWantedSecrets returns the secrets that a compiled catalog in dir needs of the store at mount, sorted. Each file below its
// folder refs is a reference to one, and its path is that of the secret and the key.
func (g *Git) ListWantedSecrets(dir, mount string) ([]state.VaultSecret, error) {
	const op = "find out which secrets the catalog needs"
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.New(fault.NotFound, op, err).WithHint("have the catalog compiled and fetched first")
	}
	defer func() { _ = root.Close() }()
	var found []state.VaultSecret
	entries := 0
	err = fs.WalkDir(root.FS(), refsFolder, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == refsFolder {
			return nil // a catalog without secrets
		}
		if entries++; err == nil && entries > maxEntries {
			err = fmt.Errorf("there are more than %d files", maxEntries)
		}
		if err != nil || entry.IsDir() {
			return err
		}
		secret, wanted, err := readReference(root, name, mount)
		if wanted {
			found = append(found, secret)
		}
		return err
	})
	var other wrongStoreError
	switch {
	case errors.As(err, &other):
		return nil, fault.New(fault.Invalid, op, err).
			WithHint("change the component's reference to Vault's %s, which clusters can read; then compile again; for another store, set syn.vaultMount", mount)
	case err != nil:
		return nil, fault.New(fault.Invalid, op, err).WithHint("compile the catalog in %s again", filepath.Base(dir))
	}
	stable.Sort(found, func(a, b state.VaultSecret) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Key, b.Key))
	})
	return slices.Compact(found), nil
}

// readReference skips references to anything but a secret in Vault.
func readReference(root *os.Root, name, kvMount string) (secret state.VaultSecret, wanted bool, err error) {
	info, err := root.Lstat(name) // refuses links, wherever they lead
	if err == nil {
		err = fileread.CheckRegular(name, info)
	}
	var content []byte
	if err == nil {
		content, err = fileread.BytesIn(root, name, maxRef)
	}
	if err == nil {
		err = fileread.CheckNesting(content)
	}
	if err != nil {
		return secret, false, fmt.Errorf("%s is not a reference to a secret: %w", name, err)
	}
	var ref secretRef
	if err := yaml.Unmarshal(content, &ref); err != nil {
		return secret, false, fmt.Errorf("%s is not YAML", name)
	}
	if ref.Type != "" && ref.Type != kvType {
		return secret, false, nil
	}
	if err := ref.checkStore(name, kvMount); err != nil {
		return secret, false, err
	}
	secret, err = ref.toSecret(name)
	return secret, err == nil, err
}

func (r secretRef) checkStore(name, kvMount string) error {
	mount, engine := strings.Trim(r.Vault.Mount, "/"), r.Vault.Engine
	switch {
	case mount != "" && mount != kvMount:
		return wrongStoreError{fmt.Sprintf("%s is in Vault's %q, only %q is supported", name, text.Sanitize(mount, text.WithLimit(100)), kvMount)}
	case engine != "" && engine != kvEngine:
		return wrongStoreError{fmt.Sprintf("%s is in a store of the kind %q, but %q is of the kind %q", name, text.Sanitize(engine, text.WithLimit(100)), kvMount, kvEngine)}
	}
	return nil
}

// toSecret requires content and file name to be consistent.
func (r secretRef) toSecret(name string) (state.VaultSecret, error) {
	inside := strings.TrimPrefix(name, refsFolder+"/")
	secret := state.VaultSecret{Path: path.Dir(inside), Key: path.Base(inside)}
	if secret.Path == "." {
		return secret, fmt.Errorf("%s has a key without a secret", name)
	}
	if r.Data == "" {
		return secret, nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Data))
	if err != nil || strings.TrimSpace(string(data)) != secret.Path+":"+secret.Key {
		return secret, fmt.Errorf("%s refers to another secret than its name", name)
	}
	return secret, nil
}
