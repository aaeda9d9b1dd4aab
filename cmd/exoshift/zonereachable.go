package main

import (
	"slices"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

// listZoneEndpoints are the checks of what starts a machine in a zone: the API and the object storage.
func listZoneEndpoints() []string { return []string{"NET-EXO-001", "NET-EXO-002"} }

// checkZoneReachable tells whether a machine in the zone can be started by what was seen from here: without the API and the object
// storage of the zone it would only fail later, and be told in other words.
func checkZoneReachable(where string, parts []reach.Report) error {
	if where != reach.Zone {
		return nil
	}
	for _, part := range parts {
		for _, r := range part.Results {
			if r.Source == reach.Workstation && r.Verdict == reach.Fail && slices.Contains(listZoneEndpoints(), r.ID) {
				return fault.Newf(fault.Transient, "look from inside the zone", "no machine can be started from here: %s", formatResult(r)).
					WithHint("mend that first, then run again; the report says how")
			}
		}
	}
	return nil
}
