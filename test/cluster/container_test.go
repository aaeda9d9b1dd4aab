package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// imageSource is the module of the program that packs the image.
const imageSource = "../../tools/image"

// packed returns the directory of the program and of its image, which are made once for all tests.
var packed = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "exoshift-image-")
	if err != nil {
		return "", err
	}
	return dir, pack(filepath.Join(dir, "exoshift"), filepath.Join(dir, "image.tar"))
})

// pack builds the program and its image, as make image does.
func pack(binary, archive string) error {
	if err := goRun("../..", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=v0.0.0-test", "-o", binary, "./cmd/exoshift"); err != nil {
		return err
	}
	return goRun(imageSource, "run", ".", "-program", binary, "-output", archive, "-version", "v0.0.0-test", "-created", "1700000000")
}

// goRun runs the go command in a module.
func goRun(dir string, arguments ...string) error {
	command := exec.Command("go", arguments...)
	command.Dir, command.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	said, err := command.CombinedOutput()
	if strings.Contains(string(said), "dial tcp") || strings.Contains(string(said), "GOPROXY=off") {
		return fmt.Errorf("%w\n%s", errNoNetwork, said)
	}
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", arguments[0], err, said)
	}
	return nil
}

// imageDir returns the directory with image.tar, or skips the test where the image cannot be made.
func imageDir(t *testing.T) string {
	t.Helper()
	dir, err := packed()
	if errors.Is(err, errNoNetwork) {
		t.Skip("what packs the image is not downloaded, and there is no network")
	}
	must(t, err)
	return dir
}

type descriptor struct {
	MediaType string
	Digest    string
	Platform  struct{ OS, Architecture string }
}

// image is what an OCI archive holds.
type image struct {
	Config struct {
		OS, Architecture string
		Config           struct {
			Entrypoint, Env []string
			User            string
			WorkingDir      string
		}
	}
	index  struct{ Manifests []descriptor }
	layers [][]byte // tar files
}

func readImage(t *testing.T, path string) (found image) {
	t.Helper()
	files := map[string][]byte{}
	content, err := os.ReadFile(path)
	must(t, err)
	eachEntry(t, content, func(header *tar.Header, content []byte) { files[header.Name] = content })
	blob := func(d descriptor) []byte { return files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)] }
	var layout struct{ ImageLayoutVersion string }
	must(t, json.Unmarshal(files["oci-layout"], &layout))
	must(t, json.Unmarshal(files["index.json"], &found.index))
	if layout.ImageLayoutVersion != "1.0.0" || len(found.index.Manifests) != 1 {
		t.Fatalf("the archive is %s with %d manifests", files["oci-layout"], len(found.index.Manifests))
	}
	var manifest struct {
		MediaType string
		Config    descriptor
		Layers    []descriptor
	}
	must(t, json.Unmarshal(blob(found.index.Manifests[0]), &manifest))
	if manifest.MediaType != "application/vnd.oci.image.manifest.v1+json" {
		t.Errorf("the manifest is %s", manifest.MediaType)
	}
	must(t, json.Unmarshal(blob(manifest.Config), &found.Config))
	for _, layer := range manifest.Layers {
		packed, err := gzip.NewReader(bytes.NewReader(blob(layer)))
		must(t, err)
		content, err := io.ReadAll(packed)
		must(t, err)
		found.layers = append(found.layers, content)
	}
	return found
}

func eachEntry(t *testing.T, archive []byte, do func(*tar.Header, []byte)) {
	t.Helper()
	for entries := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		content, err := io.ReadAll(entries)
		must(t, err)
		do(header, content)
	}
}

// unpack returns a directory with the layers of the image.
func unpack(t *testing.T) (root string, of image) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can run a container without an engine")
	}
	of, root = readImage(t, filepath.Join(imageDir(t), "image.tar")), t.TempDir()
	must(t, os.Chmod(root, 0o755))
	must(t, os.Mkdir(filepath.Join(root, "proc"), 0o755)) // as an engine does
	for _, layer := range of.layers {
		eachEntry(t, layer, func(header *tar.Header, content []byte) {
			path := filepath.Join(root, header.Name)
			if header.Typeflag == tar.TypeDir {
				must(t, os.MkdirAll(path, 0o755))
			} else {
				must(t, os.WriteFile(path, content, 0o600))
			}
			must(t, os.Chown(path, header.Uid, header.Gid))
			must(t, os.Chmod(path, header.FileInfo().Mode()))
		})
	}
	return root, of
}

// container is a process in a root of its own, as an engine starts it for a restricted pod: not root, and nothing is writable but
// what is mounted. It shares the network with the test.
type container struct {
	root   string            // of the image
	mounts map[string]string // paths in the container by directories of this machine
	env    []string
	user   string // user:group
}

