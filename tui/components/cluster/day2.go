package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Day2 shows what a verb on an installed cluster works on: the nodes in question, the machine config pools, and the storage.
type Day2 struct {
	Theme  theme.Theme
	Board  *provisioner.Board
	Now    time.Time
	Offset int // lines scrolled
}

// View draws the nodes, then the pools, then the storage.
func (p Day2) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole pane.
func (p Day2) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Day2) renderLines(width int) []string {
	var lines []string
	for _, target := range p.sortTargets() {
		lines = append(lines, p.renderTarget(target, width)...)
	}
	if len(p.Board.Pools) > 0 {
		lines = p.startSection(lines, "machine config pools")
		for _, pool := range p.Board.Pools {
			lines = append(lines, p.renderPool(pool, width)...)
		}
	}
	if ceph := p.Board.Ceph; ceph != nil {
		lines = append(p.startSection(lines, "storage"), p.renderCeph(*ceph, width)...)
	}
	if len(lines) == 0 {
		return []string{p.Theme.Dim.Render("waiting for the cluster")}
	}
	return lines
}

func (p Day2) startSection(lines []string, title string) []string {
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return append(lines, p.Theme.Label.Render(title))
}

// sortTargets returns those that are worked on first, then those that wait, then the rest.
func (p Day2) sortTargets() []provisioner.Event {
	sorted := slices.Clone(p.Board.Targets)
	stable.Sort(sorted, func(a, b provisioner.Event) int {
		return MapTargetStatus(a).Urgency() - MapTargetStatus(b).Urgency()
	})
	return sorted
}

// heldLines is how many lines say what holds the pods of one node: the diagnosis has all of it.
const heldLines = 3

func (p Day2) renderTarget(target provisioner.Event, width int) []string {
	t, status := p.Theme, MapTargetStatus(target)
	line := t.Mark(status) + " " + cells.Fit(target.Name, min(16, width/2)) + " " + t.Style(status).Render(target.Text)
	if target.Node != "" && target.State != provisioner.TargetAdding {
		line += t.Dim.Render(" " + t.Arrow + " " + target.Node)
	}
	lines := []string{line}
	for i, held := range target.Evidence {
		if i == heldLines {
			return append(lines, t.Indent()+t.Dim.Render(fmt.Sprintf("and %d more", len(target.Evidence)-i)))
		}
		lines = append(lines, t.Indent()+t.Mark(theme.Warn)+" "+t.Caution.Render(held))
	}
	return lines
}

// MapTargetStatus returns the status that stands for a node in question.
func MapTargetStatus(target provisioner.Event) theme.Status {
	switch {
	case target.State == provisioner.TargetRemoved, target.State == provisioner.TargetAdded:
		return theme.OK
	case target.State == provisioner.TargetWaiting:
		return theme.Waiting
	case len(target.Evidence) > 0:
		return theme.Warn
	}
	return theme.Running
}

func (p Day2) renderPool(pool provisioner.Event, width int) []string {
	t, status := p.Theme, MapPoolStatus(pool)
	line := t.Mark(status) + " " + cells.Fit(pool.Name, 12) + " " + t.Style(status).Render(pool.Text)
	if pool.Reason == "" {
		return []string{line}
	}
	wrapped := cells.WrapStyled(t.Caution, pool.Reason, t.Indent(), width)
	return append([]string{line}, wrapped[:min(len(wrapped), 2)]...)
}

// MapPoolStatus returns the status that stands for a machine config pool.
func MapPoolStatus(pool provisioner.Event) theme.Status {
	switch pool.State {
	case provisioner.PoolUpdated:
		return theme.OK
	case provisioner.PoolDegraded:
		return theme.Warn
	}
	return theme.Running
}

func (p Day2) renderCeph(event provisioner.Event, width int) []string {
	t, status := p.Theme, MapCephStatus(event)
	line := t.Mark(status) + " " + t.Style(status).Bold(true).Render(event.State)
	ceph := event.Ceph
	if ceph == nil {
		return []string{line}
	}
	lines := []string{line + "  " + event.Text}
	if ceph.Groups > 0 {
		percent := 100 * ceph.GroupsClean / ceph.Groups
		lines = append(lines, t.Indent()+t.RenderBar(percent, min(max(width-40, 6), 40))+fmt.Sprintf(" %d/%d placement groups clean", ceph.GroupsClean, ceph.Groups))
	}
	if len(ceph.Checks) > 0 {
		lines = append(lines, cells.WrapStyled(t.Style(status), strings.Join(ceph.Checks, ", "), t.Indent(), width)...)
	}
	return lines
}

// MapCephStatus returns the status that stands for the health of the storage.
func MapCephStatus(event provisioner.Event) theme.Status {
	switch event.State {
	case "HEALTH_OK":
		return theme.OK
	case "HEALTH_ERR":
		return theme.Failed
	}
	return theme.Warn
}

// RenderSummary returns the nodes in question in one line.
func (p Day2) RenderSummary() string {
	t := p.Theme
	var parts []string
	for _, target := range p.sortTargets() {
		status := MapTargetStatus(target)
		parts = append(parts, t.Mark(status)+" "+target.Name+" "+t.Style(status).Render(target.Text))
	}
	if event := p.Board.Ceph; event != nil && event.State != "HEALTH_OK" {
		parts = append(parts, t.Mark(MapCephStatus(*event))+" "+event.State)
	}
	return strings.Join(parts, "  ")
}
