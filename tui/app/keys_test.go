package app

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestSplitEscape_KeepsTheKeyBehind(t *testing.T) {
	letter := func(r rune, alt bool) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: alt} }
	for _, c := range []struct {
		read tea.Msg
		want string
	}{
		{letter('q', true), "esc q"},
		{letter('Q', true), "esc Q"},
		{letter('/', true), "esc /"},
		{tea.KeyMsg{Type: tea.KeyEnter, Alt: true}, "esc enter"},
		{tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: true}, "esc  "},
		{tea.KeyMsg{Type: tea.KeyEsc, Alt: true}, "esc"},
		{letter('b', true), "alt+b"},
		{letter('3', true), "alt+3"},
		{tea.KeyMsg{Type: tea.KeyLeft, Alt: true}, "alt+left"},
		{tea.KeyMsg{Type: tea.KeyBackspace, Alt: true}, "alt+backspace"},
		{letter('q', false), "q"},
	} {
		var keys []string
		for _, m := range SplitEscape(c.read) {
			keys = append(keys, m.(tea.KeyMsg).String())
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%v is read as %q, want %q", c.read, got, c.want)
		}
	}
}

// TestRoot_KeyBehindEscape holds that both keys reach the screen.
func TestRoot_KeyBehindEscape(t *testing.T) {
	keys := &keyScreen{}
	(&root{screen: keys}).Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'j'}, Alt: true})
	if got := strings.Join(keys.got, " "); got != "esc j" {
		t.Errorf("the screen gets %q", got)
	}
}

type keyScreen struct {
	emptyScreen
	got []string
}

func (s *keyScreen) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	if k, is := m.(tea.KeyMsg); is {
		s.got = append(s.got, k.String())
	}
	return s, nil
}
