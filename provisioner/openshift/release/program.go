package release

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
)

// Exit codes of openshift-install (its cmd/openshift-install/command/waitfor.go).
const (
	exitInstallConfig = 3
	exitInterrupted   = 8
)

// stopTimeout is how long the program may take to exit after an interrupt.
const stopTimeout = 10 * time.Second

type execution struct {
	program   string
	args      []string
	stdout    io.Writer // may be nil
	mask      masker
	onMessage func(line string) // receives important messages; may be nil
}

func (i *Installer) run(ctx context.Context, e execution) error {
	said := &transcript{mask: e.mask, log: i.log, onMessage: e.onMessage}
	err := e.start(ctx, said)
	// A process that was just forked elsewhere may still hold the file open for writing, for a moment.
	for attempt := 0; attempt < 10 && errors.Is(err, syscall.ETXTBSY); attempt++ {
		if err := i.net.Clock.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		err = e.start(ctx, said)
	}
	said.flush()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return i.toFault(e, said, err)
}

func (e execution) start(ctx context.Context, stderr io.Writer) error {
	command := exec.CommandContext(ctx, e.program, e.args...)
	command.Env = buildEnvironment()
	command.Stdout, command.Stderr = e.stdout, stderr
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

func (i *Installer) toFault(e execution, said *transcript, err error) error {
	op := "run " + i.name() + " " + strings.Join(e.args, " ")
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fault.New(fault.Internal, op, err).WithHint("check that %s is a program for this machine, %s/%s", e.program, runtime.GOOS, runtime.GOARCH)
	}
	cause := errors.New(said.formatErrors(exit.Error()))
	switch exit.ExitCode() {
	case exitInstallConfig:
		return fault.New(fault.Invalid, op, cause).WithHint("correct the answers and run again")
	case exitInterrupted:
		return fault.New(fault.Cancelled, op, cause)
	}
	return fault.New(fault.Internal, op, cause)
}
