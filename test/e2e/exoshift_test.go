package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// programVariable holds the path of exoshift for those tests that run in a process of their own.
const programVariable = "EXOSHIFT_E2E_PROGRAM"

// exoshift returns the path of the program as this tree builds it. Tests call it before they move to a network of their
// own.
func exoshift(t *testing.T) string {
	t.Helper()
	path, err := exoshiftBuilt()
	must(t, err)
	return path
}

var exoshiftBuilt = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programVariable); path != "" {
		return path, nil
	}
	folder, err := os.MkdirTemp("", "exoshift-e2e")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "exoshift")
	build := exec.Command("go", "build", "-C", "../..", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, "./cmd/exoshift")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build exoshift: %w\n%s", err, output)
	}
	return path, os.Setenv(programVariable, path)
})

// forgetExoshift removes the program after the last test.
func forgetExoshift() {
	if path := os.Getenv(programVariable); path != "" && os.Getenv(inside) == "" {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}
