package run

import (
	"cmp"
	"slices"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components/cluster"
	"exoshift/tui/theme"
)

// Log shows events, one sentence each, the newest at the bottom.
type Log struct {
	Theme  theme.Theme
	Events []provisioner.Event
	Title  func(step string) string // title of a step
	Until  int                      // sequence number of the event at the bottom; 0 follows the run
	Empty  string                   // text of an empty log; "" for the default
	Filter string                   // only events that mention this word
	Typing bool                     // the filter is being edited
}

// View draws the newest events, or those up to Until.
func (p Log) View(width, height int) string {
	visible := p.filterEvents()
	bottom := p.findBottom(visible)
	top := max(bottom-max(height, 0), 0)
	var lines []string
	for _, i := range visible[top:bottom] {
		lines = append(lines, p.renderLine(p.Events[i]))
	}
	if p.Typing || p.Filter != "" {
		lines = append([]string{p.Theme.RenderFilter(p.Filter, p.Typing)}, lines[min(len(lines), max(len(lines)+1-height, 0)):]...)
	}
	if newer := len(visible) - bottom; newer > 0 && len(lines) > 1 {
		lines[len(lines)-1] = p.Theme.Dim.Render("↓ " + text.Plural(newer+1, "newer event"))
	}
	if len(lines) == 0 {
		lines = append(lines, p.Theme.Dim.Render(cmp.Or(p.Empty, "no events yet")))
	}
	return cells.Fill(lines, width, height)
}

// filterEvents returns the indices of the events, without waits that only repeat their predecessor.
func (p Log) filterEvents() []int {
	visible := make([]int, 0, len(p.Events))
	last := map[string]string{}
	for i := range p.Events {
		e := &p.Events[i]
		if e.Type == provisioner.TypeWait {
			if seen, known := last[e.Step]; known && seen == e.Last {
				continue
			}
			last[e.Step] = e.Last
		}
		if p.Filter == "" || cluster.ContainsWord(p.Filter, formatArea(*e), p.formatEvent(*e)) {
			visible = append(visible, i)
		}
	}
	return visible
}

// Scroll returns the Until for a position by events further down, or up if by is negative; it never scrolls up further than to a
// full page.
func (p Log) Scroll(by, page int) int {
	visible := p.filterEvents()
	bottom := max(p.findBottom(visible)+by, min(max(page, 1), len(visible)))
	if bottom >= len(visible) {
		return 0
	}
	return p.Events[visible[bottom-1]].Seq
}

// findBottom returns the number of listed events up to Until.
func (p Log) findBottom(visible []int) int {
	if p.Until == 0 {
		return len(visible)
	}
	i := slices.IndexFunc(visible, func(i int) bool { return p.Events[i].Seq > p.Until })
	if i < 0 {
		return len(visible)
	}
	return i
}

func (p Log) formatEvent(e provisioner.Event) string {
	title := ""
	if p.Title != nil {
		title = p.Title(e.Step)
	}
	return formatEvent(e, title)
}

func (p Log) renderLine(e provisioner.Event) string {
	t, status := p.Theme, mapEventStatus(e)
	text := t.Plain.Render(p.formatEvent(e))
	if status == theme.Failed || status == theme.Warn {
		text = t.Style(status).Render(t.MarkCell(status) + " " + p.formatEvent(e))
	}
	return t.Dim.Render(e.Time.Format("15:04:05")) + " " + t.Label.UnsetBold().Render(cells.Fit(formatArea(e), 9)) + " " + text
}
