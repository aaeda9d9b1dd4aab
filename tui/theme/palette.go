package theme

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Palette holds the colours of all styles.
type Palette struct {
	Good, Active, Caution, Bad, Accent lipgloss.TerminalColor
}

// NewTerminalPalette is the palette of the terminal's own sixteen colours, which suit a dark background. On a light one, many
// terminals have a yellow and a cyan that cannot be read.
func NewTerminalPalette() Palette {
	return Palette{
		Good:    lipgloss.ANSIColor(2),
		Active:  lipgloss.ANSIColor(6),
		Caution: lipgloss.ANSIColor(3),
		Bad:     lipgloss.ANSIColor(1),
		Accent:  lipgloss.ANSIColor(12),
	}
}

// NewNeutralPalette has colours halfway between black and white, which can be read on both.
func NewNeutralPalette() Palette {
	return Palette{
		Good:    lipgloss.Color("28"),
		Active:  lipgloss.Color("30"),
		Caution: lipgloss.Color("130"),
		Bad:     lipgloss.Color("196"),
		Accent:  lipgloss.Color("27"),
	}
}

// selectPalette returns the terminal's own colours if its background is known to be dark, or it has no others. The terminal is
// not asked for its background, for which many have no answer: some set COLORFGBG.
func selectPalette(profile termenv.Profile, colorFGBG string) Palette {
	if profile == termenv.ANSI || profile == termenv.Ascii || isDark(colorFGBG) {
		return NewTerminalPalette()
	}
	return NewNeutralPalette()
}

// isDark reports whether the last part of e.g. "15;0", or of "15;default;0", is a dark colour.
func isDark(colorFGBG string) bool {
	background, err := strconv.Atoi(colorFGBG[strings.LastIndexByte(colorFGBG, ';')+1:])
	return err == nil && (background >= 0 && background <= 6 || background == 8)
}
