package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hinshun/vt10x"
)

// writeScreens writes an asciicast of version 2 as Session.Record does, made of the screens at the end of each frame: a program that draws its
// clock many times a second takes no more room than one that does not.
func writeScreens(w io.Writer, title string, c Cast, t transcript) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err := out.Encode(struct {
		Version int    `json:"version"`
		Width   int    `json:"width"`
		Height  int    `json:"height"`
		Title   string `json:"title"`
	}{2, c.Width, c.Height, title})
	emulator := vt10x.New(vt10x.WithSize(c.Width, c.Height), vt10x.WithWriter(io.Discard))
	c.Slide = 0
	shown := make([]string, c.Height)
	frames, _ := c.frames(t)
	for _, frame := range frames {
		_, _ = emulator.Write([]byte(padded(frame.text)))
		if changes := drawChanges(emulator, shown); changes != "" {
			err = errors.Join(err, out.Encode([]any{float64(frame.at.Milliseconds()) / 1000, "o", changes}))
		}
	}
	return err
}

// drawChanges draws the lines that differ from those that are shown, and notes them as shown.
func drawChanges(e vt10x.Terminal, shown []string) string {
	e.Lock()
	defer e.Unlock()
	var changes strings.Builder
	width, height := e.Size()
	for y := range min(height, len(shown)) {
		if drawn := drawLine(e, y, width); drawn != shown[y] {
			shown[y] = drawn
			fmt.Fprintf(&changes, "\x1b[%d;1H\x1b[m%s\x1b[m\x1b[K", y+1, drawn)
		}
	}
	if changes.Len() == 0 {
		return ""
	}
	visibility := "l"
	if e.CursorVisible() {
		visibility = "h"
	}
	at := e.Cursor()
	fmt.Fprintf(&changes, "\x1b[%d;%dH\x1b[?25%s", at.Y+1, at.X+1, visibility)
	return changes.String()
}

// drawLine returns a line with its styles. Blanks at its end that have no style are left out.
func drawLine(e vt10x.Terminal, y, width int) string {
	var text strings.Builder
	blank := newBlank()
	style := drawStyle(blank)
	cells := make([]vt10x.Glyph, width)
	for x := range cells {
		cells[x] = e.Cell(x, y)
		if cells[x].Char == 0 {
			cells[x].Char = ' '
		}
	}
	for len(cells) > 0 && cells[len(cells)-1] == blank {
		cells = cells[:len(cells)-1]
	}
	for _, cell := range cells {
		if cell.Char == filler {
			continue
		}
		if now := drawStyle(cell); now != style {
			text.WriteString(now)
			style = now
		}
		text.WriteRune(cell.Char)
	}
	return text.String()
}

// newBlank returns a cell as an empty terminal has it.
func newBlank() vt10x.Glyph {
	return vt10x.Glyph{Char: ' ', FG: vt10x.DefaultFG, BG: vt10x.DefaultBG}
}

// What the emulator notes of a cell, by its bits.
const (
	reverse = 1 << iota
	underline
	bold
	_ // of characters that draw lines
	italic
)

// drawStyle returns the sequence that sets the style of a cell, whatever was set before. The emulator has exchanged the colours of a cell that is reversed.
func drawStyle(cell vt10x.Glyph) string {
	parameters := []string{"0"}
	for _, is := range []struct {
		mode      int16
		parameter string
	}{{bold, "1"}, {italic, "3"}, {underline, "4"}, {reverse, "7"}} {
		if cell.Mode&is.mode != 0 {
			parameters = append(parameters, is.parameter)
		}
	}
	foreground, background := cell.FG, cell.BG
	if cell.Mode&reverse != 0 {
		foreground, background = background, foreground
	}
	parameters = append(parameters, drawColor(foreground, vt10x.DefaultFG, "38"), drawColor(background, vt10x.DefaultBG, "48"))
	parameters = slices.DeleteFunc(parameters, func(p string) bool { return p == "" })
	return "\x1b[" + strings.Join(parameters, ";") + "m"
}

// drawColor returns the parameters of a colour: one of the terminal's 256, or red, green and blue; "" for the terminal's own.
func drawColor(c, usual vt10x.Color, parameter string) string {
	switch {
	case c == usual:
		return ""
	case c < 256:
		return fmt.Sprintf("%s;5;%d", parameter, c)
	default:
		return fmt.Sprintf("%s;2;%d;%d;%d", parameter, c>>16&0xff, c>>8&0xff, c&0xff)
	}
}
