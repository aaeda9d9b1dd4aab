package redact

import (
	"bytes"
	"iter"
	"strings"
)

// window is a part of a file in which a form may be.
type window struct{ start, end int }

// widest is how far a match may reach from where it begins. What fills it is cut off at the end of its line.
const widest = 64 << 10

// windows returns where a form may be, in a content of which all letters were made small.
func (f form) windows(small []byte) iter.Seq[window] {
	if f.runs != "" {
		return f.inRuns(small)
	}
	return f.atWords(small)
}

func (f form) atWords(small []byte) iter.Seq[window] {
	return func(yield func(window) bool) {
		for _, begin := range f.begins {
			for at := 0; ; at++ {
				next := bytes.Index(small[at:], []byte(begin))
				if next < 0 {
					break
				}
				at += next
				if !yield(window{at, min(at+widest, len(small))}) {
					return
				}
			}
		}
	}
}

func (f form) inRuns(small []byte) iter.Seq[window] {
	var class [256]bool
	for _, b := range []byte(strings.ToLower(f.runs)) {
		class[b] = true
	}
	return func(yield func(window) bool) {
		for start := 0; start < len(small); start++ {
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
