package session

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// programVariable may name a program to test; without it, this checkout's is built.
const programVariable = "EXOSHIFT_SESSION_PROGRAM"

// workshop is where the program is built, for as long as the tests run.
var workshop = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "exoshift-session-") })

// program builds what is tested, once, without the race detector: here, the tests are about what people see.
var program = sync.OnceValues(func() (string, error) {
	if ready := os.Getenv(programVariable); ready != "" {
		return ready, nil
	}
	dir, err := workshop()
	if err != nil {
		return "", err
	}
	if err := readSources("../.."); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "exoshift")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "exoshift/cmd/exoshift")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return path, nil
})

// readSources lets the cache of `go test` know what the program is made of: it holds a result for as long as what the test
// has read is the same, and sees nothing of what a compiler reads for it.
func readSources(root string) error {
	return filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
}

func TestMain(m *testing.M) {
	// A program that is started with hang-ups ignored, as nohup does, goes on ignoring them. What is caught here is not
	// inherited, so the programs of these tests begin with hang-ups that end them.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	code := m.Run()
	if dir, err := workshop(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// nowhere is a proxy that does not exist.
const nowhere = "http://127.0.0.1:9"

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
		"HTTPS_PROXY=" + nowhere, "HTTP_PROXY=" + nowhere, // nothing real is asked
	}, more...)
}

// start runs the program in a terminal of 80x24 cells, or of that in o.
func (p place) start(t testing.TB, o Options, args ...string) *Session {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	o.Program, o.Args, o.Dir = path, args, p.home
	o.Env = p.environment(o.Env...)
	return Start(t, o)
}

// usual is the terminal of most sessions.
func usual() Options { return Options{Width: 80, Height: 24} }
