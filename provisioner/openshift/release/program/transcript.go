package program

import (
	"bytes"
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// maxLine bounds a line of the program; maxErrors how many of its errors are quoted.
const (
	maxLine   = 64 << 10
	maxErrors = 3
)

var logLine = regexp.MustCompile(`^(?:time="?[^ "]*"? )?level=(\w+) msg=(.*)$`)

// transcript parses the program's standard error: lines of the form level=error msg="...".
type transcript struct {
	mask      Masker
	log       func(string)
	onMessage func(string) // receives all messages except debug messages; may be nil
	partial   []byte
	failed    []string // the last messages of level error and fatal
	last      string
}

// Write accepts lines split at any point.
func (t *transcript) Write(portion []byte) (int, error) {
	t.partial = append(t.partial, portion...)
	for {
		line, rest, whole := bytes.Cut(t.partial, []byte("\n"))
		if !whole && len(t.partial) < maxLine {
			return len(portion), nil
		}
		t.handleLine(string(line))
		t.partial = rest
	}
}

// flush handles a last line without a newline.
func (t *transcript) flush() {
	t.handleLine(string(t.partial))
	t.partial = nil
}

func (t *transcript) handleLine(line string) {
	level, message := parseLine(strings.TrimSpace(line))
	message = strings.Join(strings.Fields(t.mask.Hide(message)), " ") // in this order: secrets contain spaces, too
	if message == "" {
		return
	}
	if level == "error" || level == "fatal" {
		t.failed = append(t.failed, message)
		t.failed = t.failed[max(0, len(t.failed)-maxErrors):]
	}
	t.last = message
	t.log(message)
	if t.onMessage != nil && level != "debug" && level != "trace" {
		t.onMessage(message)
	}
}

// formatErrors returns the program's last errors, or else its last messages, or else fallback.
func (t *transcript) formatErrors(fallback string) string {
	if len(t.failed) > 0 {
		return strings.Join(t.failed, "; ")
	}
	return cmp.Or(t.last, fallback)
}

// parseLine returns a line of another form as a message without a level.
func parseLine(line string) (level, message string) {
	match := logLine.FindStringSubmatch(line)
	if match == nil {
		return "", line
	}
	if text, err := strconv.Unquote(match[2]); err == nil {
		return match[1], text
	}
	return match[1], match[2]
}
