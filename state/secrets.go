package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"filippo.io/age"
)

// Files with keys, kubeconfigs or identities, in the order of their removal: the operator's own secrets last, as an
// interrupted teardown needs them again.
var keyPatterns = []string{ //nolint:gochecknoglobals // a table that nothing changes
	InstallDir, InstallDir + "-*Z", "." + InstallDir + "-*", keysDir, userDataDir, StewardFile + "*", PasswordsFile + "*", KeyFile, SecretsDir,
}

// oldGenerationPatterns match outdated output of openshift-install.
var oldGenerationPatterns = []string{InstallDir + "-*Z", "." + InstallDir + "-*"} //nolint:gochecknoglobals // a table that nothing changes

// ListKeys lists the files of the folder that hold keys, kubeconfigs or identities.
func (f Folder) ListKeys() ([]string, error) { return matchFiles(f, keyPatterns) }

// RemoveKeys removes all keys, kubeconfigs and identities: the cluster is gone.
func (f Folder) RemoveKeys() error { return removeFiles(f, keyPatterns) }

// ListOldGenerations lists outdated output of openshift-install that no machine boots from: earlier generations, and the
// incomplete one of a killed run.
func (f Folder) ListOldGenerations() ([]string, error) {
	return matchFiles(f, oldGenerationPatterns)
}

// RemoveOldGenerations removes them.
func (f Folder) RemoveOldGenerations() error {
	return removeFiles(f, oldGenerationPatterns)
}

func matchFiles(f Folder, patterns []string) ([]string, error) {
	var names []string
	for _, pattern := range patterns {
		found, err := fs.Glob(os.DirFS(f.path), pattern)
		if err != nil {
			return nil, fmt.Errorf("list keys in %s: %w", f.path, err)
		}
		names = append(names, found...)
	}
	return names, nil
}

func removeFiles(f Folder, patterns []string) error {
	names, err := matchFiles(f, patterns)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(f.Path(name)); err != nil {
			return fmt.Errorf("remove %s: %w", f.Path(name), err)
		}
	}
	return nil
}

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
	return f.Write(FormatKeyFile(key.Name), content)
}

// LoadAPIKey returns the key that was stored under a name, or one without Key and Secret.
func (f Folder) LoadAPIKey(name string) (APIKey, error) {
	content, err := f.Read(FormatKeyFile(name))
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

// ListAPIKeyFiles lists the files of a folder's stored keys.
func ListAPIKeyFiles(f Folder) []string {
	names, _ := fs.Glob(os.DirFS(f.path), keysDir+"/*") // the pattern is valid
	return names
}

// FormatKeyFile returns the file of a stored key, below the folder.
func FormatKeyFile(name string) string { return filepath.Join(keysDir, filepath.Base(name)+".json") }

// KeepSecret stores the secret of a field and returns the path of its file.
func (f Folder) KeepSecret(field, secret string) (path string, err error) {
	if !filepath.IsLocal(field) || field == "." || strings.ContainsAny(field, `/\`) {
		return "", fmt.Errorf("keep a secret: %q is not the name of a field", field)
	}
	name := filepath.Join(SecretsDir, field)
	return f.Path(name), f.Write(name, []byte(secret))
}

// InsecureFile is a file or folder whose mode or owner is wrong.
type InsecureFile struct {
	Name    string // below the folder, "." for the folder itself
	Mode    fs.FileMode
	Want    fs.FileMode // 0: the mode is right
	Foreign bool        // it belongs to another user
}

// CheckModes lists files that others may read, that their owner may not, or that belong to another user.
func (f Folder) CheckModes() ([]InsecureFile, error) {
	var found []InsecureFile
	err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // removed since the listing, by a running installation
			return nil
		}
		if errors.Is(err, fs.ErrPermission) && entry != nil { // a folder without permissions is reported by its own mode
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		file := InsecureFile{Mode: info.Mode(), Want: computePrivateMode(info.Mode()), Foreign: isForeign(info)}
		if file.Want != 0 || file.Foreign {
			file.Name, err = filepath.Rel(f.path, path)
			found = append(found, file)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("check the modes in %s: %w", f.path, err)
	}
	return found, nil
}

// RestoreModes restores the modes of all files in the folder, and returns those that were wrong.
func (f Folder) RestoreModes() ([]InsecureFile, error) {
	var restored []InsecureFile
	for {
		found, err := f.CheckModes()
		if err != nil {
			return restored, err
		}
		changed := false
		for _, file := range found {
			if file.Want == 0 || file.Foreign {
				continue
			}
			if err := os.Chmod(f.Path(file.Name), file.Want); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return restored, fmt.Errorf("restore the modes in %s: %w", f.path, err)
			}
			restored = append(restored, file)
			changed = true
		}
		if !changed { // a folder that was not readable is listed again
			return restored, nil
		}
	}
}

// computePrivateMode returns 0 if the mode is right. Programs stay executable for their owner.
func computePrivateMode(mode fs.FileMode) fs.FileMode {
	want := mode.Perm()
	switch {
	case mode.IsDir():
		want = 0o700
	case mode.IsRegular():
		want = mode.Perm()&0o100 | 0o600
	}
	if want == mode.Perm() {
		return 0
	}
	return want
}

func isForeign(info fs.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && int(owner.Uid) != os.Geteuid()
}

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
