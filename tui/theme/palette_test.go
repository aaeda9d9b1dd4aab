package theme

import (
	"math"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// luminance is that of WCAG 2, from 0 to 1.
func luminance(t *testing.T, color lipgloss.TerminalColor) float64 {
	t.Helper()
	weights, sum := [3]float64{0.2126, 0.7152, 0.0722}, 0.0
	red, green, blue, _ := termenv.ConvertToRGB(termenv.ANSI256.Color(string(color.(lipgloss.Color)))).RGBA()
	for n, part := range [3]uint32{red, green, blue} {
		linear := float64(part) / 0xffff
		if linear /= 12.92; linear*12.92 > 0.04045 {
			linear = math.Pow((linear*12.92+0.055)/1.055, 2.4)
		}
		sum += weights[n] * linear
	}
	return sum
}

func TestNeutralPalette_IsLegibleOnBlackAndWhite(t *testing.T) {
	const least = 3.9 // WCAG asks for 4.5 of text, and 3 of bold or large text
	p := NewNeutralPalette()
	for name, color := range map[string]lipgloss.TerminalColor{"good": p.Good, "active": p.Active, "caution": p.Caution, "bad": p.Bad, "accent": p.Accent} {
		l := luminance(t, color)
		if onBlack, onWhite := (l+0.05)/0.05, 1.05/(l+0.05); onBlack < least || onWhite < least {
			t.Errorf("%s has the contrast %.1f to black and %.1f to white", name, onBlack, onWhite)
		}
	}
}

func TestSelectPalette_ByBackground(t *testing.T) {
	for _, c := range []struct {
		profile   termenv.Profile
		colorFGBG string
		neutral   bool
	}{
		{termenv.ANSI256, "", true},
		{termenv.TrueColor, "0;15", true},
		{termenv.TrueColor, "0;default;15", true},
		{termenv.ANSI256, "0;7", true},
		{termenv.ANSI256, "15;0", false},
		{termenv.ANSI256, "7;default;8", false},
		{termenv.ANSI256, "15;default", true},
		{termenv.ANSI256, ";", true},
		{termenv.ANSI, "0;15", false},
	} {
		want := NewTerminalPalette()
		if c.neutral {
			want = NewNeutralPalette()
		}
		if got := selectPalette(c.profile, c.colorFGBG); got != want {
			t.Errorf("%v, COLORFGBG=%q: %v", c.profile, c.colorFGBG, got)
		}
	}
}
