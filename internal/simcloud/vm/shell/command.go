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

// largestInput is how much a command reads, in bytes.
const largestInput = 256 << 20

// command runs a command by its name. The error ends the whole script.
func (h *Host) command(ctx context.Context, args []string, std streams) (int, error) {
	name, rest := args[0], args[1:]
	if strings.Contains(name, "/") {
		return h.start(ctx, name, rest, std)
	}
	simple := map[string]func(args []string, std streams) int{
		"cat": h.cat, "chmod": h.chmod, "gunzip": h.gunzip, "gzip": h.gzip, "head": h.head, "mkdir": h.mkdir, "mktemp": h.mktemp,
		"poweroff": h.poweroff, "rm": h.rm, "sha256sum": h.sha256sum, "tail": h.tail, "tr": h.tr,
		"systemctl": nothing,
	}
	if run, known := simple[name]; known {
		return run(rest, std), nil
	}
	switch name {
	case "curl":
		return h.curl(ctx, rest, std)
	case "sh":
		return h.sh(ctx, rest, std)
	case "timeout":
		return h.timeout(ctx, rest, std)
	}
	return std.complain(notFound, "%s: not found", name), nil
}

// complain tells what is wrong and returns how the command ends.
func (std streams) complain(code int, format string, args ...any) int {
	_, _ = fmt.Fprintf(std.complaints, format+"\n", args...)
	return code
}

// nothing is a command whose effect nobody sees here.
func nothing([]string, streams) int { return 0 }

// start runs a file.
func (h *Host) start(ctx context.Context, path string, args []string, std streams) (int, error) {
	content, mode, found := h.Files.read(path)
	switch {
	case !found:
		return std.complain(notFound, "sh: %s: not found", path), nil
	case mode&executable == 0:
		return std.complain(notExecutable, "sh: %s: Permission denied", path), nil
	case bytes.HasPrefix(content, []byte("#!/bin/sh")):
		return h.run(ctx, content, std)
	case h.Program == nil:
		return std.complain(notExecutable, "sh: %s: cannot execute binary file: Exec format error", path), nil
	}
	input, err := std.input() // whole, as the shell's pipe would hold up the machine's time
	if err != nil {
		return failed, err
	}
	code := h.Program(ctx, h.Network, content, args, bytes.NewReader(input), std.out)
	return code, ctx.Err()
}

// input reads all that a command is given.
func (std streams) input() ([]byte, error) {
	if std.in == nil {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(std.in, largestInput))
}

// sh runs a file as a script.
func (h *Host) sh(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) != 1 {
		return std.complain(usage, "sh: want one file"), nil
	}
	content, _, found := h.Files.read(args[0])
	if !found {
		return std.complain(notFound, "sh: 0: cannot open %s: No such file", args[0]), nil
	}
	return h.run(ctx, content, std)
}

// timeout ends a command. Programs live by the wall clock.
func (h *Host) timeout(ctx context.Context, args []string, std streams) (int, error) {
	if len(args) < 2 {
		return std.complain(usage, "timeout: missing operand"), nil
	}
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(args[0], "s"), 64)
	if err != nil {
		return std.complain(125, "timeout: invalid time interval %q", args[0]), nil
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
	defer cancel()
	code, err := h.command(limited, args[1:], std)
	if limited.Err() != nil && ctx.Err() == nil {
		return timedOut, nil
	}
	return code, err
}

func (h *Host) poweroff([]string, streams) int {
	h.PowerOff()
	return 0
}
