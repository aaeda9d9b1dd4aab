package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/state"

	"github.com/google/renameio/v2"
)

const generationFile = "generation.json"

const bootstrapIgnition = "bootstrap.ign"

type generation struct {
	Version string `json:"version"`
	Inputs  string `json:"inputs,omitzero"` // sha256 of the inputs, hex
	// Validity of the first certificates, kept when bootstrap.ign is deleted.
	Created time.Time `json:"created,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
}

// listBootstrapFiles returns the files that only the bootstrap needs: they hold every private key of the cluster.
func listBootstrapFiles() []string {
	return []string{bootstrapIgnition, ".openshift_install_state.json", "tls"}
}

// Generate runs openshift-install in a temporary directory and renames that to dir when all is done: dir is a finished generation
// or does not exist. An existing one is only read, whatever is wanted: its keys and its infrastructure ID may be in use. said is
// called if it was made from other inputs.
func (i *Installer) Generate(ctx context.Context, dir string, wanted state.Generation, said func(line string)) (state.Ignition, error) {
	if isComplete(dir) {
		if isOutdated(dir, wanted) {
			said("The answers or manifests have changed since the documents were generated; those that are there are used")
		}
		return i.readIgnition(dir)
	}
	// Rmdir removes only an empty directory; any other content must stay.
	if err := syscall.Rmdir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return state.Ignition{}, fault.New(fault.Conflict, "generate the Ignition documents", err).
			WithHint("%s is no finished generation; move it away and run again", dir)
	}
	if err := i.generate(ctx, dir, wanted, said); err != nil {
		return state.Ignition{}, err
	}
	return i.readIgnition(dir)
}

// Try runs openshift-install on the inputs and discards the result. It fails with fault.Invalid for what Generate would refuse.
func (i *Installer) Try(ctx context.Context, dir string, wanted state.Generation) error {
	return i.withWorkspace(dir, wanted, func(w workspace) error { return i.createManifests(ctx, w) })
}

func (i *Installer) generate(ctx context.Context, dir string, wanted state.Generation, said func(line string)) error {
	return i.withWorkspace(dir, wanted, func(w workspace) error {
		// Messages name the final directory.
		w.onMessage = func(line string) { said(strings.ReplaceAll(line, w.dir, dir)) }
		if err := i.createManifests(ctx, w); err != nil {
			return err
		}
		if err := i.create(ctx, w, "ignition-configs"); err != nil {
			return err
		}
		if !isComplete(w.dir) {
			return fault.Newf(fault.Internal, "generate the Ignition documents", "%s ended well but left files out", i.name())
		}
		return publish(w.dir, dir, w.mask, generation{Version: i.version, Inputs: hashInputs(wanted)})
	})
}

type workspace struct {
	dir       string
	wanted    state.Generation
	mask      masker
	onMessage func(line string)
}

func (i *Installer) withWorkspace(dir string, wanted state.Generation, work func(workspace) error) error {
	if _, err := i.verifyProgram(); err != nil {
		return err
	}
	place, err := makeWorkDir(dir)
	if err != nil {
		return fault.New(fault.Internal, "make room for openshift-install", err)
	}
	defer os.RemoveAll(place)
	return work(workspace{dir: place, wanted: wanted, mask: newMasker(wanted), onMessage: func(string) {}})
}

func (i *Installer) createManifests(ctx context.Context, w workspace) error {
	// The program deletes this copy after reading it.
	if err := os.WriteFile(filepath.Join(w.dir, "install-config.yaml"), w.wanted.InstallConfig, 0o600); err != nil {
		return fault.New(fault.Internal, "write install-config.yaml", err)
	}
	if err := i.create(ctx, w, "manifests"); err != nil {
		return err
	}
	return prepareManifests(w.dir, w.wanted, func(line string) { i.log(line); w.onMessage(line) })
}

func (i *Installer) create(ctx context.Context, w workspace, target string) error {
	program, err := i.verifyProgram()
	if err != nil {
		return err
	}
	args := []string{"create", target, "--dir", w.dir, "--log-level", "info"}
	return i.run(ctx, execution{program: program, args: args, mask: w.mask, onMessage: w.onMessage})
}

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

// isOutdated reports whether a generation is known to be made from other inputs.
func isOutdated(dir string, wanted state.Generation) bool {
	var made generation
	err := loadJSON(filepath.Join(dir, generationFile), &made)
	return err == nil && made.Inputs != "" && made.Inputs != hashInputs(wanted)
}

// makeWorkDir creates a directory beside dir, and removes those that interrupted runs left: they hold keys.
func makeWorkDir(dir string) (string, error) {
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

// publish writes the record of the generation, removes access for others, and renames the directory.
func publish(work, dir string, mask masker, made generation) error {
	err := cleanLog(filepath.Join(work, logFile), mask)
	if err == nil {
		err = saveRecord(work, made)
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

func saveRecord(work string, made generation) error {
	content, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(work, generationFile), content, 0o600)
}

// logFile is the program's own log, with more detail than its output.
const logFile = ".openshift_install.log"

func cleanLog(path string, mask masker) error {
	noted, err := fileread.Bytes(path, fileread.Lines)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	clean := mask.hide(string(noted))
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

// Strip is the function of the same name.
func (*Installer) Strip(dir string) error { return Strip(dir) }

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
		var made generation
		if err := loadJSON(filepath.Join(dir, generationFile), &made); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if made.Created, made.Expires, err = parseValidity(bootstrap); err != nil {
			return err
		}
		if err := saveRecord(dir, made); err != nil {
			return err
		}
	}
	for _, name := range listBootstrapFiles() {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// isComplete reports whether all files exist that an installation needs, or still needs.
func isComplete(dir string) bool {
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
	var made generation
	err := loadJSON(filepath.Join(dir, generationFile), &made)
	return err == nil && !made.Created.IsZero()
}
