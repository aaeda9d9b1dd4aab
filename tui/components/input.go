package components

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// Input is a line of text that is being edited. What is typed or pasted is kept as it is: control characters and escape sequences alone
// are dropped, which a note says, and what does not fit is refused as a whole.
type Input struct {
	Hidden bool // words are deleted as one, so that their lengths are not revealed

	keys   inputKeys
	limit  int // in characters; 0: none
	text   []rune
	cursor int
	undo   []inputState
	typing bool // the last change was a typed character: the next one is undone with it
}

type inputState struct {
	text   []rune
	cursor int
}

// maxUndo is the number of changes that can be undone.
const maxUndo = 100

type inputKeys struct {
	Left, Right, WordLeft, WordRight, Home, End                      key.Binding
	Erase, Delete, EraseWord, DeleteWord, EraseAll, DeleteRest, Undo key.Binding
}

func newInputKeys() inputKeys {
	bind := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	return inputKeys{
		Left: bind("left", "ctrl+b"), Right: bind("right", "ctrl+f"),
		WordLeft: bind("alt+b", "ctrl+left"), WordRight: bind("alt+f", "alt+right", "ctrl+right"),
		Home: bind("home", "ctrl+a"), End: bind("end", "ctrl+e"),
		Erase: bind("backspace", "ctrl+h"), Delete: bind("delete", "ctrl+d"),
		EraseWord: bind("ctrl+w", "alt+backspace"), DeleteWord: bind("alt+d", "alt+delete"),
		EraseAll: bind("ctrl+u"), DeleteRest: bind("ctrl+k"), Undo: bind("ctrl+z"),
	}
}

// NewInput returns a text field of at most that many characters; 0 is any number.
func NewInput(limit int) Input { return Input{limit: limit, keys: newInputKeys()} }

// Value returns the text.
func (i *Input) Value() string { return string(i.text) }

// Position returns the number of characters before the cursor.
func (i *Input) Position() int { return i.cursor }

// SetCursor moves the cursor.
func (i *Input) SetCursor(position int) {
	i.cursor, i.typing = min(max(position, 0), len(i.text)), false
}

// SetValue replaces the text, which can be undone, and moves the cursor to its end.
func (i *Input) SetValue(text string) {
	cleaned, _ := cleanInput(text)
	if cleaned != i.Value() {
		i.replace([]rune(cleaned), utf8.RuneCountInString(cleaned))
	}
	i.typing = false
}

// HandleKey edits the text or moves the cursor; note says what was dropped or refused. Keys with alt that have no binding are no text.
func (i *Input) HandleKey(k tea.KeyMsg) (note string) {
	switch {
	case k.Type == tea.KeySpace:
		return i.insert(" ", !k.Paste)
	case i.moveCursor(k), i.deleteText(k):
	case key.Matches(k, i.keys.Undo):
		i.undoChange()
	case k.Type == tea.KeyRunes && !k.Alt:
		return i.insert(string(k.Runes), !k.Paste && len(k.Runes) == 1)
	}
	return ""
}

func (i *Input) moveCursor(k tea.KeyMsg) bool {
	switch {
	case key.Matches(k, i.keys.Left):
		i.SetCursor(i.cursor - 1)
	case key.Matches(k, i.keys.Right):
		i.SetCursor(i.cursor + 1)
	case key.Matches(k, i.keys.WordLeft):
		i.SetCursor(i.findWordStart(isWordRune))
	case key.Matches(k, i.keys.WordRight):
		i.SetCursor(i.findWordEnd())
	case key.Matches(k, i.keys.Home):
		i.SetCursor(0)
	case key.Matches(k, i.keys.End):
		i.SetCursor(len(i.text))
	default:
		return false
	}
	return true
}

