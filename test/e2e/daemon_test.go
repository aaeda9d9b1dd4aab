package e2e

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// installed returns the path of a program, or skips the test where it is missing.
func installed(t *testing.T, program string) string {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%s is missing: install it, or run make e2e: %v", filepath.Base(program), err)
	}
	return program
}

// daemon runs a server in the foreground until the test ends, and waits until it answers.
func daemon(t *testing.T, answers func() error, program string, arguments ...string) {
	t.Helper()
	var said bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, installed(t, program), arguments...)
	command.Stdout, command.Stderr = &said, &said
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	command.WaitDelay = time.Second // children may outlive it, as those of an SSH server do
	ended, err := begin(command)
	must(t, err)
	t.Cleanup(func() {
		stop()
		<-ended
		if t.Failed() {
			t.Logf("%s said at last:\n%s", filepath.Base(program), ending(said.String()))
		}
	})
	if err := answered(answers, ended); err != nil {
		stop()
		<-ended
		t.Fatalf("%s does not answer: %v; it said:\n%s", filepath.Base(program), err, ending(said.String()))
	}
}

// begin starts a command on a thread that lasts as long as it: its death signal comes with the end of the thread that
// started it.
func begin(command *exec.Cmd) (ended <-chan struct{}, err error) {
	started, done := make(chan error), make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
		}
	}()
	return done, <-started
}

func ending(text string) string { return text[max(0, len(text)-2000):] }

// answered asks until there is an answer, the server has ended, or ten minutes have passed.
func answered(answers func() error, ended <-chan struct{}) error {
	limit := time.After(10 * time.Minute)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		err := answers()
		if err == nil {
			return nil
		}
		select {
		case <-limit:
			return err
		case <-ended:
			return err
		case <-again.C:
		}
	}
}

// open returns whether something listens at an address.
func open(address string) func() error {
	return func() error {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
}
