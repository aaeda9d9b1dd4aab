package session

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"golang.org/x/sys/unix"
)

// filler is what stands in the second cell of a wide character, as the emulator knows narrow ones only.
const filler = '\uE000'

// transcript is everything that was drawn.
type transcript struct {
	began    time.Time
	chunks   []chunk
	marks    []mark
	partial  []byte // the beginning of a character whose end was not read yet
	bytes    int
	after    unix.Termios // the terminal's settings when the program had ended
	settings error        // why they are not known

	unfinished bool   // a frame was begun and not drawn to its end
	recent     string // the end of what was drawn, which may hold half of a sequence
}

// chunk is what was read at once: whole characters.
type chunk struct {
	at   time.Duration
	text string
}

// add notes what was read and returns it in the form that suits the emulator.
func (t *transcript) add(read []byte) []byte {
	t.bytes += len(read)
	whole := append(t.partial, read...)
	end := len(whole)
	for back := 1; back < utf8.UTFMax && back <= len(whole); back++ {
		if start := len(whole) - back; utf8.RuneStart(whole[start]) {
			if !utf8.FullRune(whole[start:]) {
				end = start
			}
			break
		}
	}
	text := strings.ToValidUTF8(string(whole[:end]), "\uFFFD")
	t.partial = append([]byte(nil), whole[end:]...)
	if text != "" {
		t.chunks = append(t.chunks, chunk{time.Since(t.began), text})
	}
	t.follow(text)
	return []byte(padded(text))
}

// longestMove is more than a sequence takes that moves the cursor.
const longestMove = 16

// follow finds out whether a frame is being drawn: it begins where the cursor goes home, and ends where the cursor is put
// into the last line, which is home as well if there is but one.
func (t *transcript) follow(text string) {
	t.recent += text
	moves := regexp.MustCompile(`\x1b\[(\d+;)?H`).FindAllString(t.recent, -1)
	if n := len(moves); n > 0 {
		t.unfinished = moves[n-1] == "\x1b[H" && !strings.HasSuffix(t.recent, moves[n-1])
	}
	t.recent = t.recent[max(0, len(t.recent)-longestMove):]
}

// padded gives each character as many cells as a terminal does.
func padded(text string) string {
	var cells strings.Builder
	for _, r := range text {
		switch width := runewidth.RuneWidth(r); {
		case r < 0x300 || width == 1:
			cells.WriteRune(r)
		case width == 2:
			cells.WriteRune(r)
			cells.WriteRune(filler)
		}
	}
	return cells.String()
}

func (t *transcript) text() string {
	var all strings.Builder
	for _, c := range t.chunks {
		all.WriteString(c.text)
	}
	return all.String()
}

// modes returns the terminal's private modes as they were left, by their number.
func (t *transcript) modes() map[string]bool {
	on := map[string]bool{}
	for _, change := range regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`).FindAllStringSubmatch(t.text(), -1) {
		for mode := range strings.SplitSeq(change[1], ";") {
			on[mode] = change[2] == "h"
		}
	}
	return on
}
