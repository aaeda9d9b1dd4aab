package cluster

import (
	"fmt"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Services shows the services of the bootstrap machine.
type Services struct {
	Theme  theme.Theme
	Stages []provisioner.StageView
	Now    time.Time
}

func (p Services) renderLines(width int) []string {
	var lines []string
	for _, service := range p.Stages {
		lines = append(lines, p.renderRow(service, width))
		if service.Reason != "" {
			lines = append(lines, cells.Truncate(p.Theme.Indent()+p.Theme.Style(mapServiceStatus(service)).Render(service.Reason), width))
		}
	}
	return lines
}

// computeNameWidth has room for the longest name, if the stage beside it keeps half of the width.
func (p Services) computeNameWidth(width int) int {
	const usual = 14
	widest := usual
	for _, service := range p.Stages {
		widest = max(widest, cells.Count(service.Service))
	}
	return min(widest, max(usual, width/2))
}

func (p Services) renderRow(service provisioner.StageView, width int) string {
	t, status := p.Theme, mapServiceStatus(service)
	line := t.Mark(status) + " " + cells.Fit(service.Service, p.computeNameWidth(width)) + " " + t.Style(status).Render(service.Stage)
	if n := len(service.Finished); n > 0 && width >= 40 {
		line += t.Dim.Render(fmt.Sprintf("  %d done", n))
	}
	if status == theme.OK {
		return cells.Fit(line, width)
	}
	return cells.JoinEnds(line, t.Dim.Render(text.FormatDuration(p.Now.Sub(service.At))), width)
}

// Done is reported only after success.
func mapServiceStatus(service provisioner.StageView) theme.Status {
	switch service.State {
	case provisioner.Failed:
		return theme.Failed
	case provisioner.Done:
		return theme.OK
	}
	return theme.Running
}
