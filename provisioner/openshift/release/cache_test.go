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
	"exoshift/provisioner/openshift/release"

	"github.com/gofrs/flock"
)

func (m *mirror) fetchAgain(t *testing.T, downloads int) {
	t.Helper()
	if err := fetch(t.Context(), m.installer()); err != nil {
		t.Fatal(err)
	}
	if got := m.requests(directory + archiveName("4.20.5")); got != downloads {
		t.Errorf("downloaded %d times, want %d", got, downloads)
	}
}

func TestCache_CompleteEntryIsOffline(t *testing.T) {
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
		for name, mode := range map[string]os.FileMode{"openshift-install": 0o700, "sha256sum.txt": 0o600, "sha256sum.txt.gpg": 0o600, archiveName("4.20.5"): 0o600, "lock": 0o600, ".": 0o700} {
			if info, err := os.Stat(filepath.Join(m.place("4.20.5"), name)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	})
}

// Whoever can write to the cache can write all of it: nothing there is trusted but the publisher's signature.
func TestCache_RepairsDamagedEntry(t *testing.T) {
	const other = "#!/bin/sh\necho forged >&2\n"
	for name, c := range map[string]struct {
		damage    func(*testing.T, *mirror, string)
		downloads int
	}{
		"another program": {func(t *testing.T, _ *mirror, dir string) {
			writeManifest(t, filepath.Join(dir, "openshift-install"), versionScript+"# more")
		}, 1},
		"a program that was cut": {func(t *testing.T, _ *mirror, dir string) {
			writeManifest(t, filepath.Join(dir, "openshift-install"), versionScript[:20])
		}, 1},
		"no program": {func(t *testing.T, _ *mirror, dir string) { remove(t, filepath.Join(dir, "openshift-install")) }, 1},
		"another archive": {func(t *testing.T, _ *mirror, dir string) {
			writeManifest(t, filepath.Join(dir, archiveName("4.20.5")), string(pack(t, map[string]string{"openshift-install": other})))
		}, 2},
		"another archive and program": {func(t *testing.T, _ *mirror, dir string) {
			writeManifest(t, filepath.Join(dir, archiveName("4.20.5")), string(pack(t, map[string]string{"openshift-install": other})))
			writeManifest(t, filepath.Join(dir, "openshift-install"), other)
		}, 2},
		"another list, archive and program": {func(t *testing.T, _ *mirror, dir string) {
			archive := pack(t, map[string]string{"openshift-install": other})
			writeManifest(t, filepath.Join(dir, "sha256sum.txt"), sum(archive)+"  "+archiveName("4.20.5")+"\n")
			writeManifest(t, filepath.Join(dir, archiveName("4.20.5")), string(archive))
			writeManifest(t, filepath.Join(dir, "openshift-install"), other)
		}, 2},
		"all of it, signed by somebody": {func(t *testing.T, _ *mirror, dir string) {
			archive := pack(t, map[string]string{"openshift-install": other})
			list := sum(archive) + "  " + archiveName("4.20.5") + "\n"
			writeManifest(t, filepath.Join(dir, "sha256sum.txt"), list)
			writeManifest(t, filepath.Join(dir, "sha256sum.txt.gpg"), string(detached(t, newSigner(t, 0), []byte(list), nil)))
			writeManifest(t, filepath.Join(dir, archiveName("4.20.5")), string(archive))
			writeManifest(t, filepath.Join(dir, "openshift-install"), other)
		}, 2},
		"no list":      {func(t *testing.T, _ *mirror, dir string) { remove(t, filepath.Join(dir, "sha256sum.txt")) }, 2},
		"no signature": {func(t *testing.T, _ *mirror, dir string) { remove(t, filepath.Join(dir, "sha256sum.txt.gpg")) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t)
				m.publish(t, versionScript)
				m.fetchAgain(t, 1)
				if m.said("damaged") {
					t.Errorf("an empty cache was called damaged: %q", m.logged)
				}
				c.damage(t, m, m.place("4.20.5"))
				m.fetchAgain(t, c.downloads)
				if !m.said("damaged") || m.said("forged") {
					t.Errorf("it was run, or it was not said: %q", m.logged)
				}
				if program, err := os.ReadFile(filepath.Join(m.place("4.20.5"), "openshift-install")); string(program) != versionScript {
					t.Errorf("%q, %v", program, err)
				}
				m.fetchAgain(t, c.downloads)
			})
		})
	}
}

func TestInstaller_RefusesChangedProgram(t *testing.T) {
	m := newMirror(t)
	m.publish(t, versionScript)
	i := m.installer()
	if err := fetch(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	writeManifest(t, filepath.Join(m.place("4.20.5"), "openshift-install"), versionScript+"echo forged >&2\n")
	if _, err := i.FindBootImage(t.Context()); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "was changed after it was verified") || m.said("forged") {
		t.Errorf("%v, logged %q", err, m.logged)
	}
}

func TestInstaller_RefusesACacheOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		open func(m *mirror) (string, os.FileMode)
		want string
	}{
		"the cache":  {func(m *mirror) (string, os.FileMode) { return m.cache, 0o777 }, "can be written by group or others (mode 0777)"},
		"the entry":  {func(m *mirror) (string, os.FileMode) { return m.place("4.20.5"), 0o770 }, "can be written by group or others (mode 0770)"},
		"in between": {func(m *mirror) (string, os.FileMode) { return filepath.Dir(m.place("4.20.5")), 0o702 }, "can be written by group or others (mode 0702)"},
		"the program": {func(m *mirror) (string, os.FileMode) {
			return filepath.Join(m.place("4.20.5"), "openshift-install"), 0o722
		}, "can be written by group or others (mode 0722)"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t)
			m.publish(t, versionScript)
			m.fetchAgain(t, 1)
			m.logged = nil
			path, mode := c.open(m)
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), path+" "+c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestInstaller_RefusesForeignCache(t *testing.T) {
	m := newMirror(t)
	m.publish(t, versionScript)
	m.cache = "/usr" // owned by root; for root, by another user
	if os.Geteuid() == 0 {
		m.cache = filepath.Join(t.TempDir(), "cache")
		if err := errors.Join(os.Mkdir(m.cache, 0o700), os.Chown(m.cache, 12345, -1)); err != nil {
			t.Skip("the owner of a folder cannot be changed here: ", err)
		}
	}
	err := release.CheckPrivate(m.cache)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "belongs to the user") {
		t.Errorf("%v", err)
	}
}

func TestCache_RemovesKilledUnpack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.cache = filepath.Join(m.cache, "[a]*[") // special characters of glob patterns
		m.publish(t, versionScript)
		if err := os.MkdirAll(m.place("4.20.5"), 0o700); err != nil {
			t.Fatal(err)
		}
		half := filepath.Join(m.place("4.20.5"), ".openshift-install123")
		writeManifest(t, half, versionScript[:9])
		m.fetchAgain(t, 1)
		if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is there: %v", err)
		}
	})
}

func TestCache_SeparatesSigners(t *testing.T) {
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

func TestCache_ConcurrentRunsDownloadOnce(t *testing.T) {
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

func TestCache_LockWaitIsCancellable(t *testing.T) {
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
		var lines []string
		_, err := m.installer().Fetch(ctx, "", func(text string) { lines = append(lines, text) })
		if !errors.Is(err, stopped) || len(lines) != 1 || !strings.Contains(lines[0], "waiting for another exoshift") {
			t.Errorf("told %q, %v", lines, err)
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
