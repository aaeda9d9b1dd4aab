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
		return NewProblem("the end date of the skip is missing", allowed, "")
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
		faults = append(faults, WithField(ToPrefix(skipKey)+FormatPath(id), NewProblem("no check has this ID", "an ID from `exoshift check`, e.g. NET-RH-022",
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
		{Key: endpointsKey, Title: "Extra endpoints", Example: "https://registry.example.net/v2/, tcp://10.9.0.5:5000", rule: validateEndpoint,
			Screen: Network, Advanced: true, Effect: NoEffect, most: reach.MaxEndpoints,
			Help: "Additional services that the cluster must reach; checked together with the built-in ones. Without a scheme, host:port is " +
				"checked over TCP and host over HTTPS.",
			Why:    "Detects an unreachable registry, mail server or similar before the installation starts.",
			Source: "The application owners. Leave it empty if the cluster needs no additional services.",
			value:  bindList(func(s *state.Spec) *[]string { return &s.Checks.Endpoints })},
		{Key: skipKey, Title: "Skipped checks", Example: "NET-RH-022=we send no telemetry until 2027-01-31", rule: skipReason,
			Screen: Network, Advanced: true, Effect: NoEffect,
			Help: "IDs of connectivity checks to skip, each with a reason and an end date.",
			Why: "An installation does not start while a required service is unreachable. If a check is wrong, skip it and " +
				"give a reason; the hand-over page lists the skipped checks.",
			Source: "Each check shows its ID. Leave it empty unless a check is wrong about your network.",
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
			faults = append(faults, WithField(ToPrefix(skipKey)+FormatPath(skip.ID), NewProblem("the end date has passed: the check runs again", "", ""))...)
		}
	}
	return faults
}
