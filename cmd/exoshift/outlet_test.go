package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"exoshift/internal/app/exit"
	"exoshift/provisioner"
	"exoshift/state"
)

// own is the program as a separate process, started by a shell, that runs a rehearsal in a folder.
type own struct {
	*exec.Cmd
	folder string
	ended  chan struct{} // closed once the process has ended
}

// rehearsing prepares a rehearsal at a speed that leaves a few seconds to interfere. prelude is shell code before the command,
// redirections follow it.
func rehearsing(t *testing.T, folder, output, prelude, redirections string) *own {
	t.Helper()
	script := prelude + ` exec exoshift rehearse --output "$2" --speed 600 --dir "$1" ` + redirections
	command := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", folder, output)
	command.Env = append(os.Environ(), raceExit, "XDG_STATE_HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	return &own{Cmd: command, folder: folder, ended: make(chan struct{})}
}

func (o *own) start(t *testing.T) {
	t.Helper()
	if err := o.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(o.ended)
		_ = o.Wait() // its exit code is checked
	}()
}

func (o *own) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := o.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func (o *own) hangUp() {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		_ = o.Process.Signal(syscall.SIGHUP) // it may have ended
		select {
		case <-again.C:
		case <-o.ended:
			return
		}
	}
}

func (o *own) code(t *testing.T) int {
	t.Helper()
	select {
	case <-o.ended:
		return o.ProcessState.ExitCode()
	case <-time.After(15 * time.Minute):
		t.Fatal("it does not end")
		return -1
	}
}

// until waits for an event in the folder.
func (o *own) until(t *testing.T, meant func(provisioner.Event) bool) {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	deadline := time.After(15 * time.Minute)
	for {
		for _, e := range o.events(t) {
			if meant(e) {
				return
			}
		}
		select {
		case <-look.C:
		case <-o.ended:
			t.Fatalf("it ended before, with %d", o.ProcessState.ExitCode())
		case <-deadline:
			t.Fatal("it never happened")
		}
	}
}

func (o *own) events(t *testing.T) (events []provisioner.Event) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(o.folder, state.EventsFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		var e provisioner.Event
		if json.Unmarshal(line, &e) == nil {
			events = append(events, e)
		}
	}
	return events
}

func (o *own) result(t *testing.T) string {
	t.Helper()
	events := o.events(t)
	if len(events) == 0 {
		return ""
	}
	return events[len(events)-1].Result
}

func (o *own) logged(t *testing.T, text string) bool {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(o.folder, state.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(content), text)
}

func during(phase string) func(provisioner.Event) bool {
	return func(e provisioner.Event) bool { return e.Phase == phase }
}

// access matches events about rules that open the bootstrap machine, or close it.
func access(action state.Action) func(provisioner.Event) bool {
	return func(e provisioner.Event) bool {
		return e.Kind == "security-group-rule" && strings.Contains(e.Name, "temporary access") && e.Action == string(action)
	}
}

// unreadPipe returns a pipe that a few events fill.
func unreadPipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err == nil {
		_, err = unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, 4096)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close(); _ = write.Close() })
	return read, write
}

// As head -1 that starts reading late, without a standard input, stopped for three minutes of the rehearsal.
func TestRun_ContinuesWithClosedOutput(t *testing.T) {
	long(t)
	o := rehearsing(t, filepath.Join(t.TempDir(), "cluster"), "json", "", "<&-")
	var complaints bytes.Buffer
	read, write := unreadPipe(t)
	o.Stdout, o.Stderr = write, &complaints
	o.start(t)
	_ = write.Close()
	o.until(t, during("control-plane"))
	if line, err := bufio.NewReader(read).ReadString('\n'); err != nil || !strings.Contains(line, `"type":"run"`) {
		t.Errorf("%s, %v", line, err)
	}
	_ = read.Close()

	o.signal(t, syscall.SIGSTOP)
	<-time.After(300 * time.Millisecond)
	o.signal(t, syscall.SIGCONT)

	if code, result := o.code(t), o.result(t); code != 0 || result != "ok" {
		t.Errorf("exit code %d, result %q\n%s", code, result, complaints.String())
	}
	const want = "the standard output was closed before the run ended (broken pipe); the run continued, and its events are in "
	if !strings.Contains(complaints.String(), want+filepath.Join(o.folder, state.EventsFile)) || !o.logged(t, want) {
		t.Errorf("it was not said: %s", complaints.String())
	}
}

// A terminal that disappears sends SIGHUP repeatedly. The same command then runs under nohup, until that terminal is gone,
// too.
func TestRun_HangupEndsCleanly(t *testing.T) {
	long(t)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP) // an inherited SIG_IGN must not apply to the child
	defer signal.Stop(caught)
	folder := filepath.Join(t.TempDir(), "cluster")
	o := rehearsing(t, folder, "plain", "", "</dev/null")
	_, o.Stdout = unreadPipe(t)
	var complaints bytes.Buffer
	o.Stderr = &complaints
	o.start(t)
	o.until(t, access(state.Updated))
	o.hangUp()
	if code, result := o.code(t), o.result(t); code != exit.Interrupted || result != "interrupted" {
		t.Fatalf("exit code %d, result %q", code, result)
	}
	o.until(t, access(state.Deleted))
	if want := "the standard output was not read to its end"; !strings.Contains(complaints.String(), want) || !o.logged(t, want) {
		t.Errorf("it was not said: %s", complaints.String())
	}

	terminal, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	o = rehearsing(t, folder, "plain", `trap "" HUP;`, "")
	o.Stdin, o.Stdout, o.Stderr = tty, tty, tty
	o.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	o.start(t)
	_ = tty.Close()
	if _, err := io.ReadFull(terminal, make([]byte, 20)); err != nil {
		t.Error(err)
	}
	_ = terminal.Close()
	if code, result := o.code(t), o.result(t); code != 0 || result != "ok" {
		t.Errorf("exit code %d, result %q", code, result)
	}
	if !o.logged(t, "the standard output was closed before the run ended (input/output error)") {
		t.Error("the log does not tell why nothing was printed")
	}
}
