package theme_test

import (
	"strings"
	"testing"

	"exoshift/tui/theme"
	"exoshift/tui/tuitest"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

func TestMark_ASCIIWidth(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		styles := theme.New(termenv.Ascii, theme.NewTerminalPalette(), ascii)
		seen := map[string]bool{}
		for status := theme.Waiting; status <= theme.Skipped; status++ {
			mark := styles.Mark(status)
			if seen[mark] || ansi.StringWidth(mark) != ansi.StringWidth(styles.Indent())-1 {
				t.Errorf("the mark %q of %s is taken or has another width", mark, status.Word())
			}
			seen[mark] = true
		}
	}
}

func TestMark_ColorByTerminal(t *testing.T) {
	if got := tuitest.NewTheme(false).Mark(theme.OK); got != "✓" {
		t.Errorf("an uncoloured mark is %q", got)
	}
	if got := theme.New(termenv.ANSI, theme.NewTerminalPalette(), false).Mark(theme.OK); !strings.Contains(got, "\x1b[32m") {
		t.Errorf("a coloured mark is %q", got)
	}
}
