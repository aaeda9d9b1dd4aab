package redact

import (
	"bytes"
	"regexp"
)

// reach returns where a match that begins at a place has to end at the latest, or zero if there can be none. It is asked
// for places in ascending order, so that it reads the content once, however many there are.
type reach func(at int) (end int)

// ends returns how far the matches of a form reach.
func (f form) ends(content []byte) reach {
	if f.reach != nil {
		return f.reach(content)
	}
	return func(at int) int { return min(at+widest, len(content)) }
}

// toLastAt reaches to the last @ of a URL.
func toLastAt(content []byte) reach {
	stop, last := 0, 0
	return func(at int) int {
		if at >= stop {
			stop = firstOf(content, at, " \t\n\f\r\"'<>")
			last = at + bytes.LastIndexByte(content[at:stop], '@')
		}
		if last < at {
			return 0
		}
		return last + 1
	}
}

// closed reaches to the line that ends a PEM block, if there is no quote or bracket before it.
func closed(what string) func(content []byte) reach {
	expr := regexp.MustCompile(`-----END ` + what + `-----`)
	return func(content []byte) reach {
		stop := 0
		ending := []int{-1, 0}
		return func(at int) int {
			if at > ending[0] {
				ending = firstMatch(expr, content, at)
			}
			if at >= stop {
				stop = firstOf(content, at, `"'{}<>`)
			}
			if ending[1] > min(stop, at+widest) {
				return 0
			}
			return ending[1]
		}
	}
}

// firstOf returns where the first of some characters is, or the end of the content.
func firstOf(content []byte, at int, chars string) int {
	if next := bytes.IndexAny(content[at:], chars); next >= 0 {
		return at + next
	}
	return len(content)
}

// firstMatch returns where an expression matches, or a place behind the content.
func firstMatch(expr *regexp.Regexp, content []byte, at int) []int {
	match := expr.FindIndex(content[at:])
	if match == nil {
		return []int{len(content) + 1, len(content) + 1}
	}
	return []int{at + match[0], at + match[1]}
}

// inFlag tells whether a word belongs to a flag of a command, of usual length.
func inFlag(before []byte) bool {
	const usualLength = 62
	before = before[max(0, len(before)-usualLength):]
	return bytes.Contains(before[len(bytes.TrimRight(before, letters+digits+"_-")):], []byte("--"))
}
