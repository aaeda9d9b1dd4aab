package reach_test

import (
	"fmt"
	"testing"

	"exoshift/wizard/reach"
)

// signed is a task of services of domains of their own, and a prober by which the certificate of each has this issuer.
func signed(issuers ...string) (reach.Task, probes) {
	task, found := reach.Task{Source: reach.Workstation}, probes{}
	for i, issuer := range issuers {
		id := fmt.Sprintf("A%d", i)
		task.Checks = append(task.Checks, reach.Check{ID: id, Group: "redhat", URL: fmt.Sprintf("https://www.site%d.net", i), Severity: reach.Must})
		evidence := map[string]string{reach.EvidenceIssuer: issuer, reach.EvidenceRoot: "CN=Public Root"}
		found[id] = finds(reach.Finding{Layers: reach.Layers{TCP: reach.LayerOK, TLS: reach.LayerOK}, Evidence: evidence})
	}
	return task, found
}

func TestRun_SharedIssuer(t *testing.T) {
	for name, test := range map[string]struct {
		issuers []string
		marked  int
	}{
		"one for all":            {[]string{"X", "X", "X", "X", "X"}, 5},
		"one for nearly all":     {[]string{"X", "X", "X", "X", "X", "X", "X", "X", "Y", "Z"}, 8},
		"one for many":           {[]string{"X", "X", "X", "X", "X", "Y", "Y"}, 0},
		"too few to be unlikely": {[]string{"X", "X", "X", "X"}, 0},
		"one for each":           {[]string{"A", "B", "C", "D", "E", "F"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			task, prober := signed(test.issuers...)
			last := map[string]reach.Class{}
			report := reach.Run(t.Context(), task, prober, func(r reach.Result) { last[r.ID] = r.Class })
			marked := 0
			for _, r := range report.Results {
				if r.Class == reach.SharedIssuer && r.Verdict == reach.Warn && last[r.ID] == r.Class {
					marked++
				}
			}
			if marked != test.marked {
				t.Errorf("%d are marked, want %d", marked, test.marked)
			}
		})
	}
}

// One operator's hosts have one issuer, and an authority that signs for services itself is nobody's public one.
func TestRun_SharedIssuerOfOneOperator(t *testing.T) {
	task, prober := signed("X", "X", "X", "X", "X", "X")
	for i := range task.Checks {
		task.Checks[i].URL = fmt.Sprintf("https://cdn%d.example.net", i)
	}
	direct, own := signed("X", "X", "X", "X", "X", "X")
	for id := range own {
		own[id] = finds(reach.Finding{Layers: reach.Layers{TCP: reach.LayerOK}, Evidence: map[string]string{reach.EvidenceIssuer: "X"}})
	}
	for _, report := range []reach.Report{reach.Run(t.Context(), task, prober, nil), reach.Run(t.Context(), direct, own, nil)} {
		if got := report.ComputeVerdict(); got != reach.OK {
			t.Errorf("the verdict is %s: %+v", got, report.Results[0])
		}
	}
}
