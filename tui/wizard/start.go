package wizard

import (
	"fmt"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

type startScreen struct {
	theme   theme.Theme
	options []StartOption
	cursor  int
	opening bool
	err     error
	ascii   bool
	popups  components.Popups // about the draft under the cursor
}

func newStartScreen(w Options, theme theme.Theme) startScreen {
	screen := startScreen{theme: theme, ascii: w.ASCII}
	for _, o := range w.StartOptions {
		screen.options = append(screen.options, StartOption{o.ID, cells.SanitizeText(o.Title, w.ASCII), cells.SanitizeText(o.Help, w.ASCII), o.Draft})
	}
	return screen
}

// View draws the screen.
func (v startScreen) View(width, height int) string {
	if v.popups.Open != nil {
		return v.popups.Open.View(width, height)
	}
	t := v.theme
	lines := []string{"", " " + t.Bold.Render("What would you like to do?"), ""}
	for i, option := range v.options {
		text := fmt.Sprintf("%d  %s", i+1, option.Title)
		row := "    " + text
		if i == v.cursor {
			row = " " + t.Cursor + " " + t.Selected.Render(" "+text+" ")
		}
		lines = append(lines, components.MarkTarget(t, fmt.Sprint(startTarget, i), row))
	}
	lines = append(lines, "")
	switch {
	case v.err != nil:
		lines = append(lines, cells.Wrap(t.Mark(theme.Failed)+" "+cells.SanitizeText(v.err.Error(), v.ascii), " ", width)...)
	case v.opening:
		lines = append(lines, " "+t.Mark(theme.Running)+" one moment…")
	case v.cursor < len(v.options):
		lines = append(lines, cells.Wrap(v.options[v.cursor].Help, " ", min(width, 90))...)
	}
	return cells.Fill(lines, width, height)
}
