package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Leave waits for the program's end, demands its exit code, and that it gave the terminal back as it found it.
func (s *Session) Leave(code int) {
	s.t.Helper()
	if got := s.Exit(); got != code {
		s.fail("exit code %d, not %d", got, code)
	}
	if faults := s.kept(); len(faults) > 0 {
		s.fail("the terminal was not given back: %s", strings.Join(faults, "; "))
	}
	if text := s.Transcript(); strings.Contains(text, "panic:") || strings.Contains(text, "goroutine ") {
		s.fail("there was a panic")
	}
}

// kept names what the program did not give back. Mode 25 is the cursor, 7 the wrapping of long lines; all others are off
// in a shell.
func (s *Session) kept() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []string
	modes := s.drawn.modes()
	for _, mode := range slices.Sorted(maps.Keys(modes)) {
		if usual := mode == "25" || mode == "7"; modes[mode] != usual {
			faults = append(faults, fmt.Sprintf("mode %s is %t", mode, modes[mode]))
		}
	}
	if s.drawn.settings != nil {
		faults = append(faults, s.drawn.settings.Error())
	}
	if now := s.drawn.after; now.Lflag != s.before.Lflag || now.Iflag != s.before.Iflag || now.Oflag != s.before.Oflag {
		faults = append(faults, fmt.Sprintf("its settings are %#x %#x %#x, not %#x %#x %#x",
			now.Lflag, now.Iflag, now.Oflag, s.before.Lflag, s.before.Iflag, s.before.Oflag))
	}
	return faults
}
