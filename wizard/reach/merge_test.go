package reach

import "testing"

func TestMergeReports_ZoneOverridesLocalFailure(t *testing.T) {
	checks := []Check{{ID: "A", From: []string{"nodes"}}, {ID: "B", From: []string{"installer", "nodes"}}, {ID: "C", From: []string{"nodes"}}}
	here, zone := Report{V: 1, TookMS: 3}, Report{V: 1, TookMS: 4}
	for _, id := range []string{"A", "B", "C"} {
		here.Results = append(here.Results, Result{ID: id, Source: Workstation, Verdict: Fail})
	}
	zone.Results = []Result{
		{ID: "A", Source: Zone, Verdict: OK}, {ID: "B", Source: Zone, Verdict: OK}, {ID: "C", Source: Zone, Verdict: Fail},
	}
	whole := MergeReports(checks, here, zone)
	for i, want := range []Verdict{Warn, Fail, Fail, OK, OK, Fail} {
		if got := whole.Results[i].Verdict; got != want {
			t.Errorf("%s from %s: %s, want %s", whole.Results[i].ID, whole.Results[i].Source, got, want)
		}
	}
	if whole.TookMS != 7 || whole.V != 1 {
		t.Errorf("%+v", whole)
	}
	if alone := MergeReports(checks, here); alone.Results[0].Verdict != Fail {
		t.Error("nobody looked from the zone, and yet it counts as reached there")
	}
}
