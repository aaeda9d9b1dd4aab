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

// listRecordFiles are the files of a folder that tell what happened. Whatever is not named here and was not gathered is never
// packed.
func listRecordFiles() []string {
	return []string{
		state.AnswersFile, state.FactsFile, state.JournalFile, state.EventsFile, state.LogFile, state.TeardownFile, "inventory.json",
	}
}

// secretLimit is how much of a file is read to learn its secrets, in bytes.
const secretLimit = 32 << 20

// listFiles lists the files to be packed: what happened, then what was gathered, the newest first.
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

// collectSecrets reads what is not packed, except for programs. What cannot be read is an error: nobody could say that its secrets
// are not in the bundle.
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

// addSecrets tells the secrets that have no form: the password of kubeadmin and what was typed for an interview, each of which
// is all that its file holds, and the fields of the API keys.
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

// walkFiles calls visit with every ordinary file below a folder, in the order of the names.
func walkFiles(folder fs.FS, dir string, visit func(name string) error) error {
	return fs.WalkDir(folder, dir, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // gone while we looked: a run is going on
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return visit(name)
	})
}
