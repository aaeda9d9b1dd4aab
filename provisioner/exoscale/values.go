package exoscale

import (
	"strings"

	"exoshift/state"
)

// Kinds of objects in the journal and in errors.
const (
	kindSecurityGroup     = "security-group"
	kindRule              = "security-group-rule"
	kindAntiAffinityGroup = "anti-affinity-group"
	kindElasticIP         = "elastic-ip"
	kindAttachment        = "elastic-ip-attachment"
	kindReverseDNS        = "reverse-dns"
	kindZone              = "dns-zone"
	kindRecord            = state.KindRecord
	kindTemplate          = "template"
	kindInstance          = "instance"
)

// namedRequest creates what consists of a name.
type namedRequest struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

func newNamedRequest(name, description string) namedRequest { return namedRequest{name, description} }

func mergeUpdated(action state.Action) state.Action {
	if action == state.Found {
		return state.Updated
	}
	return action
}

func deref[T any](field *T) T {
	if field == nil {
		var zero T
		return zero
	}
	return *field
}

func omitEmpty[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func filterMatching[T any](all []T, match func(T) bool) []T {
	var chosen []T
	for _, one := range all {
		if match(one) {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

func normalizeHost(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
