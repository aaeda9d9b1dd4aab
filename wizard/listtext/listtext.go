// Package listtext writes a list of the answers as one line of text, and reads it.
package listtext

import (
	"encoding/csv"
	"errors"
	"strings"
)

// Join writes the items of a list as text; Split reads them.
func Join(items []string) string {
	switch {
	case len(items) == 0:
		return ""
	case len(items) == 1 && items[0] == "":
		return `""` // one empty item is different from none
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	if err := w.Write(items); err != nil {
		return ""
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// Split returns the items of a list that is written as text. White space around an item is ignored.
func Split(value string) ([]string, error) {
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	r := csv.NewReader(strings.NewReader(value))
	r.TrimLeadingSpace = true
	lines, err := r.ReadAll()
	if err != nil || len(lines) != 1 {
		return nil, errors.New("the value is not a comma-separated list")
	}
	for i, item := range lines[0] {
		lines[0][i] = strings.TrimSpace(item)
	}
	return lines[0], nil
}
