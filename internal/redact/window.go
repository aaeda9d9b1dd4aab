package redact

import (
	"bytes"
	"iter"
	"strings"
)

// window is a part of a file in which a form may be.
type window struct{ start, end int }

const (
	// widest is how far a match may reach from where it begins. What fills it is cut off at the end of its line.
	widest = 64 << 10
	// deepest is how many matches of a form are looked for within another one of it. They change nothing of what is
	// replaced, only what is learned: of token: password=x also the x.
	deepest = 3
)

// find returns what is known by its form. It takes time in proportion to the content, whatever is in it.
func (r *Redactor) find(content []byte) []span {
	small := toLowerBytes(content)
	var found []span
	for _, f := range r.patterns {
		for at := range f.findWindows(small) {
			for _, match := range f.expr.FindAllSubmatchIndex(content[at.start:at.end], -1) {
				group := match[len(match)-2:]
				if s, ok := f.read(content, at.start+group[0], at.start+group[1]); ok {
					found = append(found, s)
				}
			}
		}
		for _, begin := range f.begins {
			found = append(found, f.findAtWord(content, small, []byte(begin))...)
		}
	}
	return found
}

// findAtWord returns where the form is, of what begins with a word. What has matched is not searched again but for a few
// times: a word that repeats itself would match from each of its places to its end.
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

// match returns what is replaced if the form is at the begin of a window.
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

// read makes a span of what matched.
func (f textPattern) read(content []byte, start, end int) (span, bool) {
	start = skipEscape(content, start, end)
	value, ok := string(content[start:end]), end > start
	if ok && f.value != nil {
		value, ok = f.value(value)
	}
	return span{start, end, f.kind, value}, ok
}

// findWindows returns the runs in which a form may be, in a content of which all letters were made small.
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
