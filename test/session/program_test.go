package session

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programVariable is where the tests find the program: that which TestMain has built, unless the variable names another.
const programVariable = "EXOSHIFT_SESSION_PROGRAM"

// TestMain builds the program once, without the race detector: here, the tests are about what people see.
func TestMain(m *testing.M) { os.Exit(built(m)) }

func built(m *testing.M) int {
	if os.Getenv(programVariable) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "exoshift-session-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "exoshift")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "exoshift/cmd/exoshift")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, output)
		return 1
	}
	if err := os.Setenv(programVariable, program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// place is a home of its own, where nothing of this machine's settings is seen.
type place struct{ home, state, temporary string }

func newPlace(t testing.TB) place {
	t.Helper()
	root := t.TempDir()
	p := place{filepath.Join(root, "home"), filepath.Join(root, "state"), filepath.Join(root, "tmp")}
	for _, dir := range []string{p.home, p.state, p.temporary} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) environment(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.temporary, "XDG_STATE_HOME=" + p.state,
		"XDG_CACHE_HOME=" + filepath.Join(p.home, ".cache"), "XDG_CONFIG_HOME=" + filepath.Join(p.home, ".config"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "TZ=UTC",
	}, more...)
}

// start runs the program in a terminal of 80x24 cells, or of that in o.
func (p place) start(t testing.TB, o Options, args ...string) *Session {
	t.Helper()
	o.Program, o.Args, o.Dir = os.Getenv(programVariable), args, p.home
	o.Env = p.environment(o.Env...)
	return Start(t, o)
}

// usual is the terminal of most sessions.
func usual() Options { return Options{Width: 80, Height: 24} }
