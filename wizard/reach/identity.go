package reach

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"exoshift/assets"
)

// ListIDs returns the IDs of all possible checks: those of a catalogue, and those of the operator's own endpoints that
// parse.
func ListIDs(catalogue []assets.Endpoint, endpoints []string) []string {
	ids := listCatalogueIDs(catalogue)
	var readable []string
	for _, endpoint := range endpoints {
		if address, err := ParseEndpoint(endpoint); err == nil {
			readable = append(readable, address)
		}
	}
	return append(ids, generateCustomerIDs(readable)...)
}

// HasID reports whether an ID is in a list, ignoring case.
func HasID(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(known string) bool { return strings.EqualFold(known, id) })
}

// Longer words are not taken for an ID with a typing mistake.
const maxIDLength = 40

// FindNearestID returns the ID that word is probably a typing mistake of, or "".
func FindNearestID(word string, ids []string) string {
	word = strings.ToUpper(strings.TrimSpace(word))
	best, distance := "", 3 // with more than two mistakes it is another word
	if len(word) > maxIDLength {
		return ""
	}
	for _, id := range ids {
		if d := levenshtein.ComputeDistance(word, id); d < distance {
			best, distance = id, d
		}
	}
	return best
}

func listCatalogueIDs(catalogue []assets.Endpoint) []string {
	var ids []string
	for _, endpoint := range catalogue {
		ids = append(ids, endpoint.ID)
	}
	return ids
}

func listCheckIDs(checks []Check) []string {
	var ids []string
	for _, check := range checks {
		ids = append(ids, check.ID)
	}
	return ids
}
