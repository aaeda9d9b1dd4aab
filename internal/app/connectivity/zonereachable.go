package connectivity

import (
	"slices"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

// listZoneEndpoints returns the checks that starting a machine in a zone depends on: the API and the object storage.
func listZoneEndpoints() []string { return []string{"NET-EXO-001", "NET-EXO-002"} }

// checkZoneReachable fails early, with the results of the local checks: without the API and the object storage of the zone a
// machine would only fail later, with a less specific error.
func checkZoneReachable(where string, parts []reach.Report) error {
	if where != reach.Zone {
		return nil
	}
	for _, part := range parts {
		for _, r := range part.Results {
			if r.Source == reach.Workstation && r.Verdict == reach.Fail && slices.Contains(listZoneEndpoints(), r.ID) {
				return fault.Newf(fault.Transient, "check from inside the zone", "no instance can be started from here: %s", formatResult(r)).
					WithHint("fix this first, then run again; the report shows how")
			}
		}
	}
	return nil
}
