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
	"time"

	"github.com/google/go-cmp/cmp"
)

func get(t *testing.T, handler http.Handler, url string) (int, []byte) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, url, nil))
	return recorder.Code, recorder.Body.Bytes()
}

// must returns the body of a successful response.
func must(t *testing.T, handler http.Handler, url string) []byte {
	t.Helper()
	code, content := get(t, handler, url)
	if code != http.StatusOK {
		t.Fatalf("GET %s = %d", url, code)
	}
	return content
}

// mirrorOf returns a mirror whose program is these words, and the key that it signs with.
func mirrorOf(t *testing.T, words ...string) (http.Handler, Key) {
	t.Helper()
	key, err := NewKey(time.Now(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return New(words, key), key
}

const (
	clientsURL = "https://mirror.openshift.com/pub/openshift-v4/x86_64/clients/ocp/"
	directory  = clientsURL + "4.20.5/"
)

// execute returns the output of the program in an archive.
func execute(t *testing.T, archive []byte, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "openshift-install")
	if err := os.WriteFile(path, unpack(t, archive, "openshift-install", 0o755), 0o700); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), path, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(output), path, "PATH")
}

func TestInstaller_RunsGivenCommand(t *testing.T) {
	handler, _ := mirrorOf(t, "printf", "%s\n", "it's", "$HOME")
	got := execute(t, must(t, handler, directory+"openshift-install-linux.tar.gz"), "create", "a b")
	if diff := cmp.Diff("it's\n$HOME\n--release\n4.20.5\n--program\nPATH\ncreate\na b\n", got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestInstaller_ArchitectureAndHost(t *testing.T) {
	handler, _ := mirrorOf(t, "echo")
	other := strings.Replace(directory, "x86_64", "aarch64", 1)
	for _, platform := range []string{"linux", "linux-arm64", "mac", "mac-arm64"} {
		name := "openshift-install-" + platform + "-4.20.5.tar.gz"
		if got := execute(t, must(t, handler, directory+name)); strings.Contains(got, "--architecture") {
			t.Errorf("%s: %s", name, got)
		}
		if got := execute(t, must(t, handler, other+name)); !strings.Contains(got, "--architecture arm64") {
			t.Errorf("%s for other machines: %s", name, got)
		}
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

func TestChecksums_Match(t *testing.T) {
	handler, _ := mirrorOf(t, "true")
	sums := string(must(t, handler, directory+"sha256sum.txt"))
	for _, name := range []string{"openshift-install-linux.tar.gz", "openshift-install-mac-arm64-4.20.5.tar.gz", "release.txt"} {
		if want := hashSHA256(must(t, handler, directory+name)) + "  " + name + "\n"; !strings.Contains(sums, want) {
			t.Errorf("sums = %q, want %q", sums, want)
		}
	}
	for _, version := range []string{"4.18.9", "4.20.5", "4.19.0-okd-scos.3", "4.21.0-okd-scos.1"} {
		_, want, sum := BuildImage(version)
		if got := must(t, handler, ImageURL(version)); !bytes.Equal(got, want) || sum != hashSHA256(got) {
			t.Errorf("image of %s: %d bytes, want %d", version, len(got), len(want))
		}
	}
}

func TestChannel_IsVersionDirectory(t *testing.T) {
	handler, _ := mirrorOf(t, "true")
	for channel, version := range map[string]string{"stable-4.20": "4.20.5", "stable-4.18": "4.18.24", "fast-4.21": "4.21.3", "candidate-4.19": "4.19.17"} {
		about := string(must(t, handler, clientsURL+channel+"/release.txt"))
		release := Release{Version: version, Architecture: "amd64"}
		for _, want := range []string{"Name:           " + version + "\n", "Digest:         " + release.Digest() + "\n", "Pull From: " + release.Image() + "\n"} {
			if !strings.Contains(about, want) {
				t.Errorf("%s: release.txt lacks %q:\n%s", channel, want, about)
			}
		}
		for _, name := range []string{"sha256sum.txt", "openshift-install-linux.tar.gz", "openshift-install-linux-" + version + ".tar.gz"} {
			if !bytes.Equal(must(t, handler, clientsURL+channel+"/"+name), must(t, handler, clientsURL+version+"/"+name)) {
				t.Errorf("%s: another %s than that of %s", channel, name, version)
			}
		}
	}
}

func TestMirror_RangeRequest(t *testing.T) {
	handler, _ := mirrorOf(t, "true")
	for _, url := range []string{directory + "openshift-install-linux.tar.gz", ImageURL("4.20.5")} {
		whole := must(t, handler, url)
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, url, nil)
		request.Header.Set("Range", "bytes=1000-")
		handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusPartialContent || !bytes.Equal(recorder.Body.Bytes(), whole[1000:]) || recorder.Header().Get("ETag") == "" {
			t.Errorf("%s: code %d, %d bytes, tag %q", url, recorder.Code, recorder.Body.Len(), recorder.Header().Get("ETag"))
		}
	}
}

const okd = "https://github.com/okd-project/okd/releases/download/4.20.0-okd-scos.11/"

func TestMirror_OKDBehindRedirect(t *testing.T) {
	handler, _ := mirrorOf(t, "echo")
	follow := func(file string) []byte {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, okd+file, nil))
		place := recorder.Header().Get("Location")
		if recorder.Code != http.StatusFound || !strings.HasPrefix(place, "https://release-assets.githubusercontent.com/") {
			t.Fatalf("%s: code %d, leads to %q", file, recorder.Code, place)
		}
		bare, _, _ := strings.Cut(place, "?")
		if code, _ := get(t, handler, bare); code != http.StatusNotFound {
			t.Errorf("without its signature %s = %d", bare, code)
		}
		return must(t, handler, place)
	}
	const name = "openshift-install-linux-4.20.0-okd-scos.11.tar.gz"
	packed := follow(name)
	if got := execute(t, packed); !strings.HasPrefix(got, "--release 4.20.0-okd-scos.11 ") {
		t.Errorf("the program says %s", got)
	}
	if want := hashSHA256(packed) + "  " + name + "\n"; !strings.Contains(string(follow("sha256sum.txt")), want) {
		t.Errorf("the sums lack %s", want)
	}
}

func TestMirror_NotFound(t *testing.T) {
	handler, _ := mirrorOf(t, "true")
	for _, url := range []string{
		clientsURL + "stable-4.99/release.txt",
		clientsURL + "4.20/release.txt",
		clientsURL + "4.20.0-okd-scos.11/release.txt",
		strings.Replace(directory, "x86_64", "riscv", 1) + "release.txt",
		directory + "openshift-install-linux-4.20.6.tar.gz",
		directory + "openshift-install-windows.tar.gz",
		okd + "sha256sum.txt.gpg",
		okd + "openshift-install-linux.tar.gz",
		strings.Replace(okd, "4.20.0", "4.18.0", 1) + "sha256sum.txt",
		"https://rhcos.mirror.openshift.com/pub/openshift-v4/clients/ocp/4.20.5/sha256sum.txt",
		"https://mirror.openshift.com/pub/nothing",
	} {
		if code, _ := get(t, handler, url); code != http.StatusNotFound {
			t.Errorf("GET %s = %d", url, code)
		}
	}
}

func TestImage_OpenStackBootEntry(t *testing.T) {
	_, packed, _ := BuildImage("4.20.5")
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	image, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	if hashSHA256(image) != UncompressedSHA256("4.20.5") {
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