func (i *Input) deleteText(k tea.KeyMsg) bool {
	switch {
	case key.Matches(k, i.keys.Erase):
		i.deleteRange(i.cursor-1, i.cursor)
	case key.Matches(k, i.keys.Delete):
		i.deleteRange(i.cursor, i.cursor+1)
	case key.Matches(k, i.keys.EraseWord):
		i.deleteRange(i.findWordStart(func(r rune) bool { return !unicode.IsSpace(r) }), i.cursor)
	case key.Matches(k, i.keys.DeleteWord):
		i.deleteRange(i.cursor, i.findWordEnd())
	case key.Matches(k, i.keys.EraseAll):
		i.deleteRange(0, i.cursor)
	case key.Matches(k, i.keys.DeleteRest):
		i.deleteRange(i.cursor, len(i.text))
	default:
		return false
	}
	return true
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func (i *Input) findWordStart(inWord func(rune) bool) int {
	at := i.cursor
	if i.Hidden {
		return 0
	}
	for at > 0 && !inWord(i.text[at-1]) {
		at--
	}
	for at > 0 && inWord(i.text[at-1]) {
		at--
	}
	return at
}

func (i *Input) findWordEnd() int {
	at := i.cursor
	if i.Hidden {
		return len(i.text)
	}
	for at < len(i.text) && !isWordRune(i.text[at]) {
		at++
	}
	for at < len(i.text) && isWordRune(i.text[at]) {
		at++
	}
	return at
}

func (i *Input) deleteRange(from, to int) {
	from, to = max(from, 0), min(to, len(i.text))
	if from < to {
		i.replace(slices.Concat(i.text[:from], i.text[to:]), from)
	}
	i.typing = false
}

// Insert inserts a text at the cursor; note says what was dropped, or why nothing was inserted.
func (i *Input) Insert(text string) (note string) { return i.insert(text, false) }

func (i *Input) insert(text string, typed bool) (note string) {
	cleaned, note := cleanInput(text)
	added := []rune(cleaned)
	if over := len(i.text) + len(added); i.limit > 0 && over > i.limit {
		return fmt.Sprintf("nothing was inserted: it would be %d characters, at most %d fit", over, i.limit)
	}
	if len(added) == 0 {
		return note
	}
	if typed && i.typing {
		i.text, i.cursor = insertAt(i.text, i.cursor, added), i.cursor+len(added)
	} else {
		i.replace(slices.Concat(i.text[:i.cursor], added, i.text[i.cursor:]), i.cursor+len(added))
	}
	i.typing = typed
	return note
}

// insertAt takes constant time at the end of the text: a long secret may be pasted character by character.
func insertAt(text []rune, at int, added []rune) []rune {
	if at == len(text) {
		return append(text, added...)
	}
	return slices.Concat(text[:at], added, text[at:])
}

func (i *Input) replace(text []rune, cursor int) {
	i.undo = append(slices.Clone(i.undo[max(len(i.undo)-maxUndo+1, 0):]), inputState{i.text, i.cursor})
	i.text, i.cursor = text, cursor
}

func (i *Input) undoChange() {
	if n := len(i.undo); n > 0 {
		i.text, i.cursor, i.undo = i.undo[n-1].text, i.undo[n-1].cursor, i.undo[:n-1]
	}
	i.typing = false
}

// cleanInput drops what must never reach a terminal, and makes spaces of the white space inside of a text; note says so. The end of the
// last line is no part of the text.
func cleanInput(text string) (cleaned, note string) {
	trimmed := strings.TrimRight(text, "\r\n")
	plain := ansi.Strip(strings.ToValidUTF8(trimmed, string(unicode.ReplacementChar)))
	dropped, spaced := strings.Contains(trimmed, "\x1b"), false
	cleaned = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			spaced = true
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar:
			dropped = true
			return -1
		}
		return r
	}, plain)
	switch {
	case dropped:
		return cleaned, "control characters were left out"
	case spaced:
		return cleaned, "line breaks and tabs became spaces"
	}
	return cleaned, ""
}

// RenderCursor draws the cursor on the first character of rest. Without colours the cursor is a character of its own.
func RenderCursor(t theme.Theme, rest []rune) string {
	plain := t.Selected.Render("x") == "x"
	switch {
	case plain && len(rest) == 0:
		return "_"
	case plain:
		return "|" + string(rest)
	case len(rest) == 0:
		return t.Selected.Render(" ")
	}
	return t.Selected.Render(string(rest[:1])) + string(rest[1:])
}

// Render draws as much of the text as fits, always with the cursor, and marks what is cut on the left.
func (i *Input) Render(t theme.Theme, ascii bool, width int) string {
	text := slices.Clone(i.text)
	if ascii { // one character for each, so that the cursor stays where it is
		for n, r := range text {
			if r >= utf8.RuneSelf {
				text[n] = cells.ToASCIIRune(r)
			}
		}
	}
	room := max(width-1, 1)
	from := 0
	for from < i.cursor && ansi.StringWidth(string(text[from:i.cursor])) > room {
		from++
	}
	return cells.Fit(string(text[from:i.cursor])+RenderCursor(t, text[i.cursor:]), width)
}
