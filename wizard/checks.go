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

func validateEndpoint(value string) []Problem {
	_, err := reach.ParseEndpoint(value)
	var failure reach.AddressError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure):
		return NewProblem(failure.Problem, failure.Allowed, failure.Suggestion)
	}
	return NewProblem(err.Error(), "", "")
}

func checkDuplicateEndpoints(spec state.Spec) []Problem {
	var faults []Problem
	first := map[string]int{}
	for i, text := range spec.Checks.Endpoints {
		address, err := reach.ParseEndpoint(text)
		if err != nil {
			continue
		}
		if earlier, twice := first[address]; twice {
			key := fmt.Sprintf("%s[%d]", endpointsKey, i)
			faults = append(faults, WithField(key, NewProblem(fmt.Sprintf("is the same as %s[%d]", endpointsKey, earlier), "each endpoint once", ""))...)
			continue
		}
		first[address] = i
	}
	return faults
}

// A day is required, since a skip in a file holds until it is removed.
func skipReason(item string) []Problem {
	const allowed = "<reason> until <YYYY-MM-DD>"
	_, text, _ := strings.Cut(item, "=")
	skip, err := reach.ParseSkip(text)
	switch {
	case err != nil:
		return NewProblem(err.Error(), allowed, "")
	case skip.Until.IsZero():
		return NewProblem("the day is missing from which on the check is made again", allowed, "")
	}
	return nil
}

func checkSkips(spec state.Spec) []Problem {
	if len(spec.Checks.Skip) == 0 || len(spec.Checks.Skip) > maxItems {
		return nil
	}
	catalogue, err := assets.ReadEndpoints()
	if err != nil {
		return WithField(skipKey, NewProblem(err.Error(), "", ""))
	}
	ids := reach.ListIDs(catalogue, spec.Checks.Endpoints)
	var faults []Problem
	for _, id := range slices.Sorted(maps.Keys(spec.Checks.Skip)) {
		if reach.HasID(ids, id) {
			continue
		}
		faults = append(faults, WithField(ToPrefix(skipKey)+FormatPath(id), NewProblem("there is no check of this ID", "an ID as `exoshift check` shows it, e.g. NET-RH-022",
			reach.FindNearestID(id, ids)))...)
	}
	return faults
}

// The fields of additional and skipped checks.
const (
	endpointsKey = "checks.endpoints"
	skipKey      = "checks.skip"
)

func listCheckFields() []Field {
	return []Field{
		{Key: endpointsKey, Title: "Own endpoints", Example: "https://registry.example.net/v2/, tcp://10.9.0.5:5000", rule: validateEndpoint,
			Screen: Network, Advanced: true, Effect: NoEffect, most: reach.MaxEndpoints,
			Help: "Services of yours that the cluster has to reach, which are checked with all others. Without a scheme, host:port is " +
				"checked by tcp and host by https.",
			Why:    "What the cluster needs of you and cannot reach, such as a registry or a mail server, is found before the installation.",
			Source: "Those who write the applications. Leave it empty if the cluster needs nothing of yours.",
			value:  bindList(func(s *state.Spec) *[]string { return &s.Checks.Endpoints })},
		{Key: skipKey, Title: "Checks left out", Example: "NET-RH-022=we send no telemetry until 2027-01-31", rule: skipReason,
			Screen: Network, Advanced: true, Effect: NoEffect,
			Help: "IDs of checks of reachability that are not made, each with a reason and the day from which on it is made again.",
			Why: "An installation does not start as long as something that it needs cannot be reached. Who knows better leaves the " +
				"check out and says why; the hand-over page repeats it.",
			Source: "The checks themselves show their IDs. Leave it empty unless one of them is wrong about your network.",
			value:  bindTable(func(s *state.Spec) *map[string]string { return &s.Checks.Skip })},
	}
}

// CheckExpiredSkips returns the skipped checks whose day has come.
func CheckExpiredSkips(spec state.Spec, now time.Time) []Problem {
	var faults []Problem
	skips, err := reach.ListSkips(spec)
	if err != nil {
		return nil // an error is reported elsewhere
	}
	for _, skip := range skips {
		if skip.IsExpired(now) {
			faults = append(faults, WithField(ToPrefix(skipKey)+FormatPath(skip.ID), NewProblem("its day has come: the check is made again", "", ""))...)
		}
	}
	return faults
}
