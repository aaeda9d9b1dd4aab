package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const ignitionPath = "github.com/coreos/ignition/v2"

// Commands of Ignition's module, by their packages.
const (
	ignitionEngine   = "internal" // what RHCOS runs in its initramfs
	ignitionValidate = "validate"
)

// ignitionTool returns the path of one of Ignition's commands, of the version whose library exoshift makes its documents
// with. It is built once and kept in the user's cache. Tests that move to a network of their own call it before, as
// there is nothing to download from later.
func ignitionTool(t *testing.T, command string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("there is no place to keep Ignition, which takes minutes to build: set HOME: %v", err)
	}
	version, source := ignitionModule(t)
	folder := filepath.Join(cache, "exoshift-e2e", "ignition-"+version)
	kept := filepath.Join(folder, command)
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	if command == ignitionEngine {
		needCompiler(t)
	}
	must(t, os.MkdirAll(folder, 0o755))
	fresh := fmt.Sprintf("%s.%d", kept, os.Getpid())
	t.Cleanup(func() { _ = os.Remove(fresh) })
	t.Logf("building %s of Ignition %s, once", command, version)
	buildIgnition(t, source, command, version, fresh)
	must(t, os.Rename(fresh, kept))
	return kept
}

// ignitionModule returns the version of the library, without its v, and the folder of its source.
func ignitionModule(t *testing.T) (version, source string) {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", ignitionPath).Output()
	must(t, err)
	version, source, _ = strings.Cut(strings.TrimSpace(string(module)), " ")
	return strings.TrimPrefix(version, "v"), source
}

// buildIgnition builds with the versions and checksums that Ignition itself demands of what it imports, and without the
// labels of SELinux, which the files of a scratch root cannot have.
func buildIgnition(t *testing.T, source, command, version, program string) {
	t.Helper()
	variables := "-X " + ignitionPath + "/internal/version.Raw=" + version +
		" -X " + ignitionPath + "/internal/distro.selinuxRelabel=false"
	cmd := exec.Command("go", "build", "-C", source, "-ldflags", variables, "-o", program, "./"+command)
	if command == ignitionEngine {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1") // it is linked with libblkid
	}
	output, err := cmd.CombinedOutput()
	if strings.Contains(string(output), "dial tcp") || strings.Contains(string(output), "GOPROXY=off") {
		t.Skipf("Ignition %s is neither built nor downloaded, and there is no network: run make e2e with one\n%s", version, output)
	}
	if err != nil {
		t.Fatalf("build Ignition: %v\n%s", err, output)
	}
}

// needCompiler skips the test where the engine cannot be built, which asks libblkid about block devices.
func needCompiler(t *testing.T) {
	t.Helper()
	probe := exec.Command("gcc", "-E", "-")
	probe.Stdin = strings.NewReader("#include <blkid/blkid.h>\n")
	if output, err := probe.CombinedOutput(); err != nil {
		t.Skipf("Ignition needs gcc and the headers of libblkid: run make e2e: %v\n%.300s", err, output)
	}
}
