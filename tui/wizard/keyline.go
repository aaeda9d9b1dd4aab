package wizard

import (
	"slices"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/wizard/page"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

func (s frame) renderKeyLine(width int) string {
	if s.notice != "" {
		return cells.Fit(" "+s.notice, width)
	}
	line := ""
	for _, binding := range s.filterHints(s.listBindings(), width) {
		line += components.MarkKey(s.theme, binding, s.formatKey(binding))
	}
	return cells.Fit(line, width)
}

func (s frame) formatKey(binding key.Binding) string {
	h := binding.Help()
	return " " + s.theme.Bold.Render(h.Key) + " " + s.theme.Dim.Render(h.Desc) + " "
}

// filterHints returns the keys that fit, in their order. The first one and those for help and quit take precedence.
func (s frame) filterHints(all []key.Binding, width int) []key.Binding {
	fits := make([]bool, len(all))
	take := func(i int) {
		if wide := ansi.StringWidth(s.formatKey(all[i])); all[i].Enabled() && !fits[i] && wide <= width {
			fits[i], width = true, width-wide
		}
	}
	for i, binding := range all {
		if i == 0 || slices.Contains([]string{"esc", "F1", "ctrl+c"}, binding.Help().Key) {
			take(i)
		}
	}
	var fitting []key.Binding
	for i, binding := range all {
		if take(i); fits[i] {
			fitting = append(fitting, binding)
		}
	}
	return fitting
}

func (s frame) listBindings() []key.Binding {
	switch {
	case s.quitDialog != nil:
		return []key.Binding{s.keys.Accept, s.keys.Back}
	case s.signInState != nil:
		return []key.Binding{components.NewHint("c", "copy the URL"), s.keys.Back, s.keys.Leave}
	case s.help && s.countHiddenHelp() > 0:
		return []key.Binding{s.keys.Scroll, s.keys.Close}
	case s.help:
		return []key.Binding{s.keys.Close}
	case s.session == nil && s.start.popups.Open != nil:
		return s.start.popups.Open.Hints()
	case s.session == nil:
		return append([]key.Binding{s.keys.Accept, s.keys.Help, key.NewBinding(key.WithKeys("q"), key.WithHelp("q", "quit"))}, s.start.listDraftHints()...)
	}
	if s.inputMode() == page.ModeCapture {
		return append(s.currentPage().Hints(), s.keys.Help, s.keys.Leave)
	}
	again := s.keys.Again
	if s.session.Lookups.IsRunning() {
		again.SetHelp(again.Help().Key, "cancel")
	}
	hints := s.currentPage().Hints()
	if signIn(s).isOffered() {
		hints = append(hints, s.keys.SignIn)
	}
	hints = append(hints, s.keys.Back, s.keys.Help, s.keys.Leave, s.keys.Export, again, s.keys.Jump, s.keys.Move)
	if s.inputMode() == page.ModeReadOnly {
		hints = append(hints, s.keys.Mouse)
	}
	return hints
}
