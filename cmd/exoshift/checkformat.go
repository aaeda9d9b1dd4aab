package main

import (
	"fmt"
	"slices"
	"strings"

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
		return f, usageError{fmt.Errorf("--output %s: it is one of %s", f, strings.Join(listFormats(), ", "))}
	case f == formatTUI && !std.isTerminal():
		return f, usageError{fmt.Errorf("--output tui needs a terminal; use table, short, json, junit or markdown")}
	case f == formatAuto && std.isTerminal():
		return formatTUI, nil
	case f == formatAuto:
		return formatTable, nil
	}
	return f, nil
}

// reachError is the worst verdict of a report, which has been printed.
type reachError struct{ verdict reach.Verdict }

func (e reachError) Error() string {
	if e.verdict == reach.Warn {
		return "the checks ended with warnings"
	}
	return "something that has to be reached cannot be reached"
}

func toVerdictError(report reach.Report) error {
	if worst := report.ComputeVerdict(); worst == reach.Warn || worst == reach.Fail {
		return shownError{reachError{worst}}
	}
	return nil
}

func (e reachError) exitCode() int {
	if e.verdict == reach.Warn {
		return exitWarnings
	}
	return exitChecks
}
