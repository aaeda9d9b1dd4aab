package release_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"

	"github.com/gofrs/flock"
)

// fetchAgain fetches and counts the downloads of the archive so far.
func (m *mirror) fetchAgain(t *testing.T, downloads int) {
	t.Helper()
	if err := fetch(t.Context(), m.installer()); err != nil {
		t.Fatal(err)
	}
	if got := m.requests(directory + archiveName("4.20.5")); got != downloads {
		t.Errorf("downloaded %d times, want %d", got, downloads)
	}
}

func TestACompleteEntryIsUsedWithoutTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		m.fetchAgain(t, 1)
		asked := len(m.served)
		clear(m.files)
		m.fetchAgain(t, 1)
		if len(m.served) != asked {
			t.Errorf("it asked for %v", m.served)
		}
		for name, mode := range map[string]os.FileMode{"openshift-install": 0o700, "note.json": 0o600, "lock": 0o600, ".": 0o700} {
			if info, err := os.Stat(filepath.Join(m.place("4.20.5"), name)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	})
}

func TestADamagedEntryIsFetchedAgain(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, string){
		"another program": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "openshift-install"), versionScript+"# more")
		},
		"a program that was cut": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "openshift-install"), versionScript[:20])
		},
		"no note":    func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "note.json")) },
		"no program": func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "openshift-install")) },
		"half a note": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "note.json"), `{"version":"4.20.5","sha`)
		},
		"a note of another version": func(t *testing.T, dir string) {
			path := filepath.Join(dir, "note.json")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, strings.Replace(string(content), "4.20.5", "4.20.4", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t)
				m.publish(t, versionScript)
				m.fetchAgain(t, 1)
				if m.said("damaged") {
					t.Errorf("an empty cache was called damaged: %q", m.logged)
				}
				damage(t, m.place("4.20.5"))
				m.fetchAgain(t, 2)
				if !m.said("damaged") {
					t.Errorf("it was not said: %q", m.logged)
				}
				m.fetchAgain(t, 2)
			})
		})
	}
}

func TestWhatAKilledRunHalfUnpackedGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.cache = filepath.Join(m.cache, "[a]*[") // it means something in patterns
		m.publish(t, versionScript)
		if err := os.MkdirAll(m.place("4.20.5"), 0o700); err != nil {
			t.Fatal(err)
		}
		half := filepath.Join(m.place("4.20.5"), ".openshift-install123")
		write(t, half, versionScript[:9])
		m.fetchAgain(t, 1)
		if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is there: %v", err)
		}
	})
}

func TestWhatOneSignerVouchedForIsNotUsedUnderAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		m.fetchAgain(t, 1)
		m.signer = newSigner(t, 0)
		m.net.ReleaseKey = armored(t, m.signer)
		if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Invalid) {
			t.Errorf("with another key: %v", err)
		}
		m.sign(t)
		m.fetchAgain(t, 2)
	})
}

func TestTwoRunsDownloadOnce(t *testing.T) {
	m := newMirror(t)
	m.publish(t, versionScript)
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			if err := fetch(t.Context(), m.installer()); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if got := m.requests(directory + archiveName("4.20.5")); got != 1 {
		t.Errorf("downloaded %d times", got)
	}
}

func TestTheWaitForAnotherRunIsToldAndCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		if err := os.MkdirAll(m.place("4.20.5"), 0o700); err != nil {
			t.Fatal(err)
		}
		other := flock.New(filepath.Join(m.place("4.20.5"), "lock"))
		if locked, err := other.TryLock(); !locked || err != nil {
			t.Fatal(locked, err)
		}
		stopped := errors.New("stopped")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stopped)
		defer cancel()
		var told []string
		_, err := m.installer().Fetch(ctx, "", func(text string) { told = append(told, text) })
		if !errors.Is(err, stopped) || len(told) != 1 || !strings.Contains(told[0], "waiting for another exoshift") {
			t.Errorf("told %q, %v", told, err)
		}
		if err := other.Unlock(); err != nil {
			t.Fatal(err)
		}
		m.fetchAgain(t, 1)
	})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
