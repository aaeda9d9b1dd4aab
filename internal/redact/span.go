package redact

import (
	"cmp"

	"exoshift/internal/stable"
)

type span struct {
	start, end int
	kind       Kind
	value      string
}

// merge sorts spans and joins overlapping ones, so that no match is lost. The most specific kind, then the longest span,
// determines the token.
func merge(spans []span) []span {
	stable.Sort(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.kind.rank(), b.kind.rank()))
	})
	var merged []span
	longest := 0 // of the span that determines the kind of the last one
	for _, s := range spans {
		last := len(merged) - 1
		if last < 0 || s.start >= merged[last].end {
			merged, longest = append(merged, s), s.end-s.start
			continue
		}
		whole := &merged[last]
		if by := cmp.Compare(s.kind.rank(), whole.kind.rank()); by < 0 || by == 0 && s.end-s.start > longest {
			whole.kind, whole.value, longest = s.kind, s.value, s.end-s.start
		}
		whole.end = max(whole.end, s.end)
	}
	return merged
}
