package app

import (
	"bytes"
	"io"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// keyRecorder records the keys before Enter.
type keyRecorder struct{ keys *[]string }

func (keyRecorder) Init() tea.Cmd { return nil }

func (keyRecorder) View() string { return "" }

func (r keyRecorder) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	k, is := message.(tea.KeyMsg)
	switch {
	case !is:
	case k.Paste:
		*r.keys = append(*r.keys, "paste of "+string(k.Runes))
	case k.Type == tea.KeyEnter:
		return r, tea.Quit
	default:
		*r.keys = append(*r.keys, k.String())
	}
	return r, nil
}

// readKeys returns what bubbletea makes of an input.
func readKeys(t *testing.T, input io.Reader) []string {
	t.Helper()
	var keys []string
	var p *tea.Program
	p = tea.NewProgram(keyRecorder{&keys}, tea.WithInput(newKeyReader(input, func(m tea.Msg) { p.Send(m) })), tea.WithOutput(io.Discard),
		tea.WithoutRenderer(), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestKeyReader_PasteBetweenKeys tries every place at which a piece of the input may end.
func TestKeyReader_PasteBetweenKeys(t *testing.T) {
	for _, size := range []int{3, 300} {
		text := strings.Repeat("é", size)
		for before := range 270 {
			keys := readKeys(t, strings.NewReader(strings.Repeat("a", before)+pasteStart+text+pasteEnd+"éééééééé"+pasteStart+text+pasteEnd+"c\r"))
			want := strings.Repeat("a", before) + "|paste of " + text + "|éééééééé|paste of " + text + "|c"
			if got := joinTyped(keys); got != strings.TrimPrefix(want, "|") {
				t.Fatalf("behind %d keys, a paste of %d letters is read as %.300q", before, size, got)
			}
		}
	}
}

// joinTyped joins the keys, with a bar around each paste: how many keys come in one message is of no interest.
func joinTyped(keys []string) string {
	var out strings.Builder
	for i, key := range keys {
		isPaste := strings.HasPrefix(key, "paste of ")
		if i > 0 && (isPaste || strings.HasPrefix(keys[i-1], "paste of ")) {
			out.WriteString("|")
		}
		out.WriteString(key)
	}
	return out.String()
}

// countingReader counts what is handed on.
type countingReader struct {
	io.Reader
	count int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.count += n
	return n, err
}

// TestKeyReader_LongPasteIsSentWhole holds that bubbletea, which copies a paste again with each piece, reads nothing of it.
func TestKeyReader_LongPasteIsSentWhole(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	var sent []tea.Msg
	read := countingReader{Reader: newKeyReader(io.MultiReader(strings.NewReader(pasteStart), bytes.NewReader(text), strings.NewReader(pasteEnd+"q")),
		func(m tea.Msg) { sent = append(sent, m) })}
	buffer := make([]byte, 256)
	for read.count == 0 {
		if _, err := read.Read(buffer); err != nil {
			t.Fatal(err)
		}
	}
	if len(sent) != 1 || string(sent[0].(tea.KeyMsg).Runes) != string(text) || string(buffer[:read.count]) != "q" {
		t.Errorf("%d messages, and bubbletea reads %q", len(sent), buffer[:read.count])
	}
}
