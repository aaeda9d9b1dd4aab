package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

// The API rejects every change once, or is away while machines are created: the installation ends well, nothing is doubled, and
// nothing is left to do.
func TestInstall_SurvivesAPIOutage(t *testing.T) {
	long(t)
	for scenario, outages := range map[string]int{"api-throttled": 0, "api-away": 1} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			virtually(t, scenario, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				before := belongings(t, s)
				out, err := finish(t, s)
				if err != nil {
					t.Fatalf("%v\n%s", err, lastLines(out))
				}
				events := eventsOf(t, out)
				if findings := foldedFindings(events); len(findings) > 0 {
					t.Errorf("at its end something is wrong: %v", findings)
				}
				checkOutages(t, events, outages)
				all := belongings(t, s)
				for i := 1; i < len(all); i++ {
					if all[i] == all[i-1] && !slices.Contains(before, all[i]) {
						t.Errorf("%s is there twice", all[i])
					}
				}
				keptAndDestroyed(t, s, zone, before)
			})
		})
	}
}

func foldedFindings(events []provisioner.Event) []provisioner.Event {
	board := provisioner.NewBoard(nil)
	for _, e := range events {
		board.Fold(e)
	}
	return board.Findings
}

// checkOutages requires that each outage has one line and an end.
func checkOutages(t *testing.T, events []provisioner.Event, want int) {
	t.Helper()
	var lines bytes.Buffer
	show := console.NewPlain(&lines)
	ends := 0
	for _, e := range events {
		show(e)
		if e.Type != provisioner.TypeOutage || e.State != provisioner.Gone {
			continue
		}
		if ends++; e.Until.Sub(*e.Since) < 5*time.Minute {
			t.Errorf("the API was away from %s to %s", e.Since, e.Until)
		}
	}
	if n := strings.Count(lines.String(), "the API is away"); n != want || ends != want {
		t.Errorf("%d outages and %d ends are told, not %d", n, ends, want)
	}
}
