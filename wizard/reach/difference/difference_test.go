package difference_test

import (
	"fmt"
	"strings"
	"testing"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/difference"
)

// reportOf builds a report of "ID verdict class" each.
func reportOf(lines ...string) reach.Report {
	report := reach.Report{V: reach.Version}
	for _, line := range lines {
		words := append(strings.Fields(line), "", "")
		vantage, id, both := strings.Cut(words[0], "/")
		if !both {
			vantage, id = reach.Workstation, words[0]
		}
		report.Results = append(report.Results, reach.Result{ID: id, Source: vantage, Verdict: reach.Verdict(words[1]), Class: reach.Class(words[2])})
	}
	return report
}

func TestCompare_ReportsDirection(t *testing.T) {
	before := reportOf("A ok", "B fail tcp-timeout", "C fail tcp-timeout", "D ok", "E skipped", "F ok", "G ok", "J fail tcp-timeout", "H warn slow", "zone/A ok")
	after := reportOf("zone/A fail tcp-refused", "I ok", "A ok", "B ok", "C fail tcp-refused", "D fail dns-nxdomain", "E ok", "G skipped", "J skipped", "H fail slow")
	var got []string
	for _, change := range difference.Compare(before, after) {
		got = append(got, fmt.Sprintf("%s/%s %s", change.Result().Source, change.Result().ID, change.Direction()))
	}
	want := "zone/A worse, workstation/I added, workstation/B better, workstation/C other, workstation/D worse, workstation/E other, " +
		"workstation/G worse, workstation/J other, workstation/H worse, workstation/F removed"
	if joined := strings.Join(got, ", "); joined != want {
		t.Errorf("got  %s\nwant %s", joined, want)
	}
}

func TestCompare_SameReport(t *testing.T) {
	report := reportOf("A ok", "B fail tcp-timeout", "zone/A skipped", "A warn slow")
	report.Results = report.Results[:3]
	if changes := difference.Compare(report, report); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
}
