// Package background answers for the terminal whether its background is dark. Nobody needs to know, as the colours of the
// screens are the terminal's own; but bubbletea asks as soon as it is linked in, and waits up to five seconds for
// terminals that do not answer.
//
// It works because packages are initialized in the order of their import paths once their imports are. So this one must
// import nothing but lipgloss, which bubbletea waits for, too.
package background

import "github.com/charmbracelet/lipgloss"

var _ = setDark()

func setDark() bool {
	lipgloss.SetHasDarkBackground(true)
	return true
}
