// Package plan draws what the answers mean: the picture of the cluster, its machines, address ranges, quotas and cost, and the
// plan of an installation.
package plan

import (
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Review shows the plan before anything is created: cost, duration, actions of the operator, the picture, and every resource.
type Review struct {
	Theme theme.Theme
	Spec  state.Spec

	Groups    []Group
	Quotas    []Quota
	Cost      Cost
	Minutes   [2]int   // usual duration, from and to
	Actions   []string // of the operator
	Warnings  []string
	Export    string // path of the answers file
	Change    string // of the tenant's configuration, as diff -u shows it; "" if there is none
	Command   string // the non-interactive command with the same effect
	Rehearsal bool   // a simulation without real resources

	Open     map[int]bool // groups that are unfolded
	Selected int          // group, or -1
	Rows     int          // of the picture that are shown, 0 for all
	Offset   int          // lines scrolled
}

// Widths from which on the picture is beside the plan, and how wide it is there.
const (
	reviewColumnsMinWidth = 120
	pictureShare          = 48 // percent
)

// View draws the part of the review that fits.
func (p Review) View(width, height int) string {
	if width < reviewColumnsMinWidth {
		return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
	}
	side := width * pictureShare / 100
	text := components.ScrollLines(p.Theme, p.renderText(width-side-2), p.Offset, height)
	picture := p.newPicture().renderLines(side, height)
	var lines []string
	for y := range height {
		lines = append(lines, cells.Fit(cells.Line(text, y), width-side-2)+"  "+cells.Line(picture, y))
	}
	return cells.Fill(lines, width, height)
}

// CountLines returns the number of lines of the scrolled part.
func (p Review) CountLines(width int) int { return len(p.renderScrolled(width)) }

// FindLine returns the line of a group.
func (p Review) FindLine(group, width int) int {
	p.Selected = group
	marker := p.renderGroupLine(group)
	for i, line := range p.renderScrolled(width) {
		if line == marker {
			return i
		}
	}
	return 0
}

// PictureHeight returns the number of lines of the picture.
func (p Review) PictureHeight(width, height int) int {
	if width < reviewColumnsMinWidth {
		return p.newPicture().height(width-2, pictureMaxHeight)
	}
	return p.newPicture().height(width*pictureShare/100, height)
}

func (p Review) renderScrolled(width int) []string {
	if width < reviewColumnsMinWidth {
		return p.renderLines(width)
	}
	return p.renderText(width - width*pictureShare/100 - 2)
}

// pictureMaxHeight limits a picture between texts.
const pictureMaxHeight = 40

func (p Review) newPicture() Architecture {
	return Architecture{Theme: p.Theme, Spec: p.Spec, Rows: p.Rows}
}

func (p Review) renderLines(width int) []string {
	lines := append(p.renderSummary(width), "")
	whole := p.newPicture()
	whole.Rows = 0
	picture, tall := p.newPicture().renderLines(width-2, pictureMaxHeight), whole.height(width-2, pictureMaxHeight)
	for y := range tall {
		lines = append(lines, " "+cells.Line(picture, y))
	}
	return append(append(lines, ""), p.renderDetails(width)...)
}

// renderText omits the picture.
func (p Review) renderText(width int) []string {
	return append(append(p.renderSummary(width), ""), p.renderDetails(width)...)
}

// renderSummary returns what the confirmation is based on.
func (p Review) renderSummary(width int) []string {
	t := p.Theme
	lines := p.renderEntry("Cluster", t.Join(t.Bold.Render(cells.Sanitize(p.Spec.Cluster.ID)), cells.Sanitize(p.Spec.Domain()), cells.Sanitize(p.Spec.Exoscale.Zone),
		p.formatProduct()+" "+cells.Sanitize(p.Spec.OpenShift.Version)), width)
	lines = append(lines, p.renderEntry("Plan", p.formatPlan(), width)...)
	lines = append(lines, p.renderEntry("Cost", p.formatCost(), width)...)
	if p.Minutes[1] > 0 {
		lines = append(lines, p.renderEntry("Time", p.formatTime(), width)...)
	}
	for _, action := range p.Actions {
		lines = append(lines, p.renderEntry("You", cells.Sanitize(action), width)...)
	}
	for _, warning := range p.Warnings {
		note := cells.Fit(" "+t.Mark(theme.Warn)+" "+t.Caution.Bold(true).Render("Note"), reviewLabelWidth)
		lines = append(lines, cells.WrapAfter(note, t.Plain, cells.Sanitize(warning), p.margin(), width)...)
	}
	return lines
}

const reviewLabelWidth = 10

func (p Review) margin() string { return strings.Repeat(" ", 1+reviewLabelWidth) }

func (p Review) renderEntry(name, text string, width int) []string {
	return cells.WrapAfter(" "+p.Theme.Label.Render(cells.Fit(name, reviewLabelWidth-1)), p.Theme.Plain, text, p.margin(), width)
}

func (p Review) formatProduct() string {
	if p.Spec.OpenShift.Distribution == "okd" {
		return "OKD"
	}
	return "OpenShift"
}

func (p Review) formatPlan() string {
	count := map[string]int{}
	for _, group := range p.Groups {
		count[group.Action] += len(group.Items)
	}
	if count["create"]+count["update"]+count["delete"] == 0 {
		return fmt.Sprintf("No changes: %s up to date.", formatExisting(count["found"]))
	}
	plan := text.Plural(count["create"], "object") + " to create"
	for _, more := range []struct{ action, text string }{{"update", " to change"}, {"delete", " to delete"}, {"found", " unchanged"}} {
		if n := count[more.action]; n > 0 {
			plan += fmt.Sprintf(", %d%s", n, more.text)
		}
	}
	return plan
}

func formatExisting(n int) string {
	if n == 1 {
		return "1 object is"
	}
	return text.Plural(n, "object") + " are"
}

func (p Review) formatCost() string {
	c := p.Cost
	if p.Rehearsal {
		return fmt.Sprintf("nothing (rehearsal); the real cluster costs about %s, %s", c.formatPerHour(), c.formatPerMonth())
	}
	text := fmt.Sprintf("about %s, %s (CHF, EUR or USD), for as long as it exists; prices of %s, without object storage, traffic and volumes of applications",
		c.formatPerHour(), c.formatPerMonth(), cells.Sanitize(c.Date))
	for _, unknown := range c.listUnpriced() {
		text += "; " + unknown
	}
	return text
}

func (p Review) formatTime() string {
	from, to := time.Duration(p.Minutes[0])*time.Minute, time.Duration(p.Minutes[1])*time.Minute
	if p.Rehearsal {
		return fmt.Sprintf("%s to %s for a real installation; the rehearsal is faster", text.FormatDuration(from), text.FormatDuration(to))
	}
	return fmt.Sprintf("usually %s to %s", text.FormatDuration(from), text.FormatDuration(to))
}

func (p Review) renderDetails(width int) []string {
	lines := append(p.renderChanges(width), p.renderGroups()...)
	if len(p.Quotas) > 0 {
		quotas := Quotas{Theme: p.Theme, Rows: p.Quotas}
		lines = append(lines, "")
		for line := range strings.SplitSeq(quotas.View(width-2, quotas.Height()), "\n") {
			lines = append(lines, " "+line)
		}
	}
	if p.Export != "" {
		lines = append(append(lines, ""), p.renderEntry("Answers", cells.Sanitize(p.Export), width)...)
		lines = append(lines, p.renderEntry("", "Without the wizard:", width)...)
		lines = append(lines, cells.Wrap(cells.Sanitize(p.Command), p.margin(), width)...)
	}
	return lines
}

func (p Review) renderGroups() []string {
	var lines []string
	action := ""
	for i, group := range p.Groups {
		if group.Action != action {
			if action = group.Action; i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, " "+p.Theme.Label.Render(formatPlanHeading(action, p.countObjects(action))))
		}
		lines = append(lines, p.renderGroupLine(i))
		if p.Open[i] {
			lines = append(lines, group.renderRows(p.Theme)...)
		}
	}
	return lines
}

func (p Review) countObjects(action string) int {
	n := 0
	for _, group := range p.Groups {
		if group.Action == action {
			n += len(group.Items)
		}
	}
	return n
}

// FormatGroupTarget returns the target of a group, or of a button, whose numbers follow those of the groups.
func FormatGroupTarget(i int) string { return fmt.Sprintf("group:%d", i) }

func (p Review) renderGroupLine(i int) string {
	t, fold, cursor := p.Theme, "+", " "
	if p.Open[i] {
		fold = "-"
	}
	if i == p.Selected {
		cursor, fold = t.Focus.Render(t.Cursor), t.Focus.Render(fold)
	}
	return components.MarkTarget(t, FormatGroupTarget(i), " "+cursor+" "+fold+" "+p.Groups[i].renderSummary(t))
}
