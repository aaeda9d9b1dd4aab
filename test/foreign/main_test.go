// Package foreign lets programs work on a zone that stands by itself: Exoscale's own SDK, S3 clients, Terraform,
// exoshift and kubectl. They know of it only what its environment says.
package foreign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain builds exoshift and opens a zone for all tests.
func TestMain(m *testing.M) {
	code, err := within(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func within(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "foreign-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	z := &zone{program: filepath.Join(dir, "exoshift"), dir: filepath.Join(dir, "zone"), listen: "127.0.0.1:0", speed: "60"}
	if err := output(exec.Command("go", "build", "-C", "../..", "-o", z.program, "./cmd/exoshift")); err != nil {
		return 0, err
	}
	prepared = prepareTerraform(dir)
	// What a simulated mirror serves is nobody's to keep. Go, which has its own cache there, is not called any more.
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")); err != nil {
		return 0, err
	}
	if err := z.start(); err != nil {
		return 0, err
	}
	defer z.crash()
	opened = z
	return m.Run(), nil
}

// opened is the zone that all tests work on.
var opened *zone

// output runs a command; if it fails the error tells what it said.
func output(command *exec.Cmd) error {
	said, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, said)
	}
	return nil
}

// zone is a process of exoshift simulate.
type zone struct {
	program string
	dir     string
	listen  string
	speed   string
	more    []string // flags
	process *exec.Cmd
}

// start starts the process, waits until it is ready, and takes over the environment that it tells.
func (z *zone) start() error {
	env := z.dir + ".env"
	_ = os.Remove(env)
	flags := []string{"simulate", "--listen", z.listen, "--dir", z.dir, "--speed", z.speed, "--env", env}
	z.process = exec.Command(z.program, append(flags, z.more...)...)
	z.process.Stderr = os.Stderr
	if err := z.process.Start(); err != nil {
		return err
	}
	for range 3000 {
		content, err := os.ReadFile(env)
		if err == nil {
			return z.adopt(string(content))
		}
		time.Sleep(100 * time.Millisecond)
	}
	z.crash()
	return fmt.Errorf("the zone was not ready within 5 minutes")
}

func (z *zone) adopt(exports string) error {
	for line := range strings.Lines(exports) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if err := os.Setenv(name, strings.Trim(value, "'")); err != nil {
			return err
		}
	}
	z.listen = strings.TrimPrefix(os.Getenv("HTTPS_PROXY"), "http://") // the same again after a crash
	return nil
}

// crash kills the process without a warning.
func (z *zone) crash() {
	_ = z.process.Process.Kill()
	_ = z.process.Wait()
}