// enter is run in a mount namespace of its own: the root, pairs of directories, "--", and the command.
const enter = `set -e
root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount --bind /proc "$root/proc"
while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done
shift
mount -o remount,bind,ro "$root"
exec /usr/sbin/chroot --userspec="$user" "$root" "$@"`

// command keeps its process ID when it enters the container.
func (c container) command(arguments ...string) *exec.Cmd {
	all := []string{"--mount", "--propagation", "private", "sh", "-c", enter, "sh", c.root, c.user}
	for from, to := range c.mounts {
		all = append(all, from, to)
	}
	command := exec.Command("unshare", append(append(all, "--"), arguments...)...)
	command.Env = c.env
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return command
}

// TestImage_Structure: the same program makes the same image, which says how it is to be run.
func TestImage_Structure(t *testing.T) {
	t.Parallel()
	dir := imageDir(t)
	again := filepath.Join(t.TempDir(), "again.tar")
	must(t, goRun(imageSource, "run", ".", "-program", filepath.Join(dir, "exoshift"), "-output", again, "-version", "v0.0.0-test", "-created", "1700000000"))
	one, err := os.ReadFile(filepath.Join(dir, "image.tar"))
	must(t, err)
	other, err := os.ReadFile(again)
	must(t, err)
	if !bytes.Equal(one, other) {
		t.Error("the image differs when it is made again")
	}
	found := readImage(t, again)
	config := found.Config
	if config.OS != "linux" || config.Architecture != "amd64" || found.index.Manifests[0].Platform.Architecture != "amd64" {
		t.Errorf("the platform is %s/%s", config.OS, config.Architecture)
	}
	if config.Config.User != "65532:0" || strings.Join(config.Config.Entrypoint, " ") != "/usr/local/bin/exoshift" {
		t.Errorf("it runs %q as %s", config.Config.Entrypoint, config.Config.User)
	}
	owners := map[string]string{}
	for _, layer := range found.layers {
		eachEntry(t, layer, func(header *tar.Header, content []byte) {
			owners[header.Name] = fmt.Sprintf("%d:%d %o", header.Uid, header.Gid, header.Mode)
			if header.ModTime.Unix() != 1700000000 {
				t.Errorf("%s is of %s", header.Name, header.ModTime)
			}
			if n := bytes.Count(content, []byte("BEGIN CERTIFICATE")); strings.HasSuffix(header.Name, ".crt") && n < 50 {
				t.Errorf("%s has %d certificates", header.Name, n)
			}
		})
	}
	for name, want := range map[string]string{
		"usr/local/bin/exoshift": "0:0 755", "home/exoshift/": "65532:0 770", "tmp/": "0:0 1777", "etc/passwd": "0:0 644",
		"etc/ssl/certs/ca-certificates.crt": "0:0 644",
	} {
		if owners[name] != want {
			t.Errorf("%s is %q, want %q", name, owners[name], want)
		}
	}
}

// TestImage_RunsRestricted: as an unknown user of the root group, as on OpenShift, with a root that cannot be written.
func TestImage_RunsRestricted(t *testing.T) {
	t.Parallel()
	root, of := unpack(t)
	home, tmp := t.TempDir(), t.TempDir()
	for _, dir := range []string{home, tmp} {
		must(t, os.Chmod(dir, 0o777))
	}
	for _, user := range []string{of.Config.Config.User, "1000680000:0"} {
		c := container{root: root, mounts: map[string]string{home: "/home/exoshift", tmp: "/tmp"}, env: of.Config.Config.Env, user: user}
		run := func(arguments ...string) (string, error) {
			said, err := c.command(append(of.Config.Config.Entrypoint, arguments...)...).CombinedOutput()
			return string(said), err
		}
		if said, err := run("version"); err != nil || !strings.Contains(said, "v0.0.0-test") {
			t.Errorf("%s: %v: %s", user, err, said)
		}
		const recipient = "age1z3aar7xajfyp6g4he96sgdlt3v6j36n4p6pk8f8s3g05gtstm48shts93g"
		if said, err := run("state", "init", "file:///home/exoshift/shared-"+user[:5], "--recipient", recipient, "--yes"); err != nil {
			t.Errorf("%s: state in the home: %v: %s", user, err, said)
		}
		if said, err := run("state", "init", "file:///usr/shared", "--recipient", recipient, "--yes"); err == nil || !strings.Contains(said, "read-only file system") {
			t.Errorf("%s: state in the image: %v: %s", user, err, said)
		}
	}
}
