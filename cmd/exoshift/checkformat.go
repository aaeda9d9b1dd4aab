package main

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/wizard/reach"
)

// format is how check shows what it found.
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

func formats() []string {
	return []string{"auto", "tui", "table", "short", "json", "junit", "markdown"}
}

// resolve turns auto into what suits the streams.
func (f format) resolve(std streams) (format, error) {
	switch {
	case !slices.Contains(formats(), string(f)):
		return f, usageError{fmt.Errorf("--output %s: it is one of %s", f, strings.Join(formats(), ", "))}
	case f == formatTUI && !std.terminal():
		return f, usageError{fmt.Errorf("--output tui needs a terminal; use table, short, json, junit or markdown")}
	case f == formatAuto && std.terminal():
		return formatTUI, nil
	case f == formatAuto:
		return formatTable, nil
	}
	return f, nil
}

// reachError is the worst verdict of a report that is not all well. The report has told it.
type reachError struct{ verdict reach.Verdict }

func (e reachError) Error() string {
	if e.verdict == reach.Warn {
		return "the checks ended with warnings"
	}
	return "something that has to be reached cannot be reached"
}

// verdictOf is the error that a report stands for.
func verdictOf(report reach.Report) error {
	if worst := report.Worst(); worst == reach.Warn || worst == reach.Fail {
		return shownError{reachError{worst}}
	}
	return nil
}

func (e reachError) code() int {
	if e.verdict == reach.Warn {
		return exitWarnings
	}
	return exitChecks
}
