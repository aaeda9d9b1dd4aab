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
	"slices"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/wizard"
)

// NewJSON returns a printer that writes each event as one JSON object on a line; docs/reference/events.md describes it.
func NewJSON(w io.Writer) func(provisioner.Event) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return func(e provisioner.Event) { _ = encoder.Encode(sanitizeEvent(e)) } // encoding an event never fails; the writer may be closed
}

// Omitted returns the line that replaces dropped lines of a slow reader; file has them, "" if they are not kept.
func Omitted(lines int, file string) []byte { return []byte(omitted(lines, file) + "\n") }

// OmittedJSON is Omitted as one JSON object on a line; docs/reference/events.md describes it.
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
	sentence := fmt.Sprintf("%d lines were dropped because the output was not read", lines)
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

// SanitizeLine returns foreign text on one line; line breaks become "; ".
func SanitizeLine(foreign string) string {
	lines := strings.Split(text.Sanitize(foreign, text.WithLines), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "; ")
}

func sanitizeLines(foreign string) []string {
	var lines []string
	for line := range strings.Lines(foreign) {
		if line = SanitizeLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func formatSeconds(s float64) string {
	return text.FormatDuration(time.Duration(s * float64(time.Second)))
}
