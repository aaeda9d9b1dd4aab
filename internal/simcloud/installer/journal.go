package installer

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// journal writes messages to the console and everything to .openshift_install.log, both as logrus does.
type journal struct {
	console io.Writer
	debug   bool // also on the console
	file    *os.File
	now     time.Time
}

func openJournal(run *invocation) (*journal, error) {
	name := filepath.Join(run.dir, ".openshift_install.log")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, fmt.Errorf("failed to open the log file: %w", err)
	}
	return &journal{console: run.stderr, debug: run.level == "debug", file: file, now: run.now}, nil
}

// writeEntry writes key=value pairs, as logrus does without a terminal. Errors of the console or disk are ignored, as by the
// real program.
func (j *journal) writeEntry(level, message string) {
	if level != "debug" || j.debug {
		_, _ = fmt.Fprintf(j.console, "level=%s msg=%s\n", level, message)
	}
	if j.file != nil {
		_, _ = fmt.Fprintf(j.file, "time=%q level=%s msg=%q\n", j.now.Format(time.RFC3339), level, message)
	}
}

func (j *journal) close() { _ = j.file.Close() }
