// Package console prints a run without terminal control: events as plain lines or as JSON lines, problems of answers, and the
// result of a run.
//
// The rules of its output: one line for each change, so that a log can be read and searched; foreign text is sanitized; no
// secret is ever passed to this package; and the same events always print the same lines. Errors of writers are ignored: a
// closed pipe must not stop an installation.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/wizard"
)

// NewJSON returns a printer that writes each event as one JSON object on a line; docs/events.md describes it.
func NewJSON(w io.Writer) func(provisioner.Event) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return func(e provisioner.Event) { _ = encoder.Encode(sanitizeEvent(e)) } // encoding an event never fails; the writer may be closed
}

// Omitted returns the line that replaces dropped lines of a slow reader; file has them, "" if they are not kept.
func Omitted(lines int, file string) []byte { return []byte(omitted(lines, file) + "\n") }

// OmittedJSON is Omitted as one JSON object on a line; docs/events.md describes it.
func OmittedJSON(lines int, file string) []byte {
	line, _ := json.Marshal(struct { // never fails
		Type  string `json:"type"`
		Text  string `json:"text"`
		Count int    `json:"count"`
		Name  string `json:"name,omitempty"`
	}{"omitted", omitted(lines, file), lines, text.Sanitize(file)})
	return append(line, '\n')
}

func omitted(lines int, file string) string {
	sentence := fmt.Sprintf("%d lines were left out, as nobody read", lines)
	if file != "" {
		sentence += "; the events are in " + SanitizeLine(file)
	}
	return sentence
}

// sanitizeEvent removes terminal sequences: a reader of the JSON may print its texts.
func sanitizeEvent(e provisioner.Event) provisioner.Event {
	fields := reflect.ValueOf(&e).Elem()
	for i := range fields.NumField() {
		switch field := fields.Field(i).Addr().Interface().(type) {
		case *provisioner.Type:
			*field = provisioner.Type(text.Sanitize(string(*field)))
		case *string:
			*field = text.Sanitize(*field, text.WithLines)
		case *[]string:
			*field = slices.Clone(*field)
			for j, line := range *field {
				(*field)[j] = text.Sanitize(line, text.WithLines)
			}
		case *[]provisioner.Member:
			*field = slices.Clone(*field)
			for j, member := range *field {
				member.Name, member.State = text.Sanitize(member.Name), text.Sanitize(member.State)
				(*field)[j] = member
			}
		}
	}
	return e
}

// PrintProblems prints the problems of answers, one a line.
func PrintProblems(w io.Writer, faults []wizard.Problem) {
	for _, f := range faults {
		fmt.Fprintln(w, SanitizeLine(f.String()))
	}
}

// SanitizeLine makes foreign text safe to print on one line: terminal sequences, control characters and invisible formatting
// (which could reorder the text) are dropped, and line breaks become "; ".
func SanitizeLine(text string) string {
	text = buildSequencePattern().ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), "")
	var lines []string
	for line := range strings.FieldsFuncSeq(text, isLineBreak) {
		if line = strings.TrimSpace(strings.Map(mapVisible, line)); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

func sanitizeLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = SanitizeLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// buildSequencePattern matches CSI, OSC and similar sequences, in their 7-bit and 8-bit forms.
func buildSequencePattern() *regexp.Regexp {
	return regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
		"|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c\r\n]*(?:\x07|\x1b\\\\|\u009c)?" +
		"|\x1b[ -/]*[0-~]?")
}

func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085'
}

func mapVisible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
		return -1
	}
	return r
}

// formatDuration returns e.g. 42s, 13m04s, 2h05m.
func formatDuration(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return strings.TrimSuffix(fmt.Sprintf("%dm%02ds", seconds/60, seconds%60), "00s")
	}
	return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
}

func formatSeconds(s float64) string { return formatDuration(time.Duration(s * float64(time.Second))) }
