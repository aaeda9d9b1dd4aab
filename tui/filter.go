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
	case nodesTab, operatorsTab, logTab, synTab:
	default:
		d.tab = nodesTab
	}
	d.choose(d.tab)
	d.typing = true
}

// write takes a key while the word is being typed: letters are text.
func (d *dashboard) write(k tea.KeyMsg) {
	d.filters[d.tab], d.typing = typedWord(d.filters[d.tab], k, d.options.ASCII)
	d.offsets[d.tab], d.until, d.journalUntil = 0, 0, 0
}

// cleanRunes returns what was typed; a space is kept, as more may follow.
func cleanRunes(typed []rune, ascii bool) string {
	if string(typed) == " " {
		return " "
	}
	return cleanText(string(typed), ascii)
}

// typedWord is a word after another key, and whether it is still being typed.
func typedWord(word string, k tea.KeyMsg, ascii bool) (longer string, typing bool) {
	switch k.Type {
	case tea.KeyEnter:
		return word, false
	case tea.KeyEsc:
		return "", false
	case tea.KeyBackspace:
		_, last := utf8.DecodeLastRuneInString(word)
		return word[:len(word)-last], true
	case tea.KeyRunes, tea.KeySpace:
		if longer := word + cleanRunes(k.Runes, ascii); len(longer) <= longestFilter {
			return longer, true
		}
	}
	return word, true
}
