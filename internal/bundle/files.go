package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"exoshift/internal/redact"
	"exoshift/state"
)

// listRecordFiles is an allowlist: files that are neither listed here nor gathered are never packed.
func listRecordFiles() []string {
	return []string{
		state.AnswersFile, state.FactsFile, state.JournalFile, state.EventsFile, state.LogFile, state.TeardownFile, state.NodesFile, state.ChecksFile, "inventory.json",
	}
}

// secretLimit is in bytes per file.
const secretLimit = 32 << 20

func listFiles(folder state.Folder, content fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(content, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range listRecordFiles() {
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() }) {
			names = append(names, name)
		}
	}
	gatherings, err := folder.ListGathered()
	for _, dir := range gatherings {
		err = errors.Join(err, walkFiles(content, dir, func(name string) error {
			names = append(names, name)
			return nil
		}))
	}
	return names, err
}

// collectSecrets reads the files that are not packed, except for programs. An unreadable file is an error: its secrets could
// be in the bundle.
func collectSecrets(folder fs.FS, packed []string, redactor *redact.Redactor) error {
	return walkFiles(folder, ".", func(name string) error {
		if slices.Contains(packed, name) || strings.HasPrefix(name, state.BinDir+"/") {
			return nil
		}
		content, _, err := readTail(folder, name, secretLimit)
		if err != nil {
			return err
		}
		addSecrets(name, content, redactor)
		redactor.ScanSecrets(content)
		return nil
	})
}

// addSecrets adds the secrets that no pattern matches: the password of kubeadmin and the secrets typed in an interview, each
// of which is the whole content of its file, and the fields of the API keys.
func addSecrets(name string, content []byte, redactor *redact.Redactor) {
	switch {
	case path.Base(name) == "kubeadmin-password":
		redactor.AddSecret(redact.Password, string(bytes.TrimSpace(content)))
	case strings.HasPrefix(name, state.SecretsDir+"/"):
		redactor.AddSecret(redact.Key, string(bytes.TrimSpace(content)))
	case strings.HasPrefix(name, "api-keys/"):
		var fields map[string]string
		if json.Unmarshal(content, &fields) == nil {
			for _, value := range fields {
				redactor.AddSecret(redact.Key, value)
			}
		}
	}
}

func walkFiles(folder fs.FS, dir string, visit func(name string) error) error {
	return fs.WalkDir(folder, dir, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile by a run in progress
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return visit(name)
	})
}
