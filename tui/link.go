package tui

import (
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// handleLinkKey copies the link of the pending action; it reports whether there is one.
func (d *dashboard) handleLinkKey(k tea.KeyMsg) (tea.Cmd, bool) {
	link := d.buildAction().Link()
	if !key.Matches(k, d.keys.Copy) || link == "" {
		return nil, false
	}
	return copyToClipboard(d.options.Out, link), true
}

func (d *dashboard) handleCopied(m copiedMsg) {
	d.notice = d.theme.Mark(theme.OK) + " given to the terminal's clipboard, if it has one"
	if m.err != nil {
		d.notice = d.theme.Mark(theme.Failed) + " not copied: " + sanitizeText(m.err.Error(), d.options.ASCII)
	}
}
