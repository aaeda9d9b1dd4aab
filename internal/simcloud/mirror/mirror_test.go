package mirror

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func get(t *testing.T, handler http.Handler, url string) (int, []byte) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, url, nil))
	return recorder.Code, recorder.Body.Bytes()
}

const directory = "https://mirror.openshift.com/pub/openshift-v4/clients/ocp/4.20.5/"

func TestTheInstallerIsAScriptThatRunsTheGivenWords(t *testing.T) {
	handler := New([]string{"printf", "%s\n", "it's", "$HOME"})
	code, archive := get(t, handler, directory+"openshift-install-linux.tar.gz")
	if code != http.StatusOK {
		t.Fatalf("code = %d", code)
	}
	path := filepath.Join(t.TempDir(), "openshift-install")
	if err := os.WriteFile(path, unpack(t, archive, "openshift-install", 0o755), 0o700); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), path, "create", "a b").Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("it's\n$HOME\n--release\n4.20.5\ncreate\na b\n", string(output)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func unpack(t *testing.T, archive []byte, name string, mode int64) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	tape := tar.NewReader(zip)
	for {
		header, err := tape.Next()
		if err != nil {
			t.Fatalf("%s is not in the archive: %v", name, err)
		}
		if header.Name != name {
			continue
		}
		if header.Mode != mode {
			t.Errorf("mode of %s = %o", name, header.Mode)
		}
		content, err := io.ReadAll(tape)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
}

func TestChecksumsMatch(t *testing.T) {
	handler := New([]string{"true"})
	_, archive := get(t, handler, directory+"openshift-install-linux-4.20.5.tar.gz")
	_, sums := get(t, handler, directory+"sha256sum.txt")
	if want := checksum(archive) + "  openshift-install-linux-4.20.5.tar.gz\n"; !strings.Contains(string(sums), want) {
		t.Errorf("sums = %q, want %q", sums, want)
	}
	if _, release := get(t, handler, directory+"release.txt"); !strings.Contains(string(release), "4.20.5") {
		t.Errorf("release.txt = %q", release)
	}
	for _, version := range []string{"4.18.9", "4.20.5"} {
		_, want, sum := Image(version)
		code, got := get(t, handler, ImageURL(version))
		if code != http.StatusOK || !bytes.Equal(got, want) || sum != checksum(got) {
			t.Errorf("image of %s: code %d, %d bytes, want %d", version, code, len(got), len(want))
		}
	}
}

func TestWhatIsNotServed(t *testing.T) {
	for _, url := range []string{
		"https://mirror.openshift.com/pub/openshift-v4/clients/ocp/stable-4.20/sha256sum.txt",
		directory + "sha256sum.txt.gpg",
		"https://rhcos.mirror.openshift.com/pub/openshift-v4/clients/ocp/4.20.5/sha256sum.txt",
		"https://mirror.openshift.com/",
	} {
		if code, _ := get(t, New(nil), url); code != http.StatusNotFound {
			t.Errorf("GET %s = %d", url, code)
		}
	}
}

func TestTheImageIsAQcow2WithABootEntryForOpenStack(t *testing.T) {
	_, packed, _ := Image("4.20.5")
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	image, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	if checksum(image) != UncompressedSHA256("4.20.5") {
		t.Error("the checksum of the unpacked image is wrong")
	}
	if !bytes.HasPrefix(image, []byte("QFI\xfb")) || bytes.Count(image, []byte(" ignition.platform.id=openstack ")) != 1 {
		t.Error("no qcow2 image with one boot entry")
	}
	if tool, err := exec.LookPath("qemu-img"); err == nil {
		path := filepath.Join(t.TempDir(), "image.qcow2")
		if err := os.WriteFile(path, image, 0o600); err != nil {
			t.Fatal(err)
		}
		if output, err := exec.CommandContext(t.Context(), tool, "check", path).CombinedOutput(); err != nil {
			t.Errorf("qemu-img check: %v\n%s", err, output)
		}
	}
}
