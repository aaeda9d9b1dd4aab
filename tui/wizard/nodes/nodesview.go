package nodes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/plan"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/x/ansi"
)

const (
	minTwoColumnWidth  = 70  // width from which quotas and cost are side by side
	quotasWidth        = 46  //
	minHelpBesideWidth = 132 // width from which the help is beside everything else
	maxTableWidth      = 110 // of the remaining width
	minHelpHeight      = 10  // remaining height from which the help is shown below everything
	minPictureHeight   = 16  // height from which the cluster is drawn
	minTableHeight     = 4   // height below which the table is not drawn
	minTableWidth      = 44  // width below which the table is not drawn
)

// nodesView draws the page.
type nodesView struct{ *Page }

// View draws the table, its problems or prompts, and quotas and cost of the machines.
func (p nodesView) View(width, height int) string {
	switch {
	case width <= 0 || height <= 0:
		return ""
	case p.list != nil:
		return components.Margin{Content: typeListView(p)}.View(width, height)
	case height < minTableHeight+3 || width < minTableWidth:
		return p.renderTiny(width, height)
	}
	return components.Margin{Content: nodesBody{p}}.View(width, height)
}

// nodesBody is the page between its margins.
type nodesBody struct{ nodesView }

func (p nodesBody) View(width, height int) string {
	if width < minHelpBesideWidth {
		return cells.Fill(p.renderColumn(width, height, false), width, height)
	}
	room := min(width*62/100, maxTableWidth)
	left, right := p.renderColumn(room, height, true), splitLines(p.renderSide(width-room-2, height))
	for i := range left {
		left[i] = cells.Fit(left[i], room+2) + right[i]
	}
	return cells.Fill(left, width, height)
}

// renderSide draws the help and below it the picture of the cluster, which follows the edit.
func (p nodesBody) renderSide(width, height int) string {
	t := p.session.Theme
	tall := p.computeHelpHeight(width)
	if height-tall < minPictureHeight {
		return p.renderHelpBox(width, height)
	}
	picture := plan.Architecture{Theme: t, Spec: p.spec(), Answered: func(screen string) bool {
		return slices.Contains([]wizard.Screen{wizard.Access, wizard.Cluster, wizard.Nodes}, wizard.Screen(screen))
	}}
	return p.renderHelpBox(width, tall) + "\n" + components.Box{Theme: t, Title: "cluster diagram", Content: picture}.View(width, height-tall)
}

