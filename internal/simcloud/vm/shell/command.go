package shell

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const maxInput = 256 << 20

// runCommand returns an error only to end the whole script.
func (h *Host) runCommand(ctx context.Context, args []string, std streams) (int, error) {
	name, rest := args[0], args[1:]
	if strings.Contains(name, "/") {
		return h.start(ctx, name, rest, std)
	}
	files := fileCommands{h.Files}
	simple := map[string]func(args []string, std streams) int{
		"cat": files.runCat, "chmod": files.runChmod, "gunzip": files.runGunzip, "gzip": files.runGzip, "head": files.runHead, "mkdir": files.runMkdir, "mktemp": files.runMktemp,
		"poweroff": h.runPoweroff, "rm": files.runRm, "sha256sum": files.runSHA256Sum, "tail": files.runTail, "tr": files.runTr,
		"systemctl": h.runSystemctl,
	}
	if run, known := simple[name]; known {
		return run(rest, std), nil
	}
	switch name {
	case "curl":
		return curl{files: h.Files, network: h.Network}.run(ctx, rest, std)
	case "sh":
		return h.runScript(ctx, rest, std)
	case "timeout":
		return h.runTimeout(ctx, rest, std)
	}
	if h.Commands != nil {
		if code, known := h.Commands(name, rest, std.stdout); known {
			return code, nil
		}
	}
	return std.fail(notFound, "%s: not found", name), nil
}

func (std streams) fail(code int, format string, args ...any) int {
	_, _ = fmt.Fprintf(std.stderr, format+"\n", args...)
	return code
}

// runSystemctl starts services. Everything else that is asked of systemd has no effect in the simulation.
func (h *Host) runSystemctl(args []string, _ streams) int {
	if len(args) == 2 && (args[0] == "start" || args[0] == "restart") && h.StartService != nil {
		h.StartService(args[1])
	}
	return 0
}

func (h *Host) start(ctx context.Context, path string, args []string, std streams) (int, error) {
	content, mode, found := h.Files.read(path)
	switch {
	case !found:
		return std.fail(notFound, "sh: %s: not found", path), nil
	case mode&executable == 0:
		return std.fail(notExecutable, "sh: %s: Permission denied", path), nil
	case bytes.HasPrefix(content, []byte("#!/bin/sh")):
		return h.run(ctx, content, std)
	case h.Program == nil:
		return std.fail(notExecutable, "sh: %s: cannot execute binary file: Exec format error", path), nil
	}
	input, err := std.readInput() // read completely: a blocking pipe would stop the machine's time
	if err != nil {
		return failed, err
	}
	code := h.Program(ctx, h.Network, content, args, bytes.NewReader(input), std.stdout)
	return code, ctx.Err()
}

func (std streams) readInput() ([]byte, error) {
	if std.stdin == nil {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(std.stdin, maxInput))
}

func (h *Host) runScript(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) != 1 {
		return std.fail(usage, "sh: want one file"), nil
	}
	content, _, found := h.Files.read(args[0])
	if !found {
		return std.fail(notFound, "sh: 0: cannot open %s: No such file", args[0]), nil
	}
	return h.run(ctx, content, std)
}

// runTimeout terminates a command. Programs use the wall clock.
func (h *Host) runTimeout(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) < 2 {
		return std.fail(usage, "timeout: missing operand"), nil
	}
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(args[0], "s"), 64)
	if err != nil {
		return std.fail(125, "timeout: invalid time interval %q", args[0]), nil
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
	defer cancel()
	code, err := h.runCommand(limited, args[1:], std)
	if limited.Err() != nil && ctx.Err() == nil {
		return timedOut, nil
	}
	return code, err
}

func (h *Host) runPoweroff([]string, streams) int {
	h.PowerOff()
	return 0
}
