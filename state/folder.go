package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"

	"exoshift/internal/fileread"

	"github.com/google/renameio/v2"
)

// Names in a cluster's folder.
const (
	AnswersFile  = "answers.yaml"           // the effective copy
	FactsFile    = "facts.json"             //
	JournalFile  = "journal.jsonl"          // intents and results
	EventsFile   = "events.jsonl"           // every event of every run
	TeardownFile = "destroy.jsonl"          // every event of every teardown
	NodesFile    = "nodes.jsonl"            // every event of every removal of nodes, stop and start
	ChecksFile   = "checks.json"            // the newest connectivity checks of an installation
	LogFile      = "installer.log"          // output of openshift-install
	InstallDir   = "openshift"              // openshift-install's own directory
	HandoverFile = "HANDOVER.md"            // the handover report
	BinDir       = "bin"                    // the verified openshift-install
	IdentityFile = "bootstrap-identity.pem" // in InstallDir: the private keys of the bootstrap machine's servers
	CatalogDir   = "catalog"                // the compiled catalog of Project Syn
	// PasswordsFile has the passwords of the backups, encrypted, from the deletion in Lieutenant until they are seen in Vault again.
	PasswordsFile = "backup-passwords.age"
	StewardFile   = "steward.age" // Steward's manifests, encrypted until they are applied
	KeyFile       = "ssh-key.pem" // a rehearsal's own SSH key
	userDataDir   = "user-data"   // the user-data of each machine
	factsSchema   = 1
)

// Folder is the folder of one cluster's installation: 0700, its files 0600, each written atomically.
type Folder struct {
	path   string
	syncer Syncer // nil: the folder itself is where its state is kept
}

// Syncer stores what was written to a folder where it is kept.
type Syncer interface{ Sync() error }

// WithSyncer returns the folder as a copy of state that is kept elsewhere: each entry of its journal is stored there, with
// everything that was written before, when it is recorded.
func (f Folder) WithSyncer(s Syncer) Folder {
	f.syncer = s
	return f
}

// DefaultPath returns $XDG_STATE_HOME/exoshift/<cluster id>, with ~/.local/state in the variable's place if it is not set.
func DefaultPath(clusterID string) (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the folder of cluster %s: %w; set it with --dir", clusterID, err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "exoshift", clusterID), nil
}

// Create opens the folder at path and creates it if it does not exist.
func Create(path string) (Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Folder{}, fmt.Errorf("make the cluster's folder: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return Folder{}, fmt.Errorf("make the cluster's folder: %w", err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return Folder{}, fmt.Errorf("keep the cluster's folder private: %w", err)
	}
	return Folder{path: path}, nil
}

// Open opens an existing folder; it fails with fs.ErrNotExist if path holds no installation.
func Open(path string) (Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Folder{}, err
	}
	if _, err := os.Stat(filepath.Join(path, AnswersFile)); err != nil {
		return Folder{}, fmt.Errorf("%s contains no installation: %w", path, err)
	}
	return Folder{path: path}, nil
}

// OpenReadOnly returns the folder at path for reading, whether or not it exists yet.
func OpenReadOnly(path string) (Folder, error) {
	path, err := filepath.Abs(path)
	return Folder{path: path}, err
}

// Path returns the path of a file in the folder.
func (f Folder) Path(names ...string) string {
	return filepath.Join(append([]string{f.path}, names...)...)
}

// Write replaces a file atomically.
func (f Folder) Write(name string, content []byte) error {
	path := f.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Read returns the content of a file.
func (f Folder) Read(name string) ([]byte, error) {
	return fileread.Bytes(f.Path(name), fileread.Large)
}

// FormatUserDataFile returns the path of a machine's user-data, relative to the folder.
func FormatUserDataFile(machine string) string { return filepath.Join(userDataDir, machine) }

// SaveUserData stores the user-data of a machine.
func (f Folder) SaveUserData(machine string, userData []byte) error {
	return f.Write(FormatUserDataFile(machine), userData)
}

// LoadFacts returns the facts of the installation; a missing file is no error. It fails with a *DamageError if the file
// is not as it was saved.
func (f Folder) LoadFacts() (Facts, error) {
	content, err := f.Read(FactsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Facts{Schema: factsSchema}, nil
	}
	if err != nil {
		return Facts{}, fmt.Errorf("read the installation's facts: %w", err)
	}
	if _, err := verifyChecksum(content); err != nil {
		return Facts{}, &DamageError{f.path, FactsFile, err}
	}
	facts, err := parseFacts(content)
	if err != nil {
		return Facts{}, &DamageError{f.path, FactsFile, err}
	}
	if facts.Schema != factsSchema {
		return Facts{}, fmt.Errorf("%s has schema %d; this version of exoshift reads %d", f.Path(FactsFile), facts.Schema, factsSchema)
	}
	return facts, nil
}

// SaveFacts replaces the facts.
func (f Folder) SaveFacts(facts Facts) error {
	facts.Schema = factsSchema
	content, err := json.MarshalIndent(facts, "", "  ")
	if err != nil {
		return fmt.Errorf("save the installation's facts: %w", err)
	}
	return f.Write(FactsFile, append(appendChecksum(content, "\n  ", "\n}"), '\n'))
}

func parseFacts(content []byte) (Facts, error) {
	var facts Facts
	err := json.Unmarshal(content, &facts)
	return facts, err
}

// Append opens a file of lines for appending, e.g. the events. A partial last line of a killed process is terminated, so
// that the next one is whole.
func (f Folder) Append(name string) (*os.File, error) {
	file, err := os.OpenFile(f.Path(name), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if err = fileread.Check(file, math.MaxInt64); err == nil {
		err = endTornLine(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", name, err), file.Close())
	}
	return file, nil
}

func endTornLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.WriteString("\n")
	return err
}

// Lock takes the folder's lock for this process and writes heartbeats until unlock is called. It fails with a
// *LockedError if another process holds it.
func (f Folder) Lock(ctx context.Context) (unlock func(), err error) {
	release, taken, err := tryLock(f)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", f.path, err)
	}
	if !taken {
		return nil, &LockedError{Path: f.path, Holder: readHolder(f)}
	}
	if err := writeHeartbeat(f); err != nil {
		release()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // held until unlock
	var beating sync.WaitGroup
	beating.Go(func() { keepBeating(ctx, f) })
	return func() {
		stop()
		beating.Wait()
		_ = os.Remove(f.Path(holderFile))
		release()
	}, nil
}

// IsLocked reports whether a run holds the folder's lock.
func (f Folder) IsLocked() bool {
	if _, err := os.Stat(f.path); err != nil {
		return false
	}
	release, free, err := tryLock(f)
	if free {
		release()
	}
	return err == nil && !free
}

// Remove removes a file of the folder; a missing one is no error.
func (f Folder) Remove(name string) error {
	if err := os.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", f.Path(name), err)
	}
	return nil
}

// ChecksPath returns the folder of runs that create a short-lived machine in the zone for connectivity checks:
// $XDG_STATE_HOME/exoshift/.checks, with ~/.local/state in the variable's place if it is not set.
func ChecksPath() (string, error) { return DefaultPath(".checks") }

// ConformancePath returns the folder with the records of conformance runs: $XDG_STATE_HOME/exoshift/.conformance, with
// ~/.local/state in the variable's place if it is not set.
func ConformancePath() (string, error) { return DefaultPath(".conformance") }
