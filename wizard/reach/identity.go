package reach

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"exoshift/assets"
)

// IDs returns the IDs of all checks that there can be: those of a catalogue, and those of the operator's own endpoints
// that can be read.
func IDs(catalogue []assets.Endpoint, endpoints []string) []string {
	ids := catalogueIDs(catalogue)
	var readable []string
	for _, endpoint := range endpoints {
		if address, err := ReadEndpoint(endpoint); err == nil {
			readable = append(readable, address)
		}
	}
	return append(ids, customerIDs(readable)...)
}

// HasID tells whether an ID is among others; its letters may be small.
func HasID(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(known string) bool { return strings.EqualFold(known, id) })
}

// longestID is how long a word may be to be taken for an ID with a typing mistake.
const longestID = 40

// NearestID returns the ID that was probably meant, or "".
func NearestID(word string, ids []string) string {
	word = strings.ToUpper(strings.TrimSpace(word))
	best, distance := "", 3 // more mistakes than two make it another one
	if len(word) > longestID {
		return ""
	}
	for _, id := range ids {
		if d := levenshtein.ComputeDistance(word, id); d < distance {
			best, distance = id, d
		}
	}
	return best
}

func catalogueIDs(catalogue []assets.Endpoint) []string {
	var ids []string
	for _, endpoint := range catalogue {
		ids = append(ids, endpoint.ID)
	}
	return ids
}

func checkIDs(checks []Check) []string {
	var ids []string
	for _, check := range checks {
		ids = append(ids, check.ID)
	}
	return ids
}
