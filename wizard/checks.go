package wizard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard/reach"
)

// endpoint wants what can be probed. Credentials are not repeated.
func endpoint(value string) []Fault {
	_, err := reach.ReadEndpoint(value)
	var failure reach.AddressError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		return wrong(failure.Problem, failure.Allowed, failure.Suggestion)
	}
	return wrong(err.Error(), "", "")
}

// sameEndpoints refuses what is in the list twice, however it is written.
func sameEndpoints(spec state.Spec) []Fault {
	var faults []Fault
	first := map[string]int{}
	for i, text := range spec.Checks.Endpoints {
		address, err := reach.ReadEndpoint(text)
		if err != nil {
			continue
		}
		if earlier, twice := first[address]; twice {
			key := fmt.Sprintf("%s[%d]", endpointsKey, i)
			faults = append(faults, of(key, wrong(fmt.Sprintf("is the same as %s[%d]", endpointsKey, earlier), "each endpoint once", ""))...)
			continue
		}
		first[address] = i
	}
	return faults
}

// skipReason wants a reason and a day: what is written down holds until somebody takes it away.
func skipReason(item string) []Fault {
	const allowed = "<reason> until <YYYY-MM-DD>"
	_, text, _ := strings.Cut(item, "=")
	skip, err := reach.ParseSkip(text)
	switch {
	case err != nil:
		return wrong(err.Error(), allowed, "")
	case skip.Until.IsZero():
		return wrong("the day is missing from which on the check is made again", allowed, "")
	}
	return nil
}

// skippedChecks wants the IDs of checks that there are.
func skippedChecks(spec state.Spec) []Fault {
	if len(spec.Checks.Skip) == 0 || len(spec.Checks.Skip) > maxItems {
		return nil
	}
	catalogue, err := assets.Endpoints()
	if err != nil {
		return of(skipKey, wrong(err.Error(), "", ""))
	}
	ids := reach.IDs(catalogue, spec.Checks.Endpoints)
	var faults []Fault
	for _, id := range slices.Sorted(maps.Keys(spec.Checks.Skip)) {
		if reach.HasID(ids, id) {
			continue
		}
		faults = append(faults, of(prefix(skipKey)+printed(id), wrong("there is no check of this ID", "an ID as `exoshift check` shows it, e.g. NET-RH-022",
			reach.NearestID(id, ids)))...)
	}
	return faults
}

// endedSkips points out checks that are made again, as their day has come.
func endedSkips(spec state.Spec, now time.Time) []Fault {
	var faults []Fault
	skips, err := reach.SkipsOf(spec)
	if err != nil {
		return nil // which is a fault, and not a remark
	}
	for _, skip := range skips {
		if skip.Expired(now) {
			faults = append(faults, of(prefix(skipKey)+printed(skip.ID), wrong("its day has come: the check is made again", "", ""))...)
		}
	}
	return faults
}
