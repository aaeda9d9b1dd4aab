package reach

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/state"
)

// Scope is what the selection of checks depends on.
type Scope struct {
	Spec      state.Spec
	Partial   bool // only the zone is known: checks that depend on other answers are selected, and can only warn
	Installed bool // the cluster is installed: its own names and ports are checked, too
	Discovery Discovery
	// Only are the IDs of the checks that are wanted, whether or not their conditions hold; nil: those whose conditions hold.
	Only []string
	// Source is where the checks run. In the zone, checks that only the installer needs are left out, and those that only
	// machines in the zone can make are selected. "": not known yet.
	Source string
}

// SelectChecks returns the checks of a catalogue that match a scope, and those that the operator added, with their
// placeholders expanded. Those with an unknown placeholder are left out.
func SelectChecks(catalogue []assets.Endpoint, scope Scope) ([]Check, error) {
	own, err := newCustomerChecks(scope.Spec.Checks.Endpoints)
	if err != nil {
		return nil, err
	}
	if err := scope.validateIDs(append(listCatalogueIDs(catalogue), listCheckIDs(own)...)); err != nil {
		return nil, err
	}
	var checks []Check
	for _, endpoint := range catalogue {
		check, wanted, err := scope.selectCheck(endpoint)
		if err != nil {
			return nil, err
		}
		if wanted {
			checks = append(checks, check)
		}
	}
	for _, check := range own {
		if scope.Only == nil || scope.isRequested(check.ID) {
			checks = append(checks, check)
		}
	}
	return removeDanglingNeeds(checks), nil
}

func (s Scope) selectCheck(endpoint assets.Endpoint) (check Check, wanted bool, err error) {
	named, held, certain := s.isRequested(endpoint.ID), true, true
	if !named {
		if held, certain, err = s.matchConditions(endpoint.When); err != nil {
			return Check{}, false, fmt.Errorf("%s: %w", endpoint.ID, err)
		}
	}
	if s.Only != nil && !named || !held || s.Source == Zone && isInstallerOnly(endpoint.From) {
		return Check{}, false, nil
	}
	address, unknown := s.expandURL(endpoint.URL)
	switch {
	case unknown != "" && named:
		return Check{}, false, fmt.Errorf("%s cannot be checked, its address is unknown: %s", endpoint.ID, describeMissing(unknown))
	case unknown != "":
		return Check{}, false, nil
	}
	return newCheck(endpoint, address, certain), true, nil
}

func newCheck(e assets.Endpoint, address string, certain bool) Check {
	severity := Severity(e.Severity)
	if !certain && severity == Must {
		severity = Should
	}
	return Check{
		ID: e.ID, Title: e.Title, Group: e.Group, URL: address, From: e.From, Phase: e.Phase, Owner: e.Owner,
		Severity: severity, Needs: e.Needs, Expect: e.Expect, Answer: e.Answer, Reason: e.Reason, Hint: e.Hint,
	}
}

func isInstallerOnly(from []string) bool { return len(from) == 1 && from[0] == "installer" }

func (s Scope) isRequested(id string) bool {
	return slices.ContainsFunc(s.Only, func(only string) bool { return strings.EqualFold(strings.TrimSpace(only), id) })
}

func (s Scope) validateIDs(ids []string) error {
	for _, only := range s.Only {
		if HasID(ids, strings.TrimSpace(only)) {
			continue
		}
		if meant := FindNearestID(only, ids); meant != "" {
			return fmt.Errorf("unknown check %.40q; did you mean %s?", only, meant)
		}
		return fmt.Errorf("unknown check %.40q; IDs look like %s", only, cmp.Or(slices.Concat(ids, []string{""})[0], "NET-RH-001"))
	}
	return nil
}

// Needs of checks that were not selected are dropped.
func removeDanglingNeeds(checks []Check) []Check {
	chosen := listCheckIDs(checks)
	for i, check := range checks {
		checks[i].Needs = slices.DeleteFunc(slices.Clone(check.Needs), func(id string) bool { return !slices.Contains(chosen, id) })
	}
	return checks
}
