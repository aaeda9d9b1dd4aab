package dashboard

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Player controls the playback of a recorded run. Its methods are called during the playback.
type Player interface {
	Pause() // toggles
	Faster()
	Slower()
	Speed() string // e.g. "paused"
}

// It reports whether the key was one of the player's.
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
