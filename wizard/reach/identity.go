package reach

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"exoshift/assets"
)

// ListIDs returns the IDs of all checks that there can be: those of a catalogue, and those of the operator's own endpoints
// that can be read.
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

// HasID tells whether an ID is among others; its letters may be small.
func HasID(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(known string) bool { return strings.EqualFold(known, id) })
}

// maxIDLength is how long a word may be to be taken for an ID with a typing mistake.
const maxIDLength = 40

// FindNearestID returns the ID that was probably meant, or "".
func FindNearestID(word string, ids []string) string {
	word = strings.ToUpper(strings.TrimSpace(word))
	best, distance := "", 3 // more mistakes than two make it another one
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
