package release_test

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"

	"github.com/google/go-cmp/cmp"
)

func resumable(t *testing.T) *mirror {
	t.Helper()
	m := newMirror(t)
	m.publish(t, versionScript+"# "+noise(5000))
	m.archive().tag = `"one"`
	return m
}

// noise returns text that hardly compresses.
func noise(size int) string {
	bytes := make([]byte, (size+1)/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(bytes)
	return hex.EncodeToString(bytes)[:size]
}

// stop kills a download after so many bytes were stored.
func (m *mirror) stop(t *testing.T, after int) {
	t.Helper()
	m.archive().cuts = []int{after, 0, 0}
	if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Transient) {
		t.Fatalf("a download that is cut: %v", err)
	}
	m.asked = nil
}

func (m *mirror) partFile() string {
	return filepath.Join(m.place("4.20.5"), archiveName("4.20.5")+".part")
}

func TestFetch_ResumesDownload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := resumable(t)
		m.archive().cuts = []int{1000, 700}
		if err := fetch(t.Context(), m.installer()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{`bytes=1000- "one"`, `bytes=1700- "one"`}, m.asked); diff != "" {
			t.Errorf("asked for (-want +got):\n%s", diff)
		}
		if !m.said("resuming") {
			t.Errorf("it was not said: %q", m.logged)
		}
	})
}

func TestFetch_SlowDownloadContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript+"# "+noise(10_000_000))
		m.archive().tag, m.archive().cuts = `"one"`, []int{1_100_000, 1_100_000, 1_100_000, 1_100_000}
		if err := fetch(t.Context(), m.installer()); err != nil {
			t.Error(err)
		}
	})
}

func TestFetch_NextRunResumes(t *testing.T) {
	for name, test := range map[string]struct {
		between func(*testing.T, *mirror)
		asked   []string
	}{
		"as it was": {func(*testing.T, *mirror) {}, []string{`bytes=1000- "one"`}},
		"the file is another one by its tag": {func(_ *testing.T, m *mirror) {
			m.archive().tag = `"two"`
		}, []string{`bytes=1000- "one"`}},
		"the server knows no ranges any more": {func(_ *testing.T, m *mirror) {
			m.archive().tag = ""
		}, []string{`bytes=1000- "one"`}},
		"the part is longer than the file": {func(t *testing.T, m *mirror) {
			writeManifest(t, m.partFile(), noise(9000))
		}, []string{`bytes=9000- "one"`}},
		"the part is longer than the file, and the file is cut": {func(t *testing.T, m *mirror) {
			writeManifest(t, m.partFile(), noise(9000))
			m.archive().cuts = []int{0, 0, 0, 0, 1000}
		}, []string{`bytes=9000- "one"`, `bytes=1000- "one"`}},
		"the part is damaged": {func(t *testing.T, m *mirror) {
			writeManifest(t, m.partFile(), noise(1000))
		}, []string{`bytes=1000- "one"`}},
		"the part is whole": {func(t *testing.T, m *mirror) {
			writeManifest(t, m.partFile(), string(m.archive().content))
		}, nil},
		"the note is lost": {func(t *testing.T, m *mirror) {
			if err := os.Remove(m.partFile() + ".json"); err != nil {
				t.Fatal(err)
			}
		}, nil},
		"another archive is published": {func(t *testing.T, m *mirror) {
			m.publish(t, versionScript+"# "+noise(6000))
			m.archive().tag = `"one"`
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := resumable(t)
				m.stop(t, 1000)
				test.between(t, m)
				if err := fetch(t.Context(), m.installer()); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.asked, m.asked); diff != "" {
					t.Errorf("asked for (-want +got):\n%s", diff)
				}
				left := m.cached(t)
				slices.Sort(left)
				if diff := cmp.Diff([]string{"openshift-install", archiveName("4.20.5"), "sha256sum.txt", "sha256sum.txt.gpg"}, left); diff != "" {
					t.Errorf("left (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestFetch_IgnoresWeakETag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := resumable(t)
		m.archive().tag = `W/"one"`
		m.stop(t, 1000)
		if err := fetch(t.Context(), m.installer()); err != nil || !slices.Equal(m.asked, []string{"bytes=1000-"}) {
			t.Errorf("%v, asked for %q", err, m.asked)
		}
	})
}

func TestFetch_DeletesMismatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := resumable(t)
		m.stop(t, 1000)
		m.archive().content = slices.Concat(m.archive().content[:2000], []byte(noise(50)))
		err := fetch(t.Context(), m.installer())
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "sha256") || !strings.Contains(err.Error(), archiveName("4.20.5")) {
			t.Errorf("kind %v: %v", fault.KindOf(err), err)
		}
		if left := m.cached(t); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if got := m.requests(directory + archiveName("4.20.5")); got != 3+2 {
			t.Errorf("%d requests, want the rest and once more the whole after 3 for the part", got)
		}
	})
}

func TestFetch_LoginPageKeepsPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := resumable(t)
		m.stop(t, 1000)
		intact := *m.archive()
		*m.archive() = file{content: []byte("<html>log in")}
		if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "web page") {
			t.Errorf("a login page: %v", err)
		}
		*m.archive() = intact
		m.asked = nil
		if err := fetch(t.Context(), m.installer()); err != nil || !slices.Equal(m.asked, []string{`bytes=1000- "one"`}) {
			t.Errorf("afterwards: %v, asked for %q", err, m.asked)
		}
	})
}

func TestFetch_StopKeepsPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := resumable(t)
		m.archive().pause = 30 * time.Second
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Second, func() { cancel(stopped) })
		started := time.Now()
		if err := fetch(ctx, m.installer()); !errors.Is(err, stopped) || time.Since(started) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(started), err)
		}
		if info, err := os.Stat(m.partFile()); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("the part: %v, %v", info, err)
		}
	})
}

func TestFetch_ReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript+"# "+noise(5_000_000))
		m.archive().pause = 20 * time.Second
		var lines []string
		if _, err := m.installer().Fetch(t.Context(), "", func(text string) { lines = append(lines, text) }); err != nil {
			t.Fatal(err)
		}
		if len(lines) < 2 || len(lines) > 4 || !strings.HasPrefix(lines[0], "downloading openshift-install 4.20.5: 0 of ") || !strings.HasSuffix(lines[0], " MB") {
			t.Errorf("told %q", lines)
		}
	})
}

func TestFetch_RedirectsToHTTPSOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		m.archive().leads = "http://mirror.openshift.com/elsewhere"
		if err := fetch(t.Context(), m.installer()); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "unencrypted") {
			t.Errorf("kind %v: %v", fault.KindOf(err), err)
		}
	})
}

func TestFetch_RefusesUntrustedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		m.net.Roots = x509.NewCertPool()
		started := time.Now()
		err := fetch(t.Context(), m.installer())
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "not trusted") || strings.Contains(err.Error(), "cluster") || time.Since(started) > time.Second {
			t.Errorf("kind %v: %v", fault.KindOf(err), err)
		}
	})
}

func writeManifest(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
