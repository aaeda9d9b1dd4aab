package api

import (
	"strings"
	"testing"
)

func TestReadings_UniqueIDs(t *testing.T) {
	known := map[string]bool{}
	for _, r := range Readings() {
		if known[r.ID] || strings.HasPrefix(r.What, ":") || strings.HasSuffix(r.What, ": ") {
			t.Errorf("%+v", r)
		}
		known[r.ID] = true
	}
	rows := 0
	for line := range strings.Lines(documentation) {
		if strings.HasPrefix(line, "//\t") && strings.Contains(line, "our reading") {
			rows++
		}
	}
	if rows == 0 || rows != len(known) {
		t.Errorf("%d rows are our reading, %d have an ID", rows, len(known))
	}
}
