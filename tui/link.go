package tui

import (
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// pressLink copies the page that somebody has to open, and tells whether there is one.
func (d *dashboard) pressLink(k tea.KeyMsg) (tea.Cmd, bool) {
	link := d.errand().Link()
	if !key.Matches(k, d.keys.Copy) || link == "" {
		return nil, false
	}
	return clip(d.options.Out, link), true
}

// hearCopied says what became of a copy, until the next key.
func (d *dashboard) hearCopied(m copied) {
	d.notes = d.theme.Mark(pane.OK) + " given to the terminal's clipboard, if it has one"
	if m.err != nil {
		d.notes = d.theme.Mark(pane.Failed) + " not copied: " + cleanText(m.err.Error(), d.options.ASCII)
	}
}
