package tui

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/x/ansi"
)

// Sizes of the nodes screen.
const (
	sideBySide   = 70  // width from which quotas and cost stand side by side
	quotasWidth  = 46  //
	helpBeside   = 132 // width from which the help stands beside everything else
	tableWidest  = 110 // of what it leaves then
	helpLeast    = 10  // height that is left, from which the help is shown below everything
	pictureLeast = 16  // height from which the cluster is drawn
	tinyTable    = 4   // height below which there is no room for a table
	narrowScreen = 44  // width below which there is none
)

// View draws the table, what is wrong or asked, and what the machines need and cost.
func (p *nodesPage) View(width, height int) string {
	switch {
	case width <= 0 || height <= 0:
		return ""
	case p.list != nil:
		return margin{typeListView{p}}.View(width, height)
	case height < tinyTable+3 || width < narrowScreen:
		return p.tiny(width, height)
	}
	return margin{nodesBody{p}}.View(width, height)
}

// nodesBody is the page between its margins.
type nodesBody struct{ *nodesPage }

func (p nodesBody) View(width, height int) string {
	if width < helpBeside {
		return pane.Fill(p.column(width, height, false), width, height)
	}
	room := min(width*62/100, tableWidest)
	left, right := p.column(room, height, true), split(p.side(width-room-2, height))
	for i := range left {
		left[i] = pane.Fit(left[i], room+2) + right[i]
	}
	return pane.Fill(left, width, height)
}

// side is what stands beside the table: the help, and below it the cluster as it grows with every key.
func (p nodesBody) side(width, height int) string {
	t := p.talk.theme
	tall := p.helpHeight(width)
	if height-tall < pictureLeast {
		return p.helpBox(width, height)
	}
	picture := pane.Architecture{Theme: t, Spec: p.spec(), Answered: func(screen string) bool {
		return slices.Contains([]wizard.Screen{wizard.Access, wizard.Cluster, wizard.Nodes}, wizard.Screen(screen))
	}}
	return p.helpBox(width, tall) + "\n" + pane.Box{Theme: t, Title: "what is being built", Content: picture}.View(width, height-tall)
}

// column draws everything below each other. The table comes first, then the sums, then what is wrong; what is left is
// divided among the details, the quotas and, unless that stands beside it, the help.
func (p nodesBody) column(width, height int, helped bool) []string {
	table, details := p.table(), p.details(width)
	if len(details) == 0 && !helped {
		details = p.about(width)
	}
	sums := budgetLeast(width, height)
	room := min(table.Height(), max(height-1-sums-min(len(details), 2), tinyTable))
	lines := append(split(table.View(width, room)), p.buttonLine(width))
	left := height - len(lines)
	details = cut(details, max(left-sums, min(1, left)), width)
	if left > len(details)+sums {
		lines = append(lines, "")
	}
	lines = append(lines, details...)
	if left = height - len(lines); left > sums+1 {
		lines = append(lines, "")
		left--
	}
	lines = append(lines, p.budget(width, left)...)
	if left = height - len(lines) - 1; left >= helpLeast && !helped {
		lines = append(append(lines, ""), split(p.helpBox(width, left))...)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// budgetLeast is how many lines the quotas and the cost get in any case.
func budgetLeast(width, height int) int {
	if width < sideBySide || height < 16 {
		return 2
	}
	return 4
}

// cut shortens a text and says where the rest of it is.
func cut(lines []string, height, width int) []string {
	if len(lines) <= height || height <= 0 {
		return lines[:min(len(lines), max(height, 0))]
	}
	last := ansi.Truncate(lines[height-1], max(width-10, 0), "") + " … F1: all"
	return append(lines[:height-1:height-1], last)
}

func split(view string) []string { return strings.Split(view, "\n") }

// table is the table with the cursor where it is.
func (p *nodesPage) table() pane.Sizing {
	rows := p.rows()
	columns := columnsOf(rows)
	table := pane.Sizing{Theme: p.talk.theme, Row: p.row, Column: -1, Corner: "disks in GiB"}
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
		return pane.SizingCell{Text: p.ofType(row.value("type", p.spec()), part), Fixed: true}
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
	return append(lines, p.faults(width)...)
}

// about says in a sentence or two what the selected cell is.
func (p *nodesPage) about(width int) []string {
	field, there := p.field()
	if !there {
		return nil
	}
	return wrapDim(p.talk.theme, field.Title+". "+field.Help+" "+field.Why, width)
}

func wrapDim(t pane.Theme, text string, width int) []string {
	lines := pane.Wrap(text, "", width)
	for i, line := range lines {
		lines[i] = t.Dim.Render(line)
	}
	return lines
}

// faults tells what is wrong, and then what is worth knowing.
func (p *nodesPage) faults(width int) []string {
	var lines []string
	for _, one := range p.told() {
		lines = append(lines, p.say(one.status, one.text, width)...)
	}
	return lines
}

// remark is something about the answers: Failed or Warn.
type remark struct {
	status pane.Status
	text   string
}

// told are the faults of the selected cell, of its row, of the quotas and of the rest, each once, and then what is worth
// knowing about the row.
func (p *nodesPage) told() []remark {
	red := p.talk.allRed()
	var faults, warnings []wizard.Fault
	if rows := p.rows(); p.row < len(rows) {
		key := rows[p.row].key
		faults = append(p.talk.about(key+"."+p.part, red), p.talk.about(key, red)...)
		warnings = p.amber(key)
	}
	faults = append(append(faults, p.talk.blocking(wizard.Nodes)...), p.talk.shortages()...)
	var told []remark
	for i, fault := range append(faults, warnings...) {
		one := remark{pane.Failed, p.titled(fault, p.talk.sentence(fault))}
		if i >= len(faults) {
			one = remark{pane.Warn, p.titled(fault, p.talk.advice(fault))}
		}
		if !slices.ContainsFunc(told, func(r remark) bool { return r.text == one.text }) {
			told = append(told, one)
		}
	}
	return told
}

// titled is what is said of a fault, behind the field that it is about.
func (p *nodesPage) titled(fault wizard.Fault, said string) string {
	key, part := cutLast(fault.Field)
	for _, row := range p.rows() {
		if row.key == key || row.key == fault.Field {
			if field, there := row.fields[part]; there {
				_, what, _ := strings.Cut(field.Title, ": ")
				return strings.TrimSpace(cleanText(row.title, p.talk.ascii)+", "+cmp.Or(what, field.Title)) + ": " + said
			}
			return cleanText(row.title, p.talk.ascii) + ": " + said
		}
	}
	if screen := wizard.ScreenOf(fault.Field); screen != "" && screen != wizard.Nodes {
		said += "; that is mended on the screen " + screen.Title()
	}
	return said
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

// helpBox is the help of the selected cell in a box.
func (p *nodesPage) helpBox(width, height int) string {
	box := pane.Box{Theme: p.talk.theme, Title: "help", Content: helpText{p.talk.theme, p.Help()}}
	return pane.Fill(split(box.View(width, min(height, p.helpHeight(width)))), width, height)
}

// helpHeight is how many lines the whole help needs with its box.
func (p *nodesPage) helpHeight(width int) int {
	return len(helpText{p.talk.theme, p.Help()}.lines(width-4)) + 2
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
	switch height {
	case 1:
		return pane.Fill([]string{title + " " + value}, width, height)
	case 2:
		return pane.Fill([]string{title, value}, width, height)
	}
	lines := append([]string{title, value}, p.details(width)...)
	if len(lines) >= height {
		lines = lines[:height-1]
	}
	return pane.Fill(append(lines, p.costLine()), width, height)
}
