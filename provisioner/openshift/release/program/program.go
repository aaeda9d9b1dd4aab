// Package program runs openshift-install: it reads what the program says, masks secrets in it, and turns its failures into faults.
package program

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// Exit codes of openshift-install (its cmd/openshift-install/command/waitfor.go).
const (
	exitInstallConfig = 3
	exitInterrupted   = 8
)

// stopTimeout is how long the program may take to exit after an interrupt.
const stopTimeout = 10 * time.Second

// busyAttempts is how often a program is started again that is still open for writing.
const busyAttempts = 200

// Runner runs openshift-install, and logs its messages line by line, with secrets masked.
type Runner struct {
	Clock network.Clock
	Log   func(line string)
}

// Execution is one run of openshift-install.
type Execution struct {
	Name      string // with the version, for errors
	Path      string
	Args      []string
	Stdout    io.Writer // may be nil
	Mask      Masker
	OnMessage func(line string) // receives important messages; may be nil
}

// Run waits until the program has ended. It fails with fault.Invalid if the program refuses the install-config.
func (r Runner) Run(ctx context.Context, e Execution) error {
	output := &transcript{mask: e.Mask, log: r.Log, onMessage: e.OnMessage}
	err := r.start(ctx, e, output)
	// A process that was just forked elsewhere may still hold the file open for writing: for a moment, or until a busy machine
	// lets it go on. That takes real time, also where the clock is a virtual one.
	for attempt := 0; attempt < busyAttempts && errors.Is(err, syscall.ETXTBSY); attempt++ {
		if err := r.Clock.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		err = r.start(ctx, e, output)
	}
	output.flush()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return e.toFault(output, err)
}

func (r Runner) start(ctx context.Context, e Execution, stderr io.Writer) error {
	defer r.Clock.BeginWork()()
	command := exec.CommandContext(ctx, e.Path, e.Args...)
	command.Env = buildEnvironment()
	command.Stdout, command.Stderr = e.Stdout, stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.WaitDelay = stopTimeout
	return command.Run()
}

// buildEnvironment passes no credentials.
func buildEnvironment() []string {
	var kept []string
	for _, name := range []string{
		"PATH", "HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	} {
		if value, found := os.LookupEnv(name); found {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

func (e Execution) toFault(output *transcript, err error) error {
	op := "run " + e.Name + " " + strings.Join(e.Args, " ")
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fault.New(fault.Internal, op, err).WithHint("check that %s is a program for this machine, %s/%s", e.Path, runtime.GOOS, runtime.GOARCH)
	}
	cause := errors.New(output.formatErrors(exit.Error()))
	switch exit.ExitCode() {
	case exitInstallConfig:
		return fault.New(fault.Invalid, op, cause).WithHint("correct the answers and run again")
	case exitInterrupted:
		return fault.New(fault.Cancelled, op, cause)
	}
	return fault.New(fault.Internal, op, cause)
}
