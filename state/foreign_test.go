package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/state"
)

// A pipe, a directory or a device in place of the folder's files is an error at once, without blocking.
func TestFolder_RequiresRegularFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"a device":    func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		for file, use := range map[string]func(state.Folder) error{
			state.FactsFile:   func(f state.Folder) error { _, err := f.LoadFacts(); return err },
			state.AnswersFile: func(f state.Folder) error { _, err := f.Read(state.AnswersFile); return err },
			state.JournalFile: func(f state.Folder) error { _, err := f.OpenJournal(time.Now); return err },
			state.EventsFile:  func(f state.Folder) error { _, err := f.Append(state.EventsFile); return err },
			"lock":            func(f state.Folder) error { _, err := f.Lock(t.Context()); return err },
		} {
			t.Run(name+" as "+file, func(t *testing.T) {
				folder, err := state.Create(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if err := put(folder.Path(file)); err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() { done <- use(folder) }()
				timeout := time.NewTimer(10 * time.Minute)
				defer timeout.Stop()
				select {
				case err := <-done:
					if err == nil || !strings.Contains(err.Error(), filepath.Base(file)) ||
						!strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "is a directory") {
						t.Errorf("%v", err)
					}
				case <-timeout.C:
					t.Fatal("it waits")
				}
			})
		}
	}
}
