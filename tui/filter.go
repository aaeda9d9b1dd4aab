package tui

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// longestFilter is how many bytes the word of a filter has at most.
const longestFilter = 40

// filter begins to ask for the word by which the chosen pane is filtered; panes that cannot be give way to the nodes.
func (d *dashboard) filter() {
	switch d.tab {
	case nodesTab, operatorsTab, logTab:
	default:
		d.tab = nodesTab
	}
	d.choose(d.tab)
	d.typing = true
}

// write takes a key while the word is being typed: letters are text.
func (d *dashboard) write(k tea.KeyMsg) {
	word := &d.filters[d.tab]
	switch k.Type {
	case tea.KeyEnter:
		d.typing = false
	case tea.KeyEsc:
		d.typing, *word = false, ""
	case tea.KeyBackspace:
		_, last := utf8.DecodeLastRuneInString(*word)
		*word = (*word)[:len(*word)-last]
	case tea.KeyRunes, tea.KeySpace:
		if longer := *word + cleanRunes(k.Runes, d.options.ASCII); len(longer) <= longestFilter {
			*word = longer
		}
	}
	d.offsets[d.tab], d.until, d.journalUntil = 0, 0, 0
}

// cleanRunes returns what was typed; a space is kept, as more may follow.
func cleanRunes(typed []rune, ascii bool) string {
	if string(typed) == " " {
		return " "
	}
	return cleanText(string(typed), ascii)
}
