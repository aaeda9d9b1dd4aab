package nodes

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/internal/stable"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/session"
	"exoshift/wizard/support"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type typeList struct {
	field  wizard.Field
	title  string
	all    []instanceType
	filter components.Input
	cursor int    // among those that match the filter
	why    string // why the type under the cursor cannot be selected
}

type instanceType struct {
	name   string
	cpus   int
	memory float64 // GiB
	note   string  // about the zone
	hour   float64
	priced bool
	status theme.Status // Failed: cannot be selected; Warn: not recommended
	why    string       // reason for the status
}

// typePicker has an instance type chosen.
type typePicker struct{ *Page }

func (p typePicker) openList(field wizard.Field) {
	cellEditor(p).storeEdit()
	list := &typeList{field: field, title: p.listRows()[p.row].title, all: p.listTypes(field), filter: components.NewInput(maxNameLength)}
	list.cursor = max(slices.IndexFunc(list.all, func(t instanceType) bool { return t.name == p.session.Text(field) }), 0)
	p.list = list
}

// listTypes returns all known types, including those that the zone does not offer.
func (p typePicker) listTypes(field wizard.Field) []instanceType {
	offered := p.session.Lookups.Found(field)
	prices, err := assets.ReadPrices()
	var all []instanceType
	for _, offer := range instancetype.List() {
		t := instanceType{name: offer.Name, cpus: offer.CPUs, memory: offer.Memory, status: theme.OK}
		if err == nil {
			t.hour, t.priced = prices.PerHour("instance", offer.Name, 0)
		}
		all = append(all, p.withAvailability(field, t, offered))
	}
	for _, choice := range offered {
		if !slices.ContainsFunc(all, func(t instanceType) bool { return t.name == choice.Value }) {
			all = append(all, p.withAvailability(field, instanceType{name: choice.Value, status: theme.OK}, offered))
		}
	}
	stable.Sort(all, func(a, b instanceType) int { return rankStatus(a.status) - rankStatus(b.status) })
	return all
}

// rankStatus puts what cannot be selected last.
func rankStatus(status theme.Status) int {
	if status == theme.Failed {
		return 1
	}
	return 0
}

func (p typePicker) withAvailability(field wizard.Field, t instanceType, offered []wizard.Choice) instanceType {
	spec := session.CopyGroups(p.session.Spec())
	if err := field.Set(&spec, t.name); err != nil {
		t.status, t.why = theme.Failed, p.session.FormatError(session.SplitProblems(field.Key, err)[0])
		return t
	}
	switch at := slices.IndexFunc(offered, func(c wizard.Choice) bool { return c.Value == t.name }); {
	case at >= 0:
		t.note = offered[at].Note
	case len(offered) > 0:
		t.status, t.why = theme.Failed, spec.Exoscale.Zone+" does not offer it to your organization"
		return t
	}
	row, _ := splitLast(field.Key)
	for _, fault := range support.Check(spec) {
		if fault.Field == field.Key || session.HasPrefix(fault.Field, row) && strings.Contains(fault.Message, t.name) {
			t.status, t.why = theme.Warn, p.session.FormatWarning(fault)
		}
	}
	return t
}

func (l *typeList) filterTypes() []instanceType {
	word := strings.ToLower(strings.TrimSpace(l.filter.Value()))
	return slices.DeleteFunc(slices.Clone(l.all), func(t instanceType) bool { return !strings.Contains(t.name, word) })
}

func (l *typeList) selectedType() (instanceType, bool) {
	types := l.filterTypes()
	if l.cursor < 0 || l.cursor >= len(types) {
		return instanceType{}, false
	}
	return types[l.cursor], true
}

func (p typePicker) handleListKey(k tea.KeyMsg) {
	l := p.list
	l.why = ""
	switch {
	case k.Paste:
		l.handleFilterKey(k)
	case k.Type == tea.KeyEsc:
		p.list = nil
	case key.Matches(k, p.keys.Up, p.keys.Previous):
		l.moveBy(-1)
	case key.Matches(k, p.keys.Down, p.keys.Next):
		l.moveBy(1)
	case k.Type == tea.KeyPgUp:
		l.moveBy(-8)
	case k.Type == tea.KeyPgDown:
		l.moveBy(8)
	case key.Matches(k, p.keys.Press):
		p.selectType()
	default:
		l.handleFilterKey(k)
	}
}

func (l *typeList) moveBy(by int) {
	l.cursor = min(max(l.cursor+by, 0), max(len(l.filterTypes())-1, 0))
}

func (l *typeList) handleFilterKey(k tea.KeyMsg) {
	before := l.filter.Value()
	if l.why = l.filter.HandleKey(k); l.filter.Value() != before {
		l.cursor = 0
	}
}

func (p typePicker) selectType() {
	chosen, there := p.list.selectedType()
	switch {
	case !there:
		p.list.why = "no match; backspace shows more"
	case chosen.status == theme.Failed:
		p.list.why = chosen.name + ": " + chosen.why
	default:
		field := p.list.field
		p.list = nil
		cellEditor(p).setAnswer(field, chosen.name)
	}
}

func (t instanceType) formatPrice() string {
	if !t.priced {
		return "no price"
	}
	return fmt.Sprintf("%.2f/hour", t.hour)
}
