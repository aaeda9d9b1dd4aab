package tui

import (
	"reflect"
	"strings"

	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// nodesPage asks for the machines: a table whose cells are changed in place, and below it what that means for the
// quotas and the bill.
type nodesPage struct {
	talk   *talk
	keys   nodesKeys
	row    int    // of the cursor; behind the last row are the buttons
	part   string // of the cursor's cell: the last part of its key
	button int
	edit   *cellEdit  // what is being typed into the cell of the cursor
	list   *typeList  // the instance types to choose from, while that is open
	naming *groupName // the name of a group, while it is asked for
	remove string     // the row of a group that somebody wants to take away
	notice string     // until the next key
	seen   sizingView
	offers map[string]wizard.Offer // by their names
}

// sizingView is what follows from the answers, remembered until they change.
type sizingView struct {
	spec     state.Spec
	rows     []machineRow
	estimate weighing
	advice   []wizard.Fault
	done     bool
}

func newNodesPage(t *talk) *nodesPage {
	p := &nodesPage{talk: t, keys: newNodesKeys(), offers: map[string]wizard.Offer{}}
	for _, offer := range wizard.Offers() {
		p.offers[offer.Name] = offer
	}
	return p
}

// Enter puts the cursor on what a newcomer decides: the first field that is not for those who know better.
func (p *nodesPage) Enter() tea.Cmd {
	if p.part != "" {
		p.settle()
		return nil
	}
	for i, row := range p.rows() {
		for _, column := range columnsOf(p.rows()) {
			if field, there := row.fields[column.part]; there && row.asked[column.part] && !field.Advanced {
				p.row, p.part = i, column.part
				return nil
			}
		}
	}
	p.row, p.part = 0, ""
	p.settle()
	return nil
}

// Leave stores what was being typed and shows what is in the way.
func (p *nodesPage) Leave() (ok bool) {
	p.commit()
	p.list, p.naming, p.remove = nil, nil, ""
	p.talk.tell(wizard.Nodes)
	red := p.talk.blocking(wizard.Nodes)
	if len(red) > 0 {
		p.Seek(red[0].Field)
	}
	return len(red) == 0
}

// Mark is how the answers of the page are.
func (p *nodesPage) Mark() pane.Status {
	if len(p.talk.stray(wizard.Nodes)) > 0 {
		return pane.Failed
	}
	status := p.talk.status(wizard.Nodes)
	if status == pane.OK && len(p.view().advice) > 0 {
		return pane.Warn
	}
	return status
}

// Broad tells that the table wants the whole width. Where there is room, the page shows its help itself.
func (p *nodesPage) Broad() bool { return true }

// Grip keeps digits where they are numbers, and everything where something is open.
func (p *nodesPage) Grip() grip {
	switch {
	case p.edit != nil, p.list != nil, p.naming != nil, p.remove != "":
		return open
	case p.onNumber():
		return typing
	}
	return loose
}

// Seek selects the cell of a field.
func (p *nodesPage) Seek(key string) bool {
	for i, row := range p.rows() {
		if !within(key, row.key) {
			continue
		}
		p.row = i
		if _, part := cutLast(key); row.asked[part] {
			p.part = part
		}
		p.settle()
		return true
	}
	return false
}

// Help is about the cell of the cursor.
func (p *nodesPage) Help() string {
	field, there := p.field()
	if p.naming != nil {
		if field, there = p.naming.field(); there {
			return p.talk.describe(field, "")
		}
	}
	if !there {
		return "The machines of the cluster\n" +
			"Each row is a role: the control plane runs Kubernetes itself, infra nodes run what comes with OpenShift, " +
			"storage nodes hold volumes, and workers run your applications.\n" +
			"The defaults are the smallest cluster that is supported in production."
	}
	return strings.Join(append([]string{p.talk.explain(field)}, p.wrongs()...), "\n")
}

// wrongs are the faults of what is selected in full: below the table they may be cut short.
func (p *nodesPage) wrongs() []string {
	var all []string
	for _, line := range p.told() {
		word := "Worth: "
		if line.status == pane.Failed {
			word = "Wrong: "
		}
		all = append(all, word+line.text)
	}
	return all
}

// Hints are the keys of what is selected.
func (p *nodesPage) Hints() []key.Binding { return p.keys.hints(p) }

// rows are the rows of the table.
func (p *nodesPage) rows() []machineRow { return p.view().rows }

// spec is the answers as they would be with what is being typed.
func (p *nodesPage) spec() state.Spec {
	if p.edit == nil || p.edit.spec == nil {
		return p.talk.spec()
	}
	return *p.edit.spec
}

// view returns what follows from the answers.
func (p *nodesPage) view() *sizingView {
	spec := p.spec()
	if p.seen.done && reflect.DeepEqual(p.seen.spec, spec) {
		return &p.seen
	}
	spec = detached(spec)
	p.seen = sizingView{
		spec: spec, rows: machineRows(p.talk.fields(wizard.Nodes), spec), advice: wizard.Support(spec), done: true, estimate: p.seen.estimate,
	}
	return &p.seen
}

// costs is the estimate for what is on the screen.
func (p *nodesPage) costs() wizard.Estimate {
	view := p.view()
	return view.estimate.of(p.talk, view.spec)
}

// field is the field of the cell of the cursor.
func (p *nodesPage) field() (wizard.Field, bool) {
	rows := p.rows()
	if p.row < 0 || p.row >= len(rows) || !rows[p.row].asked[p.part] {
		return wizard.Field{}, false
	}
	return rows[p.row].fields[p.part], true
}

func (p *nodesPage) onNumber() bool {
	field, there := p.field()
	return there && field.Shape() == wizard.Number
}
