package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"exoshift/internal/network"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// process is a program that runs beside the test and ends with it at the latest.
type process struct {
	command *exec.Cmd
	log     string
	ended   chan struct{}
}

// launch starts the program; what it says goes to a file.
func launch(t *testing.T, log string, arguments ...string) *process {
	t.Helper()
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	defer func() { _ = file.Close() }()
	p := &process{command: exec.Command(program(t), arguments...), log: log, ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = file, file
	// A test that is killed takes its processes with it.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, p.command.Start())
	go func() { _ = p.command.Wait(); close(p.ended) }()
	t.Cleanup(func() { p.stop(os.Interrupt) })
	return p
}

// stop sends a signal and waits for the end of the process, which it kills if that takes too long.
func (p *process) stop(signal os.Signal) {
	_ = p.command.Process.Signal(signal)
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// tail returns the end of what the process said.
func (p *process) tail() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-3000):])
}

// until repeats a check until it is content, and fails the test with its last objection after ten minutes.
func until(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Minute, errors.New("it took longer than ten minutes"))
	defer cancel()
	for {
		err := check()
		if err == nil {
			return
		}
		if ended := (network.Clock{}).Sleep(ctx, 50*time.Millisecond); ended != nil {
			t.Fatalf("%v: %v", ended, err)
		}
	}
}

// freePort returns a port of loopback that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

func local(port string) string { return fmt.Sprintf("https://127.0.0.1:%s", port) }
