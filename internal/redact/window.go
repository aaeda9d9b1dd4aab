package redact

import (
	"bytes"
	"iter"
	"strings"
)

type window struct{ start, end int }

const (
	// widest is the maximum length of a match, in bytes. A longer one is cut at the end of its line.
	widest = 64 << 10
	// deepest limits nested matches of a pattern. They do not change what is replaced, only which secrets are collected: of
	// token: password=x also the x.
	deepest = 3
)

// findAtWord returns the matches that begin with a word. Text that has matched is searched again at most deepest times: a
// repeated word would match from each occurrence to the end.
func (f textPattern) findAtWord(content, small, begin []byte) []span {
	var found []span
	end := f.newLimit(content)
	covered, within := 0, 0
	for at := 0; ; at++ {
		next := bytes.Index(small[at:], begin)
		if next < 0 {
			return found
		}
		at += next
		if at >= covered {
			within = 0
		} else if within == deepest {
			at = covered - 1
			continue
		}
		if s, ok := f.match(content, window{at, end(at)}); ok {
			found, covered = append(found, s), max(covered, s.end)
			within++
		}
	}
}

func (f textPattern) match(content []byte, in window) (span, bool) {
	if in.end <= in.start || f.after != nil && !f.after(content[:in.start]) {
		return span{}, false
	}
	match := f.expr.FindSubmatchIndex(content[in.start:in.end])
	if match == nil {
		return span{}, false
	}
	group := match[len(match)-2:]
	end := in.start + group[1]
	if f.limit == nil && group[1] == widest {
		end = indexLineEnd(content, end)
	}
	return f.read(content, in.start+group[0], end)
}

func indexLineEnd(content []byte, at int) int {
	if next := bytes.IndexByte(content[at:], '\n'); next >= 0 {
		return at + next
	}
	return len(content)
}

func (f textPattern) read(content []byte, start, end int) (span, bool) {
	start = skipEscape(content, start, end)
	value, ok := string(content[start:end]), end > start
	if ok && f.value != nil {
		value, ok = f.value(value)
	}
	return span{start, end, f.kind, value}, ok
}

func (f textPattern) findWindows(small []byte) iter.Seq[window] {
	var class [256]bool
	for _, b := range []byte(strings.ToLower(f.runs)) {
		class[b] = true
	}
	return func(yield func(window) bool) {
		for start := 0; f.runs != "" && start < len(small); start++ {
			end := start
			for end < len(small) && class[small[end]] {
				end++
			}
			if end-start >= f.least && bytes.Contains(small[start:end], []byte(f.has)) && !yield(window{start, end}) {
				return
			}
			start = end
		}
	}
}
