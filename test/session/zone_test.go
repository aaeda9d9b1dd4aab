package session

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// zone is a simulated zone that stands by itself, in a process of its own.
type zone struct {
	command     *exec.Cmd
	environment []string // by which clients reach it
}

// standing opens a zone; it ends with the test.
func (p place) standing(t testing.TB, args ...string) *zone {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	z := &zone{command: exec.CommandContext(t.Context(), path, append([]string{"simulate", "--dir", filepath.Join(p.temporary, "zone")}, args...)...)}
	z.command.Env = p.environment()
	z.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := z.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := z.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(z.stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		variable, ok := strings.CutPrefix(lines.Text(), "export ")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(variable, "=")
		z.environment = append(z.environment, name+"="+strings.ReplaceAll(strings.Trim(value, "'"), `'\''`, "'"))
		if name == "EXOSHIFT_RELEASE_KEY" { // the last one
			return z
		}
	}
	t.Fatal("the simulated zone did not open")
	return nil
}

// stop ends the zone without a warning: the network is gone.
func (z *zone) stop() {
	if z.command.ProcessState == nil {
		_ = syscall.Kill(-z.command.Process.Pid, syscall.SIGKILL)
		_ = z.command.Wait()
	}
}

func (z *zone) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := z.command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}
