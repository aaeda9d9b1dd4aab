package redact

import (
	"bytes"
	"regexp"
)

// endLimit returns the latest end of a match that begins at a position, or zero if none is possible. It must be called with
// ascending positions, so that it reads the content only once.
type endLimit func(at int) (end int)

func (f textPattern) newLimit(content []byte) endLimit {
	if f.limit != nil {
		return f.limit(content)
	}
	return func(at int) int { return min(at+widest, len(content)) }
}

func toLastAt(content []byte) endLimit {
	stop, last := 0, 0
	return func(at int) int {
		if at >= stop {
			stop = indexOfAny(content, at, " \t\n\f\r\"'<>")
			last = at + bytes.LastIndexByte(content[at:stop], '@')
		}
		if last < at {
			return 0
		}
		return last + 1
	}
}

// toPEMEnd limits a match to the end line of a PEM block, unless a quote or bracket precedes it.
func toPEMEnd(what string) func(content []byte) endLimit {
	expr := regexp.MustCompile(`-----END ` + what + `-----`)
	return func(content []byte) endLimit {
		stop := 0
		ending := []int{-1, 0}
		return func(at int) int {
			if at > ending[0] {
				ending = findMatch(expr, content, at)
			}
			if at >= stop {
				stop = indexOfAny(content, at, `"'{}<>`)
			}
			if ending[1] > min(stop, at+widest) {
				return 0
			}
			return ending[1]
		}
	}
}

func indexOfAny(content []byte, at int, chars string) int {
	if next := bytes.IndexAny(content[at:], chars); next >= 0 {
		return at + next
	}
	return len(content)
}

// findMatch returns the indexes of the next match, or a position beyond the content.
func findMatch(expr *regexp.Regexp, content []byte, at int) []int {
	match := expr.FindIndex(content[at:])
	if match == nil {
		return []int{len(content) + 1, len(content) + 1}
	}
	return []int{at + match[0], at + match[1]}
}

func isInFlag(before []byte) bool {
	const usualLength = 62
	before = before[max(0, len(before)-usualLength):]
	return bytes.Contains(before[len(bytes.TrimRight(before, letters+digits+"_-")):], []byte("--"))
}
