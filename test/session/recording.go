package session

import (
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Cast says how a session is retold.
type Cast struct {
	Width, Height int
	Longest       time.Duration // of a pause
	Frame         time.Duration // what was drawn within such a span is drawn at once
}

// Mark gives this moment a name, for a still picture of it.
func (s *Session) Mark(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn.marks = append(s.drawn.marks, mark{name, len(s.drawn.chunks)})
}

// mark is a moment after so many chunks.
type mark struct {
	name  string
	after int
}

// Record writes what was drawn as an asciicast of version 2. It returns when the marks are in it.
func (s *Session) Record(w io.Writer, c Cast) (marks map[string]time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err = out.Encode(struct {
		Version int `json:"version"`
		Width   int `json:"width"`
		Height  int `json:"height"`
	}{2, c.Width, c.Height})
	frames, marks := c.frames(s.drawn)
	for _, frame := range frames {
		err = errors.Join(err, out.Encode([]any{frame.at.Seconds(), "o", frame.text}))
	}
	return marks, err
}

// frames puts together what was drawn at about the same time, and shortens pauses. A mark begins a new frame.
func (c Cast) frames(t transcript) (frames []chunk, marks map[string]time.Duration) {
	marks = map[string]time.Duration{}
	var at, last time.Duration
	for i, drawn := range t.chunks {
		at += min(drawn.at-last, c.Longest)
		last = drawn.at
		if n := len(frames); n > 0 && at-frames[n-1].at < c.Frame && !t.marked(i) {
			frames[n-1].text += drawn.text
		} else {
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
