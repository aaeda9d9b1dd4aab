package dashboard

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"
)

// buildPlain is the screen for terminals that are too small for panes: the status in a few lines.
func (s screen) buildPlain() components.View {
	switch {
	case s.leaveDialog != nil:
		return smallLeave{s.theme, s.leaveDialog.IsAccepted()}
	case s.approveDialog != nil:
		return s.approveDialog
	case s.handover.open:
		return smallReport{s.handover.build(), s.theme.Dim.Render(" up/down scroll, q quits")}
	}
	return smallStatus{
		problem: s.panes.buildDiagnosis().RenderSummary(), title: s.newTitle().render, runStatus: s.panes.buildStatus(), action: s.panes.buildAction(),
		strip: s.panes.buildStrip(), counts: s.formatCounts(), note: s.theme.Dim.Render(" small terminal: status only, q quits"),
	}
}

// formatCounts returns the numbers of the overview, shortest first.
func (s screen) formatCounts() []string {
	width := 6
	if s.nav.day2 {
		width = 8
	}
	label := func(name, text string) string { return " " + s.theme.Label.Render(cells.Fit(name, width)) + text }
	var syn []string
	if taken := s.panes.buildApplications().RenderSummary(); taken != "" {
		syn = []string{label("syn", taken)}
	}
	progress := label("boot", s.panes.buildBootstrap().RenderSummary())
	if s.nav.day2 {
		progress = label("day 2", s.panes.buildDay2().RenderSummary())
	}
	return append(syn,
		label("nodes", s.panes.buildNodes().RenderReady()),
		label("etcd", s.panes.buildEtcd().RenderSummary()),
		progress,
		label(s.nav.name(cloudTab), s.panes.buildCloud().RenderSummary()),
	)
}

// smallStatus stacks what fits: the current status first, then the title, then the rest.
type smallStatus struct {
	problem   string
	title     func(width int) string
	runStatus run.Status
	action    run.Action
	strip     components.View
	counts    []string
	note      string
}

func (v smallStatus) View(width, height int) string {
	now := strings.Split(v.runStatus.View(width, min(height, 3)), "\n")
	if height < 4 {
		return cells.Fill(now, width, height)
	}
	lines := append([]string{v.title(width), v.strip.View(width, 1)}, now...)
	if todo := v.action.Height(width); todo > 0 && height > todo {
		return cells.Fill(append(strings.Split(v.action.View(width, todo), "\n")[1:], now...), width, height)
	}
	if v.problem != "" {
		lines = append(lines, " "+v.problem)
	}
	lines = append(lines, v.counts...)
	if len(lines) >= height {
		lines = lines[:height-1]
	}
	return cells.Fill(append(lines, v.note), width, height)
}

type smallLeave struct {
	theme theme.Theme
	stop  bool
}

func (v smallLeave) View(width, height int) string {
	back, stop := "  cancel", "  stop, keep everything"
	if v.stop {
		stop = v.theme.Selected.Render(v.theme.Cursor + stop[1:])
	} else {
		back = v.theme.Selected.Render(v.theme.Cursor + back[1:])
	}
	lines := []string{back, stop, "nothing is deleted; enter selects"}
	if height > len(lines) {
		lines = append([]string{v.theme.Bold.Render("Quit?")}, lines...)
	}
	return cells.Fill(lines, width, height)
}

type smallReport struct {
	report run.Handover
	note   string
}

func (v smallReport) View(width, height int) string {
	if height < 2 {
		return v.report.View(width, height)
	}
	return v.report.View(width, height-1) + "\n" + cells.Fill([]string{v.note}, width, 1)
}
