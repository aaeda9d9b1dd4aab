package tui

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// maxFilterLength is how many bytes the word of a filter has at most.
const maxFilterLength = 40

// startFilter begins to ask for the word by which the chosen pane is filtered; panes that cannot be give way to the nodes.
func (d *dashboard) startFilter() {
	switch d.tab {
	case nodesTab, operatorsTab, logTab, synTab:
	default:
		d.tab = nodesTab
	}
	d.selectTab(d.tab)
	d.typing = true
}

// handleFilterKey takes a key while the word is being typed: letters are text.
func (d *dashboard) handleFilterKey(k tea.KeyMsg) {
	d.filters[d.tab], d.typing = applyFilterKey(d.filters[d.tab], k, d.options.ASCII)
	d.offsets[d.tab], d.logEnd, d.journalEnd = 0, 0, 0
}

// sanitizeRunes returns what was typed; a space is kept, as more may follow.
func sanitizeRunes(typed []rune, ascii bool) string {
	if string(typed) == " " {
		return " "
	}
	return sanitizeText(string(typed), ascii)
}

// applyFilterKey is a word after another key, and whether it is still being typed.
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
