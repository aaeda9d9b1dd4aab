package session

import (
	"time"
)

// Cast says how a session is retold.
type Cast struct {
	Width, Height int
	Longest       time.Duration // of a pause
	Frame         time.Duration // what was drawn within such a span is drawn at once
	Slide         time.Duration // not 0: there is a frame for each mark alone, and it is shown for so long
}

// mark is a moment after so many chunks.
type mark struct {
	name  string
	after int
}

// frames puts together what was drawn at about the same time, and shortens pauses. A mark begins a new frame.
func (c Cast) frames(t transcript) (frames []chunk, marks map[string]time.Duration) {
	marks = map[string]time.Duration{}
	var at, last time.Duration
	for i, drawn := range t.chunks {
		at += min(drawn.at-last, c.Longest)
		last = drawn.at
		if n := len(frames); n > 0 && !t.marked(i) && (c.Slide > 0 || at-frames[n-1].at < c.Frame) {
			frames[n-1].text += drawn.text
		} else {
			if c.Slide > 0 {
				at = time.Duration(n) * c.Slide
			}
			frames = append(frames, chunk{at, drawn.text})
		}
		for _, m := range t.marks {
			if m.after == i+1 {
				marks[m.name] = frames[len(frames)-1].at
			}
		}
	}
	return frames, marks
}

// marked tells whether there is a mark before a chunk.
func (t transcript) marked(i int) bool {
	for _, m := range t.marks {
		if m.after == i {
			return true
		}
	}
	return false
}
