// Package shell runs shell scripts on a simulated machine, with the few programs that scripts there call. Scripts use the
// machine's own files and its own network. A program that the machine lacks is not found, as in reality.
package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"exoshift/internal/network"
)

const (
	failed        = 1
	usage         = 2
	timedOut      = 124 // by timeout
	notExecutable = 126
	notFound      = 127
)

// Host is the machine that a script runs on.
type Host struct {
	Network network.Network // of the machine, with the authorities that it trusts
	Files   *Files
	// PowerOff shuts the machine down; it returns before it is off.
	PowerOff func()
	// StartService starts a service of systemd, e.g. "haproxy"; nil: nothing is started.
	StartService func(name string)
	// Commands runs a program that a script of a machine's own does not call; nil: there is none.
	Commands func(name string, args []string, out io.Writer) (exitCode int, known bool)
	// Program runs a downloaded executable; nil: none can be run.
	Program func(ctx context.Context, net network.Network, program []byte, args []string, in io.Reader, out io.Writer) (exitCode int)
}

// Run runs a script of the Bourne shell, and returns its exit code. It ends with ctx.
func (h *Host) Run(ctx context.Context, script []byte, out, complaints io.Writer) (exitCode int, err error) {
	return h.run(ctx, script, streams{nil, out, complaints})
}

type streams struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func (h *Host) run(ctx context.Context, script []byte, std streams) (int, error) {
	parsed, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(bytes.NewReader(script), "")
	if err != nil {
		_, _ = fmt.Fprintf(std.stderr, "sh: %v\n", err)
		return usage, nil
	}
	runner, err := interp.New(
		interp.Env(expand.ListEnviron("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root")),
		interp.Dir("/"),
		interp.StdIO(std.stdin, std.stdout, std.stderr),
		interp.CallHandler(skipUmask),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return h.execute }),
		interp.OpenHandler(h.open),
		interp.StatHandler(h.statFile),
		interp.AccessHandler(h.checkAccess),
		interp.ReadDirHandler2(skipListing),
	)
	if err != nil {
		return failed, err
	}
	err = runner.Run(ctx, parsed)
	var status interp.ExitStatus
	switch {
	case ctx.Err() != nil:
		return failed, context.Cause(ctx)
	case errors.As(err, &status):
		return int(status), nil
	}
	return 0, err
}

// execute runs a command that is neither a function nor a builtin.
func (h *Host) execute(ctx context.Context, args []string) error {
	shell := interp.HandlerCtx(ctx)
	code, err := h.runCommand(ctx, args, streams{shell.Stdin, shell.Stdout, shell.Stderr})
	switch {
	case err != nil:
		return err
	case code != 0:
		return interp.ExitStatus(code)
	}
	return nil
}

// skipUmask makes umask succeed, which the interpreter lacks. All files of a script are accessible to the owner only.
func skipUmask(_ context.Context, args []string) ([]string, error) {
	if args[0] == "umask" {
		return []string{"true"}, nil
	}
	return args, nil
}
