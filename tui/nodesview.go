package tui

import (
	"cmp"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// Sizes of the nodes screen.
const (
	sideBySide   = 70 // width from which quotas and cost stand side by side
	quotasWidth  = 46
	detailsMost  = 6 // lines about what is selected, where there is little room
	budgetLeast  = 4
	helpLeast    = 10 // height that is left, from which the help is shown below everything
	tinyTable    = 4  // height below which there is no room for a table
	narrowScreen = 44 // width below which there is none
)

// View draws the table, what is wrong or asked, and what the machines need and cost.
func (p *nodesPage) View(width, height int) string {
	switch {
	case width <= 0 || height <= 0:
		return ""
	case p.list != nil:
		return margin{typeListView{p}}.View(width, height)
	case height < tinyTable+2 || width < narrowScreen:
		return p.tiny(width, height)
	}
	return margin{nodesBody{p}}.View(width, height)
}

// nodesBody is the page between its margins.
type nodesBody struct{ *nodesPage }

func (p nodesBody) View(width, height int) string {
	details := p.details(width)
	table, below := p.table(), height-1
	room := table.Height()
	if rest := below - min(len(details), detailsMost) - budgetLeast; room > rest {
		room = max(rest, min(tinyTable, below))
	}
	lines := append(split(table.View(width, room)), p.buttonLine(width))
	left := height - len(lines)
	if len(details) > left-2 {
		details = details[:max(left-2, min(1, left))]
	}
	if left > len(details)+budgetLeast+1 {
		details = append([]string{""}, details...)
	}
	lines = append(lines, details...)
	if left = height - len(lines); left > budgetLeast+1 {
		lines = append(lines, "")
		left--
	}
	lines = append(lines, p.budget(width, left)...)
	return pane.Fill(lines, width, height)
}

func split(view string) []string { return strings.Split(view, "\n") }

// table is the table with the cursor where it is.
func (p *nodesPage) table() pane.Sizing {
	rows := p.rows()
	columns := columnsOf(rows)
	table := pane.Sizing{Theme: p.talk.theme, Row: p.row, Column: -1}
	for i, column := range columns {
		table.Columns = append(table.Columns, column.pane)
		if column.part == p.part && !p.onButtons() {
			table.Column = i
		}
	}
	red := p.talk.allRed()
	for i, row := range rows {
		drawn := pane.SizingRow{Title: cleanText(row.title, p.talk.ascii), Status: p.status(row.key, red)}
		for _, column := range columns {
			drawn.Cells = append(drawn.Cells, p.cell(i, row, column.part, red))
		}
		table.Rows = append(table.Rows, drawn)
	}
	return table
}

// status of a row or of a field.
func (p *nodesPage) status(key string, red []wizard.Fault) pane.Status {
	switch {
	case len(p.talk.about(key, red)) > 0:
		return pane.Failed
	case len(p.amber(key)) > 0:
		return pane.Warn
	}
	return pane.OK
}

// amber is what is worth knowing about a row or a field, with what is being typed.
func (p *nodesPage) amber(key string) []wizard.Fault {
	return p.talk.about(key, append(p.talk.amber(key), p.view().advice...))
}

// cell draws a value as a cell.
func (p *nodesPage) cell(i int, row machineRow, part string, red []wizard.Fault) pane.SizingCell {
	switch part {
	case cpuColumn, memoryColumn:
		return pane.SizingCell{Text: ofType(row.value("type", p.spec()), part), Fixed: true}
	}
	field, there := row.fields[part]
	if !there {
		return pane.SizingCell{}
	}
	text := field.Get(p.spec())
	if rejected, refused := p.talk.rejected[field.Key]; refused {
		text = rejected
	}
	if field.Shape() == wizard.Switch {
		text = map[string]string{"true": "yes", "false": "no"}[text]
	}
	cell := pane.SizingCell{Text: cleanText(text, p.talk.ascii), Status: p.status(field.Key, red), Fixed: !row.asked[part]}
	if p.edit != nil && i == p.row && part == p.part {
		cell.Text, cell.Edited = p.edit.text, true
	}
	return cell
}

// buttonLine draws the buttons, and how much is in the way.
func (p *nodesPage) buttonLine(width int) string {
	t := p.talk.theme
	line := strings.Repeat(" ", 1+ansi.StringWidth(t.Indent()))
	for i, name := range []string{"[ Next ]", "[ Add a group of machines ]"}[:p.lastButton()+1] {
		style := t.Plain
		if p.onButtons() && p.button == i {
			style = t.Selected
			if line = strings.TrimSuffix(line, " ") + t.Focus.Render(t.Prong); t.Prong == "" {
				line += " "
			}
		}
		line += style.Render(name) + "   "
	}
	return pane.Fit(line, width)
}

// details are what is asked, what is wrong, or else what the selected cell is.
func (p *nodesPage) details(width int) []string {
	t := p.talk.theme
	switch {
	case p.remove != "":
		return p.say(pane.Warn, p.removing(), width)
	case p.naming != nil:
		lines := []string{p.naming.line(t)}
		if p.naming.fault != "" {
			return append(lines, p.say(pane.Failed, p.naming.fault, width)...)
		}
		return append(lines, t.Dim.Render("Enter takes it, esc drops it. Its type and disks are changed in its row."))
	}
	var lines []string
	if p.notice != "" {
		lines = append(lines, p.say(pane.Warn, p.notice, width)...)
	}
	lines = append(lines, p.faults(width)...)
	if len(lines) > 0 {
		return lines
	}
	if field, there := p.field(); there {
		for _, line := range pane.Wrap(field.Title+". "+field.Help+" "+field.Why, "", width) {
			lines = append(lines, t.Dim.Render(line))
		}
	}
	return lines
}

// faults tells what is wrong with the selected cell, with its row, with the quotas, and then with the rest.
func (p *nodesPage) faults(width int) []string {
	red, told := p.talk.allRed(), map[string]bool{}
	var lines []string
	tell := func(status pane.Status, faults []wizard.Fault) {
		for _, fault := range faults {
			if said := p.titled(fault); !told[said] {
				told[said] = true
				lines = append(lines, p.say(status, said, width)...)
			}
		}
	}
	key := ""
	if rows := p.rows(); p.row < len(rows) {
		key = rows[p.row].key
		if rows[p.row].asked[p.part] {
			tell(pane.Failed, p.talk.about(key+"."+p.part, red))
		}
		tell(pane.Failed, p.talk.about(key, red))
	}
	tell(pane.Failed, p.talk.stray(wizard.Nodes))
	tell(pane.Failed, p.talk.blocking(wizard.Nodes))
	if key != "" {
		tell(pane.Warn, p.amber(key))
	}
	return lines
}

// titled is a fault with the field that it is about.
func (p *nodesPage) titled(fault wizard.Fault) string {
	key, part := cutLast(fault.Field)
	for _, row := range p.rows() {
		if row.key == key || row.key == fault.Field {
			if field, there := row.fields[part]; there {
				_, what, _ := strings.Cut(field.Title, ": ")
				return strings.TrimSpace(cleanText(row.title, p.talk.ascii)+", "+cmp.Or(what, field.Title)) + ": " + p.talk.sentence(fault)
			}
			return cleanText(row.title, p.talk.ascii) + ": " + p.talk.sentence(fault)
		}
	}
	return p.talk.sentence(fault)
}

// say wraps a text behind a mark.
func (p *nodesPage) say(status pane.Status, text string, width int) []string {
	t := p.talk.theme
	lines := pane.Wrap(text, "", max(width-ansi.StringWidth(t.Indent()), 4))
	for i, line := range lines {
		head := t.Indent()
		if i == 0 {
			head = t.Mark(status) + " "
		}
		lines[i] = head + t.Style(status).Render(line)
	}
	return lines
}

// tiny is for a screen without room for a table: the selected cell alone.
func (p *nodesPage) tiny(width, height int) string {
	t, rows := p.talk.theme, p.rows()
	if p.onButtons() {
		return pane.Fill(append([]string{p.buttonLine(width)}, p.details(width)...), width, height)
	}
	row, value := rows[p.row], ""
	if field, there := p.field(); there {
		_, what, _ := strings.Cut(field.Title, ": ")
		cell := p.cell(p.row, row, p.part, p.talk.allRed())
		value = cmp.Or(what, field.Title) + " " + t.Selected.Render("["+cell.Text+"]")
	}
	title := t.Bold.Render(cleanText(row.title, p.talk.ascii))
	switch {
	case height == 1:
		return pane.Fill([]string{title + " " + value}, width, height)
	case height == 2:
		return pane.Fill([]string{title, value}, width, height)
	}
	lines := append([]string{title, value}, p.details(width)...)
	if len(lines) >= height {
		lines = lines[:height-1]
	}
	return pane.Fill(append(lines, p.costs1()), width, height)
}
