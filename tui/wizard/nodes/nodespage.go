// Package nodes is the page of the machines: a table with editable cells, groups and instance types, and below it quotas and cost.
package nodes

import (
	"reflect"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/session"
	"exoshift/wizard/support"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Page asks for the machines: a table with editable cells, and below it their quotas and cost.
type Page struct {
	session *page.Context
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
	offers  map[string]instancetype.Type // by their names
}

// sizingView is derived from the answers and cached until they change.
type sizingView struct {
	spec     state.Spec
	rows     []machineRow
	warnings []wizard.Problem
	known    bool
}

// New returns the page of the machines.
func New(t *page.Context) *Page {
	p := &Page{session: t, keys: newNodesKeys(), offers: map[string]instancetype.Type{}}
	for _, offer := range instancetype.List() {
		p.offers[offer.Name] = offer
	}
	return p
}

// Open puts the cursor on the first field that is not for advanced users.
func (p *Page) Open() tea.Cmd {
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
func (p *Page) Close() (ok bool) {
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
func (p *Page) Mark() theme.Status {
	status := p.session.ComputeStatus(wizard.Nodes)
	if status == theme.OK && len(p.getView().warnings) > 0 {
		return theme.Warn
	}
	return status
}

// IsFullWidth returns true: where there is room, the page shows its help itself.
func (p *Page) IsFullWidth() bool { return true }

// InputMode captures digits where they are numbers, and everything where something is open.
func (p *Page) InputMode() page.InputMode {
	switch {
	case p.edit != nil, p.list != nil, p.naming != nil, p.remove != "":
		return page.ModeCapture
	}
	if field, there := p.selectedField(); there && field.Shape() == wizard.Number {
		return page.ModeText
	}
	return page.ModeDefault
}

// Focus selects the cell of a field.
func (p *Page) Focus(key string) bool {
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

// Selected returns the key of the cursor's cell; "" on the buttons.
func (p *Page) Selected() string {
	field, _ := p.selectedField()
	return field.Key
}

// Help explains the cell of the cursor.
func (p *Page) Help() string {
	field, there := p.selectedField()
	if p.naming != nil {
		if field, there = p.naming.findField(); there {
			return p.session.DescribeField(field, "")
		}
	}
	if !there {
		return "Instances\n" +
			"Each row is a role: the control plane runs Kubernetes, infra nodes run OpenShift's components, " +
			"storage nodes provide volumes, workers run applications.\n" +
			"The defaults are the smallest supported production cluster."
	}
	return strings.Join(append([]string{p.session.FormatHelp(field)}, nodesView{p}.listProblems()...), "\n")
}

// Hints returns the keys of the selection.
func (p *Page) Hints() []key.Binding { return p.keys.listHints(p) }

func (p *Page) listRows() []machineRow { return p.getView().rows }

// spec returns the answers with the edit applied, if it is valid.
func (p *Page) spec() state.Spec {
	if p.edit == nil || p.edit.spec == nil {
		return p.session.Spec()
	}
	return *p.edit.spec
}

func (p *Page) getView() *sizingView {
	spec := p.spec()
	if p.cache.known && reflect.DeepEqual(p.cache.spec, spec) {
		return &p.cache
	}
	spec = session.CopyGroups(spec)
	p.cache = sizingView{
		spec: spec, rows: buildMachineRows(p.session.Fields(wizard.Nodes), spec), warnings: support.Check(spec), known: true,
	}
	return &p.cache
}

func (p *Page) selectedField() (wizard.Field, bool) {
	rows := p.listRows()
	if p.row < 0 || p.row >= len(rows) || !rows[p.row].asked[p.part] {
		return wizard.Field{}, false
	}
	return rows[p.row].fields[p.part], true
}

func (p *Page) isGroupSelected() bool {
	rows := p.listRows()
	return p.row < len(rows) && rows[p.row].isGroup()
}

func (p *Page) hasExtraGroups() bool {
	return slices.ContainsFunc(p.session.Fields(wizard.Nodes), func(f wizard.Field) bool { return f.Key == groupsKey })
}

// View draws the table, and below it quotas and cost.
func (p *Page) View(width, height int) string { return nodesView{p}.View(width, height) }