// Height is assigned to the table first, then to the sums and the problems; the rest is divided among the details, the quotas
// and, unless it is beside them, the help.
func (p nodesBody) renderColumn(width, height int, helped bool) []string {
	table, details := p.buildTable(), p.renderDetails(width)
	if len(details) == 0 && !helped {
		details = p.renderSummary(width)
	}
	sums := computeBudgetHeight(width, height)
	room := min(table.Height(), max(height-1-sums-min(len(details), 2), minTableHeight))
	lines := append(splitLines(table.View(width, room)), p.renderButtons(width))
	left := height - len(lines)
	details = truncateLines(details, max(left-sums, min(1, left)), width)
	if left > len(details)+sums {
		lines = append(lines, "")
	}
	lines = append(lines, details...)
	if left = height - len(lines); left > sums+1 {
		lines = append(lines, "")
		left--
	}
	lines = append(lines, p.renderBudget(width, left)...)
	if left = height - len(lines) - 1; left >= minHelpHeight && !helped {
		lines = append(append(lines, ""), splitLines(p.renderHelpBox(width, left))...)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// computeBudgetHeight returns the minimum height of quotas and cost.
func computeBudgetHeight(width, height int) int {
	if width < minTwoColumnWidth || height < 16 {
		return 2
	}
	return 4
}

// truncateLines shortens a text and refers to the help for the rest.
func truncateLines(lines []string, height, width int) []string {
	if len(lines) <= height || height <= 0 {
		return lines[:min(len(lines), max(height, 0))]
	}
	last := ansi.Truncate(lines[height-1], max(width-10, 0), "") + " … F1: all"
	return append(lines[:height-1:height-1], last)
}

func (p nodesView) buildTable() plan.Sizing {
	rows := p.listRows()
	columns := collectColumns(rows)
	table := plan.Sizing{Theme: p.session.Theme, Row: p.row, Column: -1, CornerTitle: "disks in GiB"}
	for i, column := range columns {
		table.Columns = append(table.Columns, column.pane)
		if column.part == p.part && !p.isOnButtons() {
			table.Column = i
		}
	}
	red := p.session.AllErrors()
	for i, row := range rows {
		drawn := plan.SizingRow{Title: cells.SanitizeText(row.title, p.session.ASCII), Status: p.computeStatus(row.key, red)}
		for _, column := range columns {
			drawn.Cells = append(drawn.Cells, p.buildCell(i, row, column.part, red))
		}
		table.Rows = append(table.Rows, drawn)
	}
	return table
}

func (p nodesView) computeStatus(key string, red []wizard.Problem) theme.Status {
	switch {
	case len(session.FilterProblems(key, red)) > 0:
		return theme.Failed
	case len(p.listWarnings(key)) > 0:
		return theme.Warn
	}
	return theme.OK
}

// listWarnings includes the warnings about the edit.
func (p nodesView) listWarnings(key string) []wizard.Problem {
	return session.FilterProblems(key, append(p.session.Warnings(key), p.getView().warnings...))
}

func (p nodesView) buildCell(i int, row machineRow, part string, red []wizard.Problem) plan.SizingCell {
	switch part {
	case cpuColumn, memoryColumn:
		return plan.SizingCell{Text: p.formatTypeColumn(row.value("type", p.spec()), part), Fixed: true}
	}
	field, there := row.fields[part]
	if !there {
		return plan.SizingCell{}
	}
	text := field.Get(p.spec())
	if rejected := p.session.Text(field); p.session.IsRejected(field.Key) {
		text = rejected
	}
	if field.Shape() == wizard.Switch {
		text = map[string]string{"true": "yes", "false": "no"}[text]
	}
	cell := plan.SizingCell{Text: cells.SanitizeText(text, p.session.ASCII), Status: p.computeStatus(field.Key, red), Fixed: !row.asked[part]}
	if p.edit != nil && i == p.row && part == p.part {
		cell.Text, cell.Edited = cells.SanitizeText(p.edit.input.Value(), p.session.ASCII), true
	}
	return cell
}

func (p nodesView) renderButtons(width int) string {
	t := p.session.Theme
	line := strings.Repeat(" ", 1+ansi.StringWidth(t.Indent()))
	for i, name := range []string{"[ Next ]", "[ Add a group of machines ]"}[:p.lastButton()+1] {
		style := t.Plain
		if p.isOnButtons() && p.button == i {
			style = t.Selected
			if line = strings.TrimSuffix(line, " ") + t.Focus.Render(t.Cursor); t.Cursor == "" {
				line += " "
			}
		}
		line += components.MarkTarget(t, buttonTarget+strconv.Itoa(i), style.Render(name)) + "   "
	}
	return cells.Fit(line, width)
}

// renderDetails returns the prompt, the problems, or else a description of the selected cell.
func (p nodesView) renderDetails(width int) []string {
	t := p.session.Theme
	switch {
	case p.remove != "":
		return p.renderMessage(theme.Warn, groupEditor(p).formatRemovePrompt(), width)
	case p.naming != nil:
		lines := []string{p.naming.renderLine(t, p.session.ASCII, width)}
		if p.naming.problem != "" {
			return append(lines, p.renderMessage(theme.Failed, p.naming.problem, width)...)
		}
		return append(lines, t.Dim.Render("enter adds it, esc cancels. Type and disks are set in its row."))
	}
	var lines []string
	if p.notice != "" {
		lines = append(lines, p.renderMessage(theme.Warn, p.notice, width)...)
	}
	return append(lines, p.renderProblems(width)...)
}

func (p nodesView) renderSummary(width int) []string {
	field, there := p.selectedField()
	if !there {
		return nil
	}
	return wrapDim(p.session.Theme, field.Title+". "+field.Help+" "+field.Why, width)
}

func wrapDim(t theme.Theme, text string, width int) []string {
	lines := cells.Wrap(text, "", width)
	for i, line := range lines {
		lines[i] = t.Dim.Render(line)
	}
	return lines
}

func (p nodesView) renderProblems(width int) []string {
	var lines []string
	for _, one := range p.collectProblems() {
		lines = append(lines, p.renderMessage(one.status, one.text, width)...)
	}
	return lines
}

// statusText is a message of status Failed or Warn.
type statusText struct {
	status theme.Status
	text   string
}

// collectProblems returns the errors of the selected cell, of its row, of the quotas and of the rest, each once, and then the
// warnings of the row.
func (p nodesView) collectProblems() []statusText {
	red := p.session.AllErrors()
	var faults, warnings []wizard.Problem
	if rows := p.listRows(); p.row < len(rows) {
		key := rows[p.row].key
		faults = append(session.FilterProblems(key+"."+p.part, red), session.FilterProblems(key, red)...)
		warnings = p.listWarnings(key)
	}
	faults = append(append(faults, p.session.ScreenErrors(wizard.Nodes)...), p.session.Shortages()...)
	var statuses []statusText
	for i, fault := range append(faults, warnings...) {
		one := statusText{theme.Failed, p.formatProblem(fault, p.session.FormatError(fault))}
		if i >= len(faults) {
			one = statusText{theme.Warn, p.formatProblem(fault, p.session.FormatWarning(fault))}
		}
		if !slices.ContainsFunc(statuses, func(r statusText) bool { return r.text == one.text }) {
			statuses = append(statuses, one)
		}
	}
	return statuses
}

func (p nodesView) formatProblem(fault wizard.Problem, message string) string {
	key, part := splitLast(fault.Field)
	for _, row := range p.listRows() {
		if row.key == key || row.key == fault.Field {
			if field, there := row.fields[part]; there {
				_, what, _ := strings.Cut(field.Title, ": ")
				return strings.TrimSpace(cells.SanitizeText(row.title, p.session.ASCII)+", "+cmp.Or(what, field.Title)) + ": " + message
			}
			return cells.SanitizeText(row.title, p.session.ASCII) + ": " + message
		}
	}
	if screen := wizard.ScreenOf(fault.Field); screen != "" && screen != wizard.Nodes {
		message += "; fix it on the screen " + screen.Title()
	}
	return message
}

func (p nodesView) renderMessage(status theme.Status, text string, width int) []string {
	t := p.session.Theme
	lines := cells.Wrap(text, "", max(width-ansi.StringWidth(t.Indent()), 4))
	for i, line := range lines {
		head := t.Indent()
		if i == 0 {
			head = t.Mark(status) + " "
		}
		lines[i] = head + t.Style(status).Render(line)
	}
	return lines
}

func (p nodesView) renderHelpBox(width, height int) string {
	box := components.Box{Theme: p.session.Theme, Title: "help", Content: components.HelpText{Theme: p.session.Theme, Text: p.Help()}}
	return cells.Fill(splitLines(box.View(width, min(height, p.computeHelpHeight(width)))), width, height)
}

func (p nodesView) computeHelpHeight(width int) int {
	return len(components.HelpText{Theme: p.session.Theme, Text: p.Help()}.RenderLines(width-4)) + 2
}

// renderTiny is for a screen without room for a table: the selected cell alone.
func (p nodesView) renderTiny(width, height int) string {
	t, rows := p.session.Theme, p.listRows()
	if p.isOnButtons() {
		return cells.Fill(append([]string{p.renderButtons(width)}, p.renderDetails(width)...), width, height)
	}
	row, value := rows[p.row], ""
	if field, there := p.selectedField(); there {
		_, what, _ := strings.Cut(field.Title, ": ")
		cell := p.buildCell(p.row, row, p.part, p.session.AllErrors())
		value = cmp.Or(what, field.Title) + " " + t.Selected.Render("["+cell.Text+"]")
	}
	title := t.Bold.Render(cells.SanitizeText(row.title, p.session.ASCII))
	switch height {
	case 1:
		return cells.Fill([]string{title + " " + value}, width, height)
	case 2:
		return cells.Fill([]string{title, value}, width, height)
	}
	lines := append([]string{title, value}, p.renderDetails(width)...)
	if len(lines) >= height {
		lines = lines[:height-1]
	}
	return cells.Fill(append(lines, p.renderCostLine()), width, height)
}

func splitLines(view string) []string { return strings.Split(view, "\n") }

// listProblems returns the problems of the selection in full: below the table they may be cut short.
func (p nodesView) listProblems() []string {
	var all []string
	for _, line := range p.collectProblems() {
		word := "Note: "
		if line.status == theme.Failed {
			word = "Error: "
		}
		all = append(all, word+line.text)
	}
	return all
}

func (p nodesView) computeEstimate() wizard.Estimate {
	return p.session.Estimates.Estimate(p.getView().spec)
}
