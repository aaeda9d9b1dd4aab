package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	ignitionModule  = "github.com/coreos/ignition/v2"
	ignitionVersion = "2.24.0" // of the library that exoshift makes its documents with, too
)

// Commands of Ignition's module, by their packages.
const (
	ignitionEngine   = "internal" // what RHCOS runs in its initramfs
	ignitionValidate = "validate"
)

// ignitionTool returns the path of one of Ignition's commands. It is built once and kept by its version in the user's
// cache. Tests that move to a network of their own call it before, as there is nothing to download from later.
func ignitionTool(t *testing.T, command string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("there is no place to keep Ignition, which takes minutes to build: set HOME: %v", err)
	}
	folder := filepath.Join(cache, "exoshift-e2e", "ignition-"+ignitionVersion)
	kept := filepath.Join(folder, command)
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	if command == ignitionEngine {
		needCompiler(t)
	}
	must(t, os.MkdirAll(folder, 0o755))
	fresh, err := os.MkdirTemp(folder, "build-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(fresh) })
	installIgnition(t, command, fresh)
	must(t, os.Rename(filepath.Join(fresh, command), kept))
	return kept
}

// installIgnition builds without labels of SELinux, which the files of a scratch root cannot have.
func installIgnition(t *testing.T, command, folder string) {
	t.Helper()
	const variables = "-X " + ignitionModule + "/internal/version.Raw=" + ignitionVersion +
		" -X " + ignitionModule + "/internal/distro.selinuxRelabel=false"
	t.Logf("building %s of Ignition %s, once", command, ignitionVersion)
	cmd := exec.Command("go", "install", "-ldflags", variables, ignitionModule+"/"+command+"@v"+ignitionVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+folder)
	output, err := cmd.CombinedOutput()
	if strings.Contains(string(output), "dial tcp") || strings.Contains(string(output), "GOPROXY=off") {
		t.Skipf("Ignition %s is neither built nor downloaded, and there is no network: run make e2e with one\n%s", ignitionVersion, output)
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
