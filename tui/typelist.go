package tui

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// typeList is the list of instance types for one role or group.
type typeList struct {
	field    wizard.Field
	title    string
	all      []instanceType
	filter   string
	cursor   int      // among those that match the filter
	why      string   // the one under the cursor cannot be chosen
	estimate weighing // of the cluster with the type under the cursor
}

// instanceType is a type with what is worth knowing about it.
type instanceType struct {
	name   string
	cpus   int
	memory float64 // GiB
	note   string  // of the zone
	hour   float64
	priced bool
	status pane.Status // Failed: cannot be chosen; Warn: unwise
	why    string      // of the status
}

// openList opens the list with the type that is chosen under the cursor.
func (p *nodesPage) openList(field wizard.Field) {
	p.commit()
	list := &typeList{field: field, title: p.rows()[p.row].title, all: p.types(field)}
	list.cursor = max(slices.IndexFunc(list.all, func(t instanceType) bool { return t.name == p.talk.text(field) }), 0)
	p.list = list
}

// types returns all types that are known: those that the zone offers, and those that it does not.
func (p *nodesPage) types(field wizard.Field) []instanceType {
	offered := p.offered(field)
	prices, err := assets.PriceList()
	var all []instanceType
	for _, offer := range wizard.Offers() {
		t := instanceType{name: offer.Name, cpus: offer.CPUs, memory: offer.Memory, status: pane.OK}
		if err == nil {
			t.hour, t.priced = prices.PerHour("instance", offer.Name, 0)
		}
		all = append(all, p.judged(field, t, offered))
	}
	for _, choice := range offered {
		if !slices.ContainsFunc(all, func(t instanceType) bool { return t.name == choice.Value }) {
			all = append(all, p.judged(field, instanceType{name: choice.Value, status: pane.OK}, offered))
		}
	}
	slices.SortStableFunc(all, func(a, b instanceType) int { return order(a.status) - order(b.status) })
	return all
}

// offered are the types that the zone has for this organization, if it was asked. Those of groups are those of workers.
func (p *nodesPage) offered(field wizard.Field) []wizard.Choice {
	if choices := p.talk.choices(field); len(choices) > 0 || !p.group() {
		return choices
	}
	for _, row := range p.rows() {
		if workers, there := row.fields["type"]; there && workers.Key == "sizing.workers.type" {
			return p.talk.choices(workers)
		}
	}
	return nil
}

// order puts what cannot be chosen last.
func order(status pane.Status) int {
	if status == pane.Failed {
		return 1
	}
	return 0
}

// judged says whether a type can be chosen, and whether that would be wise.
func (p *nodesPage) judged(field wizard.Field, t instanceType, offered []wizard.Choice) instanceType {
	spec := detached(p.talk.spec())
	if err := field.Set(&spec, t.name); err != nil {
		t.status, t.why = pane.Failed, p.talk.sentence(faultsOf(field.Key, err)[0])
		return t
	}
	switch at := slices.IndexFunc(offered, func(c wizard.Choice) bool { return c.Value == t.name }); {
	case at >= 0:
		t.note = offered[at].Note
	case len(offered) > 0:
		t.status, t.why = pane.Failed, spec.Exoscale.Zone+" does not offer it to your organization"
		return t
	}
	row, _ := cutLast(field.Key)
	for _, fault := range wizard.Support(spec) {
		if fault.Field == field.Key || within(fault.Field, row) && strings.Contains(fault.Problem, t.name) {
			t.status, t.why = pane.Warn, p.talk.advice(fault)
		}
	}
	return t
}

// matching are the types whose names hold the filter.
func (l *typeList) matching() []instanceType {
	return slices.DeleteFunc(slices.Clone(l.all), func(t instanceType) bool { return !strings.Contains(t.name, l.filter) })
}

// chosen is the type under the cursor.
func (l *typeList) chosen() (instanceType, bool) {
	types := l.matching()
	if l.cursor < 0 || l.cursor >= len(types) {
		return instanceType{}, false
	}
	return types[l.cursor], true
}

// pressList takes a key while the list is open.
func (p *nodesPage) pressList(k tea.KeyMsg) {
	l := p.list
	l.why = ""
	switch {
	case k.Type == tea.KeyEsc:
		p.list = nil
	case key.Matches(k, p.keys.Up, p.keys.Previous):
		l.move(-1)
	case key.Matches(k, p.keys.Down, p.keys.Next):
		l.move(1)
	case k.Type == tea.KeyPgUp:
		l.move(-8)
	case k.Type == tea.KeyPgDown:
		l.move(8)
	case key.Matches(k, p.keys.Press):
		p.choose()
	case k.Type == tea.KeyBackspace:
		l.filter = l.filter[:max(len(l.filter)-1, 0)]
		l.move(0)
	case k.Type == tea.KeyRunes && !k.Alt:
		l.narrow(k.Runes)
	}
}

func (l *typeList) move(by int) { l.cursor = min(max(l.cursor+by, 0), max(len(l.matching())-1, 0)) }

// narrow adds to the filter what can be in a name.
func (l *typeList) narrow(runes []rune) {
	for _, r := range runes {
		if l.field.Typable(r) && r < 0x80 && len(l.filter) < digits*4 {
			l.filter += string(r)
		}
	}
	l.cursor = 0
}

// choose takes the type under the cursor, if it can be chosen.
func (p *nodesPage) choose() {
	chosen, there := p.list.chosen()
	switch {
	case !there:
		p.list.why = "no type has that in its name; backspace shows more"
	case chosen.status == pane.Failed:
		p.list.why = chosen.name + ": " + chosen.why
	default:
		field := p.list.field
		p.list = nil
		p.give(field, chosen.name)
	}
}

// hourly is the price of a type.
func (t instanceType) hourly() string {
	if !t.priced {
		return "no price"
	}
	return fmt.Sprintf("%.2f an hour", t.hour)
}
