package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"exoshift/internal/verify"
)

// PrintVerification prints the findings about a folder, or about a cluster in shared state: its address and ID. repaired reports whether repair was requested.
func PrintVerification(w io.Writer, folder string, report verify.Report, repaired bool) {
	fmt.Fprintf(w, "%s: %d lines of the journal, %d events\n", SanitizeLine(folder), report.Entries, report.Events)
	if report.Busy {
		fmt.Fprintln(w, "A run is active: what it has not finished was not checked.")
	}
	repairable := 0
	for _, f := range report.Findings {
		place, severity := f.File, f.Severity
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if f.Repaired {
			severity = "repaired"
		}
		fmt.Fprintf(w, "%-8s  %s: %s\n", severity, SanitizeLine(place), SanitizeLine(f.Text))
		switch {
		case f.Repaired:
		case f.Next != "":
			fmt.Fprintf(w, "          next: %s\n", SanitizeLine(f.Next))
		case f.Repair != verify.FromNone:
			repairable++
			fmt.Fprintf(w, "          repairable from the %s\n", f.Repair)
		}
	}
	wrong, notes, good := report.Count()
	switch {
	case wrong > 0:
		fmt.Fprintf(w, "%d errors, %d notes, %d repaired.\n", wrong, notes, good)
	case good > 0:
		fmt.Fprintf(w, "No problems found: %d repaired.\n", good)
	default:
		fmt.Fprintln(w, "No problems found.")
	}
	if repairable > 0 && !repaired {
		flag := "--dir"
		if strings.Contains(folder, "://") { // an address and the cluster's ID
			flag = "--state"
		}
		fmt.Fprintf(w, "Repair what can be repaired: exoshift verify %s %s --repair\n", flag, SanitizeLine(folder))
	}
}

// WriteVerificationJSON writes a line for each finding, and a summary line at the end.
func WriteVerificationJSON(w io.Writer, folder string, report verify.Report) error {
	lines := json.NewEncoder(w)
	for _, f := range report.Findings {
		if err := lines.Encode(struct {
			Type string `json:"type"` // finding
			verify.Finding
		}{"finding", f}); err != nil {
			return err
		}
	}
	wrong, notes, repaired := report.Count()
	return lines.Encode(struct {
		Type     string `json:"type"` // verify
		Dir      string `json:"dir"`
		Sound    bool   `json:"sound"`
		Errors   int    `json:"errors"`
		Notes    int    `json:"notes"`
		Repaired int    `json:"repaired"`
		Busy     bool   `json:"busy"`
		Journal  int    `json:"journal"` // lines
		Events   int    `json:"events"`
	}{"verify", folder, wrong == 0, wrong, notes, repaired, report.Busy, report.Entries, report.Events})
}
