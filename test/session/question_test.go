package session

import (
	"strings"
	"testing"
)

// Many terminals do not answer, and whoever waits for them makes every command wait.
func TestCommands_QueryNoTerminalColors(t *testing.T) {
	t.Parallel()
	s := newPlace(t).start(t, usual(), "version")
	s.Exit()
	s.mu.Lock()
	defer s.mu.Unlock()
	var drawn strings.Builder
	for _, chunk := range s.drawn.chunks {
		drawn.WriteString(chunk.text)
	}
	if text := drawn.String(); strings.Contains(text, "\x1b]") || !strings.Contains(text, "exoshift") {
		t.Errorf("%q", text)
	}
}
