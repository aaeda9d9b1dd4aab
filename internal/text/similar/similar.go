// Package similar finds the name that was probably meant by one that is shortened or mistyped.
package similar

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// maxNameLength is in bytes: what is longer is no mistyped name.
const maxNameLength = 60

// FindNearest returns the candidate that was probably meant by a word that is shortened or mistyped, or "".
func FindNearest(word string, candidates []string) string {
	if completed := complete(word, candidates); completed != "" {
		return completed
	}
	return FindWithin(word, candidates, max(1, len(word)/3))
}

// FindWithin returns the candidate with the fewest letters that are wrong, missing or too many in a word, or "" if all have more
// than that.
func FindWithin(word string, candidates []string, letters int) string {
	if len(word) > maxNameLength {
		return ""
	}
	best, distance := "", letters+1
	for _, candidate := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best
}

// complete returns the only candidate that begins with a word of at least two letters, or "".
func complete(word string, candidates []string) string {
	found := ""
	for _, candidate := range candidates {
		if len(word) < 2 || len(candidate) < len(word) || !strings.EqualFold(candidate[:len(word)], word) {
			continue
		}
		if found != "" && found != candidate {
			return ""
		}
		found = candidate
	}
	return found
}
