// Package installdir is openshift-install's own directory: what it generates is prepared, published as a whole, read again, and stripped
// of what only the bootstrap needed.
package installdir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/google/renameio/v2"
)

const (
	recordFile        = "generation.json"
	bootstrapIgnition = "bootstrap.ign"
)

// record is how a directory was generated.
type record struct {
	Version string `json:"version"`
	Inputs  string `json:"inputs,omitzero"` // sha256 of the inputs, hex
	// Validity of the first certificates, kept when bootstrap.ign is deleted.
	Created time.Time `json:"created,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
}

// bootstrapFiles are those that only the bootstrap needs: they hold every private key of the cluster.
var bootstrapFiles = []string{bootstrapIgnition, ".openshift_install_state.json", "tls"} //nolint:gochecknoglobals // a table that nothing changes

// hashInputs is independent of where the inputs were found.
func hashInputs(wanted state.Generation) string {
	hash := sha256.New()
	wanted.Manifests = slices.Clone(wanted.Manifests)
	for m := range wanted.Manifests {
		wanted.Manifests[m].Source = ""
	}
	// Strings and booleans only: encoding them cannot fail, nor can hashing.
	_ = json.NewEncoder(hash).Encode(wanted)
	return hex.EncodeToString(hash.Sum(nil))
}

// IsOutdated reports whether a generation is known to be made from other inputs.
func IsOutdated(dir string, wanted state.Generation) bool {
	var made record
	err := loadJSON(filepath.Join(dir, recordFile), &made)
	return err == nil && made.Inputs != "" && made.Inputs != hashInputs(wanted)
}

// MakeWorkDir creates a directory beside dir, and removes those that interrupted runs left: they hold keys.
func MakeWorkDir(dir string) (string, error) {
	parent, prefix := filepath.Dir(dir), "."+filepath.Base(dir)+"-"
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	stale, err := fs.Glob(os.DirFS(parent), prefix+"*.unfinished")
	if err != nil {
		return "", err
	}
	for _, name := range stale {
		if err := os.RemoveAll(filepath.Join(parent, name)); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(parent, prefix+"*.unfinished")
}

// Publish makes work, which a version has generated from the inputs, the finished generation in dir: hide removes the secrets from the
// program's log, others lose access, and the directory is renamed.
func Publish(work, dir, version string, wanted state.Generation, hide func(string) string) error {
	err := cleanLog(filepath.Join(work, logFile), hide)
	if err == nil {
		err = saveRecord(work, record{Version: version, Inputs: hashInputs(wanted)})
	}
	if err == nil {
		err = makePrivate(work)
	}
	if err == nil {
		err = os.Rename(work, dir)
	}
	if err != nil {
		return fault.New(fault.Internal, "keep the Ignition documents", err)
	}
	return nil
}

func saveRecord(work string, made record) error {
	content, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(work, recordFile), content, 0o600)
}

// logFile is the program's own log, with more detail than its output.
const logFile = ".openshift_install.log"

func cleanLog(path string, hide func(string) string) error {
	noted, err := fileread.Bytes(path, fileread.Lines)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	clean := hide(string(noted))
	if clean == string(noted) {
		return nil
	}
	return renameio.WriteFile(path, []byte(clean), 0o600)
}

// makePrivate removes the permissions of group and others: openshift-install makes some of its files readable for the group, keys
// among them.
func makePrivate(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o600)
		if entry.IsDir() {
			mode = 0o700
		}
		return os.Chmod(path, mode)
	})
}

// Strip removes from a finished generation what only the bootstrap machine needed, after recording what is still needed of it. It
// does nothing for a generation that is already stripped, or that does not exist.
func Strip(dir string) error {
	if err := strip(dir); err != nil {
		return fault.New(fault.Internal, "remove the keys of the bootstrap from "+dir, err)
	}
	return nil
}

func strip(dir string) error {
	bootstrap, err := fileread.Bytes(filepath.Join(dir, bootstrapIgnition), fileread.Large)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil {
		var made record
		if err := loadJSON(filepath.Join(dir, recordFile), &made); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if made.Created, made.Expires, err = parseValidity(bootstrap); err != nil {
			return err
		}
		if err := saveRecord(dir, made); err != nil {
			return err
		}
	}
	for _, name := range bootstrapFiles {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// IsComplete reports whether all files exist that an installation needs, or still needs.
func IsComplete(dir string) bool {
	names := []string{"metadata.json", "master.ign", "worker.ign", "auth/kubeconfig"}
	if !isStripped(dir) {
		names = append(names, bootstrapIgnition)
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			return false
		}
	}
	return true
}

// isStripped reports whether a generation lacks what only the bootstrap machine needed, or is about to.
func isStripped(dir string) bool {
	var made record
	err := loadJSON(filepath.Join(dir, recordFile), &made)
	return err == nil && !made.Created.IsZero()
}
