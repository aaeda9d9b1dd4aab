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

// told are the files of a folder that tell what happened. Whatever is not named here and was not gathered is never
// packed.
func told() []string {
	return []string{
		state.AnswersFile, state.FactsFile, state.JournalFile, state.EventsFile, state.LogFile, state.TeardownFile, "inventory.json",
	}
}

// secretLimit is how much of a file is read to learn its secrets, in bytes.
const secretLimit = 32 << 20

// shown lists the files to be packed: what happened, then what was gathered, the newest first.
func shown(folder state.Folder, content fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(content, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range told() {
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() }) {
			names = append(names, name)
		}
	}
	gatherings, err := folder.Gatherings()
	for _, dir := range gatherings {
		err = errors.Join(err, eachFile(content, dir, func(name string) error {
			names = append(names, name)
			return nil
		}))
	}
	return names, err
}

// learn reads what is not packed, except for programs. What cannot be read is an error: nobody could say that its secrets
// are not in the bundle.
func learn(folder fs.FS, packed []string, redactor *redact.Redactor) error {
	return eachFile(folder, ".", func(name string) error {
		if slices.Contains(packed, name) || strings.HasPrefix(name, state.BinDir+"/") {
			return nil
		}
		content, _, err := end(folder, name, secretLimit)
		if err != nil {
			return err
		}
		whole(name, content, redactor)
		redactor.Learn(content)
		return nil
	})
}

// whole tells the secrets that have no form: the password of kubeadmin and what was typed for an interview, each of which
// is all that its file holds, and the fields of the API keys.
func whole(name string, content []byte, redactor *redact.Redactor) {
	switch {
	case path.Base(name) == "kubeadmin-password":
		redactor.Secret(redact.Password, string(bytes.TrimSpace(content)))
	case strings.HasPrefix(name, state.SecretsDir+"/"):
		redactor.Secret(redact.Key, string(bytes.TrimSpace(content)))
	case strings.HasPrefix(name, "api-keys/"):
		var fields map[string]string
		if json.Unmarshal(content, &fields) == nil {
			for _, value := range fields {
				redactor.Secret(redact.Key, value)
			}
		}
	}
}

// eachFile calls visit with every ordinary file below a folder, in the order of the names.
func eachFile(folder fs.FS, dir string, visit func(name string) error) error {
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
