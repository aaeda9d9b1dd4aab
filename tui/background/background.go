// Package background sets the background of the terminal to dark in lipgloss, so that the terminal is not queried for it. The
// value does not matter, as the colours of the screens are the terminal's own; but bubbletea queries it as soon as it is linked
// in, and waits up to five seconds for terminals that do not answer.
//
// It works because packages are initialized in the order of their import paths once their imports are. So this one must import
// nothing but lipgloss, which bubbletea waits for, too.
package background

import (
	"github.com/charmbracelet/lipgloss"
)

var _ = setDark()

func setDark() bool {
	lipgloss.SetHasDarkBackground(true)
	return true
}
