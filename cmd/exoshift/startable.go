package main

import (
	"slices"

	"exoshift/internal/fault"
	"exoshift/wizard/reach"
)

// zoneDoors are the checks of what starts a machine in a zone: the API and the object storage.
func zoneDoors() []string { return []string{"NET-EXO-001", "NET-EXO-002"} }

// startable tells whether a machine in the zone can be started by what was seen from here: without the API and the object
// storage of the zone it would only fail later, and be told in other words.
func startable(where string, parts []reach.Report) error {
	if where != reach.Zone {
		return nil
	}
	for _, part := range parts {
		for _, r := range part.Results {
			if r.Vantage == reach.Workstation && r.Verdict == reach.Fail && slices.Contains(zoneDoors(), r.ID) {
				return fault.Newf(fault.Transient, "look from inside the zone", "no machine can be started from here: %s", remark(r)).
					WithHint("mend that first, then run again; the report says how")
			}
		}
	}
	return nil
}
