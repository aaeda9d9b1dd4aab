package pane

import (
	"slices"

	"exoshift/provisioner"
)

// Log shows events, one sentence each, the newest at the bottom.
type Log struct {
	Theme  Theme
	Events []provisioner.Event
	Title  func(step string) string // what a step is called
	Until  int                      // sequence number of the event at the bottom; 0 follows the run
}

// View draws the newest events, or those up to Until.
func (p Log) View(width, height int) string {
	events := p.Told()
	bottom := p.bottom(events)
	top := max(bottom-height, 0)
	var lines []string
	for _, e := range events[top:bottom] {
		lines = append(lines, p.line(e))
	}
	if newer := len(events) - bottom; newer > 0 && len(lines) > 1 {
		lines[len(lines)-1] = p.Theme.Dim.Render("↓ " + Plural(newer+1, "newer event"))
	}
	if len(lines) == 0 {
		lines = append(lines, p.Theme.Dim.Render("no event yet"))
	}
	return Fill(lines, width, height)
}

// Told returns the events without waits that only repeat what they said before.
func (p Log) Told() []provisioner.Event {
	told := make([]provisioner.Event, 0, len(p.Events))
	last := map[string]string{}
	for _, e := range p.Events {
		if e.Type == provisioner.TypeWait {
			if seen, known := last[e.Step]; known && seen == e.Last {
				continue
			}
			last[e.Step] = e.Last
		}
		told = append(told, e)
	}
	return told
}

// Scrolled returns the Until that shows lines by events further down, or up if by is negative; the last event that
// is looked back to is the one that fills the page.
func (p Log) Scrolled(by, page int) int {
	events := p.Told()
	bottom := max(p.bottom(events)+by, min(max(page, 1), len(events)))
	if bottom >= len(events) {
		return 0
	}
	return events[bottom-1].Seq
}

// bottom returns how many of the events are above the lower edge.
func (p Log) bottom(events []provisioner.Event) int {
	if p.Until == 0 {
		return len(events)
	}
	i := slices.IndexFunc(events, func(e provisioner.Event) bool { return e.Seq > p.Until })
	if i < 0 {
		return len(events)
	}
	return i
}

func (p Log) line(e provisioner.Event) string {
	t, status := p.Theme, eventStatus(e)
	title := ""
	if p.Title != nil {
		title = p.Title(e.Step)
	}
	text := t.Plain.Render(Sentence(e, title))
	if status == Failed || status == Warn {
		text = t.Style(status).Render(t.tick(status) + " " + Sentence(e, title))
	}
	return t.Dim.Render(e.Time.Format("15:04:05")) + " " + t.Label.UnsetBold().Render(Fit(area(e), 9)) + " " + text
}
