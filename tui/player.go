package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Player plays a recorded run. Its methods are called while it plays.
type Player interface {
	Pause() // stops the time, and lets it go on
	Faster()
	Slower()
	Speed() string // how fast it plays, in a word
}

// handlePlayerKey hands the keys of a recording to its player; it tells whether the key was one.
func (d *dashboard) handlePlayerKey(k tea.KeyMsg) bool {
	switch {
	case d.options.Player == nil:
		return false
	case key.Matches(k, d.keys.Pause):
		d.options.Player.Pause()
	case key.Matches(k, d.keys.Faster):
		d.options.Player.Faster()
	case key.Matches(k, d.keys.Slower):
		d.options.Player.Slower()
	default:
		return false
	}
	return true
}

// formatSpeed says how fast the time of the run goes, unless it is that of everybody.
func (d *dashboard) formatSpeed() string {
	switch {
	case d.options.Player != nil:
		return "  " + sanitizeText(d.options.Player.Speed(), d.options.ASCII)
	case d.options.Speed != 0 && d.options.Speed != 1:
		return fmt.Sprintf("  %s%g", d.theme.Times, d.options.Speed)
	}
	return ""
}
