// Package tuitest is for the tests of the screens: recordings of screens, keys by their names, a terminal, and texts that are
// dangerous to draw.
package tuitest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
)

var update = flag.Bool("update", false, "write the golden files anew") //nolint:gochecknoglobals // a flag of the test binary

// Golden compares a screen with its recording in testdata; -update records it.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("%s has changed (-update records it):\n%s", name, diff)
	}
}

// NewTheme returns a theme without colours.
func NewTheme(ascii bool) theme.Theme {
	return theme.New(termenv.Ascii, theme.NewTerminalPalette(), ascii)
}

// CheckExact fails unless a view fills its cells exactly.
func CheckExact(t *testing.T, view interface {
	View(width, height int) string
}, width, height int) {
	t.Helper()
	drawn := view.View(width, height)
	if width <= 0 || height <= 0 {
		if drawn != "" {
			t.Errorf("%T draws %q in %dx%d", view, drawn, width, height)
		}
		return
	}
	lines := strings.Split(drawn, "\n")
	if len(lines) != height {
		t.Errorf("%T draws %d lines in %dx%d", view, len(lines), width, height)
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got != width {
			t.Errorf("%T draws %q, %d cells wide, in %dx%d", view, line, got, width, height)
		}
	}
}

// Case is a test or a case of rapid.
type Case interface {
	Helper()
	Fatalf(format string, args ...any)
}

// CheckScreen fails unless a screen has the size of the terminal and no control character.
func CheckScreen(t Case, view string, width, height int) {
	t.Helper()
	if width == 0 || height == 0 {
		if view != "" {
			t.Fatalf("something is drawn on %dx%d", width, height)
		}
		return
	}
	lines := strings.Split(view, "\n")
	if len(lines) != height {
		t.Fatalf("%d lines on %dx%d", len(lines), width, height)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != width {
			t.Fatalf("line %d is %d cells wide on %dx%d: %q", i, w, width, height, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("line %d has a control character: %q", i, line)
		}
	}
}

// NewKey returns a key by its name, such as "enter", "alt+1" or "x".
func NewKey(name string) tea.KeyMsg {
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}
	}
	for kind := tea.KeyType(-100); kind < 128; kind++ {
		if k := (tea.KeyMsg{Type: kind}); kind != tea.KeyRunes && k.String() == name && name != "" {
			return k
		}
	}
	if letter, alt := strings.CutPrefix(name, "alt+"); alt {
		k := NewKey(letter)
		k.Alt = true
		return k
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// CheckBlock fails unless a block of lines has this size.
func CheckBlock(t testing.TB, name, block string, width, height int) {
	t.Helper()
	if width <= 0 || height <= 0 {
		if block != "" {
			t.Fatalf("%s: something is drawn on %dx%d", name, width, height)
		}
		return
	}
	lines := strings.Split(block, "\n")
	if len(lines) != height {
		t.Fatalf("%s: %d lines on %dx%d", name, len(lines), width, height)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != width {
			t.Fatalf("%s: line %d is %d cells wide on %dx%d: %q", name, i, w, width, height, line)
		}
	}
}
