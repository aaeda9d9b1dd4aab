package session

import (
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Record writes what was drawn as an asciicast of version 2. Time runs so many times faster than it did, and no pause is
// longer than the longest.
func (s *Session) Record(w io.Writer, width, height int, speed float64, longest time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	header := struct {
		Version int `json:"version"`
		Width   int `json:"width"`
		Height  int `json:"height"`
	}{2, width, height}
	err := out.Encode(header)
	var at, last time.Duration
	for _, c := range s.drawn.chunks {
		at += min(time.Duration(float64(c.at-last)/speed), longest)
		last = c.at
		err = errors.Join(err, out.Encode([]any{at.Seconds(), "o", c.text}))
	}
	return err
}
