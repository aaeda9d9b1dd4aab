package tui

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// In bytes.
const maxFilterLength = 40

// startFilter begins to edit the filter of the selected pane; from panes without one it switches to the nodes.
func (d *dashboard) startFilter() {
	switch d.tab {
	case nodesTab, operatorsTab, logTab, synTab:
	default:
		d.tab = nodesTab
	}
	d.selectTab(d.tab)
	d.typing = true
}

// Letters are text while the filter is edited.
func (d *dashboard) handleFilterKey(k tea.KeyMsg) {
	d.filters[d.tab], d.typing = applyFilterKey(d.filters[d.tab], k, d.options.ASCII)
	d.offsets[d.tab], d.logEnd, d.journalEnd = 0, 0, 0
}

// A trailing space is kept, as more may follow.
func sanitizeRunes(typed []rune, ascii bool) string {
	if string(typed) == " " {
		return " "
	}
	return sanitizeText(string(typed), ascii)
}

// applyFilterKey returns the word after a key, and whether it is still being edited.
func applyFilterKey(word string, k tea.KeyMsg, ascii bool) (longer string, typing bool) {
	switch k.Type {
	case tea.KeyEnter:
		return word, false
	case tea.KeyEsc:
		return "", false
	case tea.KeyBackspace:
		_, last := utf8.DecodeLastRuneInString(word)
		return word[:len(word)-last], true
	case tea.KeyRunes, tea.KeySpace:
		if longer := word + sanitizeRunes(k.Runes, ascii); len(longer) <= maxFilterLength {
			return longer, true
		}
	}
	return word, true
}
