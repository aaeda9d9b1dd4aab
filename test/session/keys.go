package session

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Type types a text. It is one answer, together with what is typed right before and after it.
func (s *Session) Type(text string) {
	s.t.Helper()
	s.answers.edit()
	s.write(text)
}

// Paste pastes a text the way terminals do for programs that asked to be told: between two marks.
func (s *Session) Paste(text string) {
	s.t.Helper()
	s.answers.edit()
	s.write("\x1b[200~" + text + "\x1b[201~")
}

// Press presses keys one after the other, such as "enter", "f1", "ctrl+c", "alt+2" or "x".
func (s *Session) Press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		sequence, err := sequence(key)
		if err != nil {
			s.t.Fatal(err)
		}
		s.answers.press(key)
		s.write(sequence)
	}
}

// Choose presses keys that change a choice: together they are one answer.
func (s *Session) Choose(keys ...string) {
	s.t.Helper()
	s.answers.edit()
	for _, key := range keys {
		sequence, err := sequence(key)
		if err != nil {
			s.t.Fatal(err)
		}
		s.write(sequence)
	}
}

// Send writes bytes to the terminal just as they are.
func (s *Session) Send(bytes string) {
	s.t.Helper()
	s.write(bytes)
}

// Resize gives the terminal another size; the program is told by a signal.
func (s *Session) Resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	if width > 0 && height > 0 {
		s.emulator.Resize(width, height)
	}
	s.mu.Unlock()
	size := &pty.Winsize{Rows: uint16(height), Cols: uint16(width)} //nolint:gosec // cells
	if err := pty.Setsize(s.tty, size); err != nil {
		s.t.Fatal(err)
	}
}

// write gives up when the program does not read for long.
func (s *Session) write(bytes string) {
	s.t.Helper()
	if err := s.keyboard.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(s.keyboard, bytes); err != nil {
		s.fail("type %.40q: %v", bytes, err)
	}
}

// unread returns how many bytes were typed that the program has not read; none if it has ended.
func (s *Session) unread() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := unix.IoctlGetInt(int(s.tty.Fd()), unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// sequence returns what a key sends.
func sequence(key string) (string, error) {
	if modified, ok := strings.CutPrefix(key, "alt+"); ok && !strings.HasPrefix(named()[key], "\x1b") {
		plain, err := sequence(modified)
		return "\x1b" + plain, err
	}
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok && len(letter) == 1 {
		return string(letter[0] & 0x1f), nil
	}
	if sequence, ok := named()[key]; ok {
		return sequence, nil
	}
	if len([]rune(key)) == 1 {
		return key, nil
	}
	return "", fmt.Errorf("no key is called %q", key)
}

// named are the keys of an xterm.
func named() map[string]string {
	return map[string]string{
		"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "esc": "\x1b", "backspace": "\x7f",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
		"insert": "\x1b[2~", "delete": "\x1b[3~", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
		"alt+left": "\x1b[1;3D", "alt+right": "\x1b[1;3C", "ctrl+left": "\x1b[1;5D", "ctrl+right": "\x1b[1;5C",
		"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~",
		"f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	}
}
