package reach

import (
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/internal/text/similar"
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

// FindNearestID returns the ID that word is probably a typing mistake of, or "". With more than two mistakes it is another word.
func FindNearestID(word string, ids []string) string {
	return similar.FindWithin(strings.TrimSpace(word), ids, 2)
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
