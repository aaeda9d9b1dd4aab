package vm

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"exoshift/internal/simcloud/vm/shell"
)

// runCommands runs cloud-init's commands as one script. Exit codes are ignored.
func (c *cloudInit) runCommands(ctx context.Context, commands []any) error {
	if len(commands) == 0 {
		return nil
	}
	script, err := renderScript(commands)
	if err != nil {
		return err
	}
	c.Console("cloud-init: runcmd: %d commands", len(commands))
	writer := &lineWriter{write: func(line string) { c.Console("cloud-init: %s", line) }}
	defer writer.end()
	host := shell.Host{
		Network: c.Network(), Files: shell.NewFiles(c.guest), PowerOff: c.powerOff, Program: c.hypervisor.config.Program,
		StartService: c.startService,
	}
	_, err = host.Run(ctx, script, writer, writer)
	return err
}

// startService starts haproxy if it is installed: of all services only that one has an effect here.
func (c *cloudInit) startService(name string) {
	if _, installed := c.ReadFile(haproxyProgram); installed && name == "haproxy" {
		c.balancer.start()
	}
}

// powerOff prevents cloud-init from running again: its commands were all started.
func (c *cloudInit) powerOff() {
	c.Console("systemd: powering off")
	if err := c.WriteFile(cloudInitResult, nil); err != nil {
		c.Console("%v", err)
	}
	if c.hypervisor.config.PowerOff != nil {
		c.hypervisor.config.PowerOff(c.instance.ID)
	}
}

// renderScript follows cloud-init: lists of words are quoted, strings are unchanged.
func renderScript(commands []any) ([]byte, error) {
	script := bytes.NewBufferString("#!/bin/sh\n")
	for _, command := range commands {
		list, isList := command.([]any)
		if !isList {
			fmt.Fprintln(script, command)
			continue
		}
		words := make([]string, len(list))
		for i, word := range list {
			quoted, err := syntax.Quote(fmt.Sprint(word), syntax.LangPOSIX)
			if err != nil {
				return nil, fmt.Errorf("runcmd %v: %w", command, err)
			}
			words[i] = quoted
		}
		fmt.Fprintln(script, strings.Join(words, " "))
	}
	return script.Bytes(), nil
}

// lineWriter calls a function for each written line; it is used by one goroutine at a time.
type lineWriter struct {
	write func(line string)
	open  []byte
}

func (l *lineWriter) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		l.open = append(l.open, line...)
		if bytes.HasSuffix(line, []byte("\n")) || len(l.open) > 1000 {
			l.end()
		}
	}
	return len(b), nil
}

func (l *lineWriter) end() {
	if text := strings.Map(escapeRune, string(l.open)); text != "" {
		l.write(text)
	}
	l.open = nil
}

func escapeRune(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}
