package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// builtProgram returns the path of a command that is built in a folder, which is a module of its own. It is built once for
// that module and the version of the one that it is made of, and kept in the user's cache. Tests call it before they move
// to a network of their own.
func builtProgram(t *testing.T, folder, module, command string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("there is no place to keep what takes a minute to build: set HOME: %v", err)
	}
	version, err := exec.Command("go", "list", "-C", folder, "-m", "-f", "{{.Version}}", module).Output()
	must(t, err)
	kept := filepath.Join(cache, "exoshift-e2e", folder+"-"+strings.TrimSpace(string(version))+"-"+sources(t, folder))
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	must(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	fresh := fmt.Sprintf("%s.%d", kept, os.Getpid())
	t.Cleanup(func() { _ = os.Remove(fresh) })
	t.Logf("building %s of %s, once", folder, module)
	build := exec.Command("go", "build", "-C", folder, "-buildvcs=false", "-ldflags", "-s -w", "-o", fresh, command)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	output, err := build.CombinedOutput()
	if strings.Contains(string(output), "dial tcp") || strings.Contains(string(output), "GOPROXY=off") {
		t.Skipf("%s is neither built nor downloaded, and there is no network: run make e2e with one\n%s", module, output)
	}
	if err != nil {
		t.Fatalf("build %s: %v\n%s", folder, err, output)
	}
	must(t, os.Rename(fresh, kept))
	return kept
}

// sources is a short hash of what a command is built of.
func sources(t *testing.T, folder string) string {
	t.Helper()
	hash := sha256.New()
	for _, name := range []string{"go.sum", "main.go"} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if !errors.Is(err, fs.ErrNotExist) { // some need no source of their own
			must(t, err)
		}
		hash.Write(content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:4])
}
