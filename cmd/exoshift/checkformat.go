package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/wizard/reach"
)

type format string

const (
	formatAuto     format = "auto"
	formatTUI      format = "tui"
	formatTable    format = "table"
	formatShort    format = "short"
	formatJSON     format = "json"
	formatJUnit    format = "junit"
	formatMarkdown format = "markdown"
)

func listFormats() []string {
	return []string{"auto", "tui", "table", "short", "json", "junit", "markdown"}
}

func (f format) resolve(std streams) (format, error) {
	switch {
	case !slices.Contains(listFormats(), string(f)):
		return f, exit.WithCode(exit.Usage, fmt.Errorf("--output %s: it is one of %s", f, strings.Join(listFormats(), ", ")))
	case f == formatTUI && !std.isTerminal():
		return f, exit.WithCode(exit.Usage, fmt.Errorf("--output tui needs a terminal; use table, short, json, junit or markdown"))
	case f == formatAuto && std.isTerminal():
		return formatTUI, nil
	case f == formatAuto:
		return formatTable, nil
	}
	return f, nil
}

func toVerdictError(report reach.Report) error {
	if worst := report.ComputeVerdict(); worst == reach.Warn || worst == reach.Fail {
		return exit.MarkPrinted(newVerdictError(worst))
	}
	return nil
}

func newVerdictError(worst reach.Verdict) error {
	if worst == reach.Warn {
		return exit.WithCode(exit.Warnings, errors.New("the checks ended with warnings"))
	}
	return exit.WithCode(exit.Checks, errors.New("something that has to be reached cannot be reached"))
}
