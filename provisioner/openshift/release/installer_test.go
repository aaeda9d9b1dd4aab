package release_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const (
	payload       = "quay.io/openshift-release-dev/ocp-release@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	versionScript = `#!/bin/sh
if [ "$1" = version ]; then echo "$0 4.20.5
built from commit 0123456789abcdef
release image ` + payload + `
release architecture amd64"; exit 0; fi
`
)

func TestFetch_ExplainsBadDownload(t *testing.T) {
	for name, failure := range map[string]struct {
		spoil func(*testing.T, *mirror)
		kind  fault.Kind
		want  string
	}{
		"no such version":      {func(_ *testing.T, m *mirror) { clear(m.files) }, fault.NotFound, "no such file"},
		"no such architecture": {func(t *testing.T, m *mirror) { m.publish(t, strings.Replace(versionScript, "amd64", "arm64", 1)) }, fault.Conflict, "arm64"},
		"a payload that may change": {func(t *testing.T, m *mirror) {
			m.publish(t, strings.Replace(versionScript, payload, "quay.io/openshift-release-dev/ocp-release:4.20.5", 1))
		}, fault.Conflict, "no digest"},
		"a program that says nothing": {func(t *testing.T, m *mirror) { m.publish(t, "#!/bin/sh\n") }, fault.Conflict, "no version"},
		"login page for the checksums": {func(_ *testing.T, m *mirror) {
			*m.checksums() = file{content: []byte("<html>log in"), kind: "text/html; charset=utf-8"}
		}, fault.Invalid, "web page"},
		"login page for the archive": {func(_ *testing.T, m *mirror) {
			*m.archive() = file{content: []byte("\n <!DOCTYPE html>")}
		}, fault.Invalid, "web page"},
		"another archive": {func(t *testing.T, m *mirror) {
			*m.archive() = file{content: pack(t, map[string]string{"openshift-install": "#!/bin/sh\nexit 1"})}
		}, fault.Invalid, "sha256"},
		"no checksum of the archive": {func(t *testing.T, m *mirror) {
			m.checksums().content = []byte("0000  something-else.tar.gz\n")
			m.sign(t)
		}, fault.Invalid, "no checksum"},
		"cut short":             {func(_ *testing.T, m *mirror) { m.archive().cut = 50 }, fault.Transient, "truncated"},
		"standing still":        {func(_ *testing.T, m *mirror) { m.archive().pause = time.Hour }, fault.Transient, "no data"},
		"a server out of order": {func(_ *testing.T, m *mirror) { m.archive().fails = 9 }, fault.Transient, "503"},
		"an archive without the program": {func(t *testing.T, m *mirror) {
			content := pack(t, map[string]string{"README.md": ""})
			m.archive().content, m.checksums().content = content, []byte(sum(content)+" *"+archiveName("4.20.5")+"\n")
			m.sign(t)
		}, fault.Invalid, "does not contain openshift-install"},
		"a program of another version": {func(t *testing.T, m *mirror) {
			m.publish(t, strings.Replace(versionScript, "4.20.5", "4.19.1", 1))
		}, fault.Conflict, "4.19.1"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t)
				m.publish(t, versionScript)
				failure.spoil(t, m)
				err := fetch(t.Context(), m.installer())
				if !fault.Is(err, failure.kind) || !strings.Contains(err.Error(), failure.want) {
					t.Errorf("got kind %v, %v", fault.KindOf(err), err)
				}
				for _, name := range m.cached(t) {
					if failure.kind != fault.Transient || !strings.HasPrefix(name, archiveName("4.20.5")+".part") {
						t.Errorf("left behind: %s", name)
					}
				}
			})
		})
	}
}

func TestFetch_RetriesNetworkFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		m.publish(t, versionScript)
		m.archive().fails = 2
		if err := fetch(t.Context(), m.installer()); err != nil {
			t.Error(err)
		}
	})
}

func TestProgram_HasNoCredentials(t *testing.T) {
	t.Setenv("EXOSCALE_API_SECRET", "must not be seen")
	t.Setenv("HTTPS_PROXY", "http://proxy.example.net")
	m := newMirror(t)
	m.publish(t, versionScript+`env | sort | cut -d= -f1 >&2; exit 1`)
	i := m.installer()
	if err := fetch(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	if _, err := i.FindBootImage(t.Context()); err == nil {
		t.Error("a program that failed named an image")
	}
	for _, name := range []string{"PATH", "HTTPS_PROXY"} {
		if !slices.Contains(m.logged, name) {
			t.Errorf("the program was not told %s: %v", name, m.logged)
		}
	}
	if slices.Contains(m.logged, "EXOSCALE_API_SECRET") {
		t.Error("the program was told a secret")
	}
}

func TestFindBootImage_OpenStack(t *testing.T) {
	const metadata = `{"stream":"rhcos-4.20","architectures":{"x86_64":{"artifacts":{"openstack":{"release":"9.6.20250923-0",
"formats":{"qcow2.gz":{"disk":{"location":"https://rhcos.mirror.openshift.com/a.qcow2.gz","sha256":"aa"}}}}}}}}`
	for name, test := range map[string]struct {
		metadata string
		want     state.BootImage
		kind     fault.Kind
	}{
		"named":      {metadata, state.BootImage{Build: "9.6.20250923-0", URL: "https://rhcos.mirror.openshift.com/a.qcow2.gz", SHA256: "aa"}, 0},
		"not named":  {strings.Replace(metadata, "openstack", "qemu", 1), state.BootImage{}, fault.NotFound},
		"not a JSON": {"<", state.BootImage{}, fault.Internal},
	} {
		m := newMirror(t)
		m.publish(t, versionScript+"cat <<'END'\n"+test.metadata+"\nEND\n")
		i := m.installer()
		if err := fetch(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		got, err := i.FindBootImage(t.Context())
		if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != (got.URL == "") || fault.KindOf(err) != test.kind {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestProgram_RequiresFetch(t *testing.T) {
	m := newMirror(t)
	if _, err := m.installer().FindBootImage(t.Context()); err == nil {
		t.Error("it named an image")
	}
	if _, err := m.installer().Generate(t.Context(), filepath.Join(t.TempDir(), "install"), state.Generation{}, func(string) {}); err == nil {
		t.Error("it generated")
	}
}

func TestProgram_TranslatesExitCodes(t *testing.T) {
	const config = `apiVersion: v1
pullSecret: '{"auths":{"quay.io":{"auth":"c2VjcmV0OnNlY3JldA=="}}}'
`
	for name, test := range map[string]struct {
		script string
		kind   fault.Kind
		want   string
	}{
		"install-config refused": {`echo 'level=info msg=Consuming Install Config' >&2
echo 'level=error msg="failed to create install config: pullSecret: Invalid value: \"{\\\"auths\\\":{\\\"quay.io\\\":{\\\"auth\\\":\\\"c2VjcmV0OnNlY3JldA==\\\"}}}\": no registry"' >&2
exit 3`, fault.Invalid, "no registry"},
		"interrupted":    {"exit 8", fault.Cancelled, "exit status 8"},
		"fatal":          {"echo 'level=fatal msg=\"asset is bad\"' >&2; exit 1", fault.Internal, "asset is bad"},
		"without a form": {"echo 'segmentation fault, password qwert-asdfg-yxcvb-12345' >&2; exit 139", fault.Internal, "segmentation fault, password ***"},
		"files left out": {"exit 0", fault.Internal, "did not generate"},
	} {
		t.Run(name, func(t *testing.T) {
			m, dir := newMirror(t), t.TempDir()
			m.cache = filepath.Join(dir, "cache")
			m.publish(t, versionScript+test.script)
			i := m.installer()
			if err := fetch(t.Context(), i); err != nil {
				t.Fatal(err)
			}
			_, err := i.Generate(t.Context(), filepath.Join(dir, "install"), state.Generation{InstallConfig: []byte(config)}, func(string) {})
			if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("kind %v: %v", fault.KindOf(err), err)
			}
			if text := strings.Join(append(m.logged, err.Error()), "\n"); strings.Contains(text, "c2VjcmV0") || strings.Contains(text, "qwert") {
				t.Errorf("a secret was told: %s", text)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".install-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if _, err := os.Stat(filepath.Join(dir, "install")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("half a generation is there: %v", err)
			}
		})
	}
}

func TestProgram_StopsWithContext(t *testing.T) {
	m := newMirror(t)
	m.publish(t, versionScript+"echo 'level=info msg=started' >&2\ntrap 'exit 8' INT\nwhile :; do sleep 0.01; done")
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	i := m.installerThat(func(line string) {
		if line == "started" {
			cancel(stopped)
		}
	})
	if err := fetch(ctx, i); err != nil {
		t.Fatal(err)
	}
	if _, err := i.FindBootImage(ctx); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}

func TestOpenImage_UnpacksAndVerifies(t *testing.T) {
	const path, url = "/a.qcow2.gz", "https://rhcos.mirror.openshift.com/a.qcow2.gz"
	content := strings.Repeat("QFI\xfb disk ", 10000)
	packed := compress(t, content)
	for name, test := range map[string]struct {
		file file
		sum  string
		kind fault.Kind
		want string
	}{
		"intact":      {file{content: packed}, strings.ToUpper(sum(packed)), 0, ""},
		"two members": {file{content: append(slices.Clone(packed), packed...)}, sum(append(slices.Clone(packed), packed...)), 0, ""},
		"another":     {file{content: packed}, sum([]byte("x")), fault.Invalid, "sha256"},
		"more after":  {file{content: append(slices.Clone(packed), strings.Repeat("more", 10)...)}, sum(packed), fault.Invalid, ""},
		"cut":         {file{content: packed, cut: len(packed) - 9}, sum(packed), fault.Transient, "truncated"},
		"cut quietly": {file{content: packed[:len(packed)-9]}, sum(packed), fault.Transient, "truncated"},
		"web page":    {file{content: []byte("<html>")}, sum(packed), fault.Invalid, "web page"},
		"not packed":  {file{content: []byte(content)}, sum(packed), fault.Invalid, "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t)
				m.files[path] = &test.file
				got, err := readImage(t.Context(), m, state.BootImage{URL: url, SHA256: test.sum})
				if test.kind == 0 {
					if err != nil || !strings.HasPrefix(got, content) {
						t.Errorf("%d bytes, %v", len(got), err)
					}
					return
				}
				if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("kind %v: %v", fault.KindOf(err), err)
				}
			})
		})
	}
}

func readImage(ctx context.Context, m *mirror, image state.BootImage) (string, error) {
	stream, err := m.downloads().OpenImage(ctx, image, func(string) {})
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(stream)
	return string(content), errors.Join(err, stream.Close())
}

func TestOpenImage_EarlyCloseIsUnverified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		packed := compress(t, strings.Repeat("x", 1<<20))
		m.files["/a.qcow2.gz"] = &file{content: packed}
		stream, err := m.downloads().OpenImage(t.Context(), state.BootImage{URL: "https://rhcos.mirror.openshift.com/a.qcow2.gz", SHA256: sum(packed)}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stream, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := stream.Close(); err == nil {
			t.Error("closed as if it was verified")
		}
	})
}
