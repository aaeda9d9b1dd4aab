package tui

import (
	"reflect"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// nodesPage asks for the machines: a table with editable cells, and below it their quotas and cost.
type nodesPage struct {
	session *pageContext
	keys    nodesKeys
	row     int    // of the cursor; behind the last row are the buttons
	part    string // of the cursor's cell: the last part of its key
	button  int
	edit    *cellEdit   // of the cell of the cursor
	list    *typeList   // the instance types to choose from; nil while closed
	naming  *namePrompt // the name of a group; nil while closed
	remove  string      // the row of the group to remove, before it is confirmed
	notice  string      // until the next key
	cache   sizingView
	offers  map[string]wizard.InstanceType // by their names
}

// sizingView is derived from the answers and cached until they change.
type sizingView struct {
	spec     state.Spec
	rows     []machineRow
	warnings []wizard.Problem
	known    bool
}

func newNodesPage(t *pageContext) *nodesPage {
	p := &nodesPage{session: t, keys: newNodesKeys(), offers: map[string]wizard.InstanceType{}}
	for _, offer := range wizard.ListInstanceTypes() {
		p.offers[offer.Name] = offer
	}
	return p
}

// Open puts the cursor on the first field that is not for advanced users.
func (p *nodesPage) Open() tea.Cmd {
	if p.part != "" {
		p.resetCursor()
		return nil
	}
	for i, row := range p.listRows() {
		for _, column := range collectColumns(p.listRows()) {
			if field, there := row.fields[column.part]; there && row.asked[column.part] && !field.Advanced {
				p.row, p.part = i, column.part
				return nil
			}
		}
	}
	p.row, p.part = 0, ""
	p.resetCursor()
	return nil
}

// Close stores the edit and shows the errors.
func (p *nodesPage) Close() (ok bool) {
	cellEditor{p}.storeEdit()
	p.list, p.naming, p.remove = nil, nil, ""
	p.session.TouchErrors(wizard.Nodes)
	red := p.session.ScreenErrors(wizard.Nodes)
	if len(red) > 0 {
		p.Focus(red[0].Field)
	}
	return len(red) == 0
}

// Mark returns the status of the page's answers.
func (p *nodesPage) Mark() theme.Status {
	status := p.session.computeStatus(wizard.Nodes)
	if status == theme.OK && len(p.getView().warnings) > 0 {
		return theme.Warn
	}
	return status
}

// IsFullWidth returns true: where there is room, the page shows its help itself.
func (p *nodesPage) IsFullWidth() bool { return true }

// InputMode captures digits where they are numbers, and everything where something is open.
func (p *nodesPage) InputMode() inputMode {
	switch {
	case p.edit != nil, p.list != nil, p.naming != nil, p.remove != "":
		return modeCapture
	case p.isOnNumber():
		return modeText
	}
	return modeDefault
}

// Focus selects the cell of a field.
func (p *nodesPage) Focus(key string) bool {
	for i, row := range p.listRows() {
		if !session.HasPrefix(key, row.key) {
			continue
		}
		p.row = i
		if _, part := splitLast(key); row.asked[part] {
			p.part = part
		}
		p.resetCursor()
		return true
	}
	return false
}

// Help explains the cell of the cursor.
func (p *nodesPage) Help() string {
	field, there := p.selectedField()
	if p.naming != nil {
		if field, there = p.naming.findField(); there {
			return p.session.describeField(field, "")
		}
	}
	if !there {
		return "The machines of the cluster\n" +
			"Each row is a role: the control plane runs Kubernetes itself, infra nodes run what comes with OpenShift, " +
			"storage nodes hold volumes, and workers run your applications.\n" +
			"The defaults are the smallest cluster that is supported in production."
	}
	return strings.Join(append([]string{p.session.formatHelp(field)}, nodesView{p}.listProblems()...), "\n")
}

// Hints returns the keys of the selection.
func (p *nodesPage) Hints() []key.Binding { return p.keys.listHints(p) }

func (p *nodesPage) listRows() []machineRow { return p.getView().rows }

// spec returns the answers with the edit applied, if it is valid.
func (p *nodesPage) spec() state.Spec {
	if p.edit == nil || p.edit.spec == nil {
		return p.session.Spec()
	}
	return *p.edit.spec
}

func (p *nodesPage) getView() *sizingView {
	spec := p.spec()
	if p.cache.known && reflect.DeepEqual(p.cache.spec, spec) {
		return &p.cache
	}
	spec = copyGroups(spec)
	p.cache = sizingView{
		spec: spec, rows: buildMachineRows(p.session.Fields(wizard.Nodes), spec), warnings: wizard.CheckSupport(spec), known: true,
	}
	return &p.cache
}

func (p *nodesPage) selectedField() (wizard.Field, bool) {
	rows := p.listRows()
	if p.row < 0 || p.row >= len(rows) || !rows[p.row].asked[p.part] {
		return wizard.Field{}, false
	}
	return rows[p.row].fields[p.part], true
}

func (p *nodesPage) isOnNumber() bool {
	field, there := p.selectedField()
	return there && field.Shape() == wizard.Number
}

func (p *nodesPage) isGroupSelected() bool {
	rows := p.listRows()
	return p.row < len(rows) && rows[p.row].isGroup()
}

func (p *nodesPage) hasExtraGroups() bool {
	return slices.ContainsFunc(p.session.Fields(wizard.Nodes), func(f wizard.Field) bool { return f.Key == groupsKey })
}

// View draws the table, and below it quotas and cost.
func (p *nodesPage) View(width, height int) string { return nodesView{p}.View(width, height) }
