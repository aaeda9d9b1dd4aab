package api

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
)

//go:embed doc.go
var documentation string

// Reading is what the simulation takes the service to do without a record of it.
type Reading struct {
	ID     string // as in this package's table, e.g. "R01"
	What   string // the thing, and the refusal or the quirk
	Status int    // 0: none in particular
}

var readingRow = regexp.MustCompile(`^//\t(.{18})(.{58})(\S+) .*our reading (R\d\d)`)

// Readings returns those of this package's table, in its order.
func Readings() (readings []Reading) {
	for line := range strings.Lines(documentation) {
		row := readingRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		status, err := strconv.Atoi(row[3])
		if err != nil {
			status = 0 // "-", or "any"
		}
		readings = append(readings, Reading{ID: row[4], What: strings.TrimSpace(row[1]) + ": " + strings.TrimSpace(row[2]), Status: status})
	}
	return readings
}
