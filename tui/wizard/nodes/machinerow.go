package nodes

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
)

type machineRow struct {
	key    string // e.g. "sizing.workers"
	title  string
	fields map[string]wizard.Field // by the last parts of their keys; also those that are not asked
	asked  map[string]bool
}

const groupsKey = "sizing.extraGroups"

func (m machineRow) isGroup() bool { return strings.HasPrefix(m.key, groupsKey+"[") }

// Fields that are not asked, since only one value is allowed, are shown all the same.
func buildMachineRows(asked []wizard.Field, spec state.Spec) []machineRow {
	var rows []machineRow
	for _, field := range asked {
		if field.Shape() == wizard.Groups {
			continue
		}
		key, part := splitLast(field.Key)
		i := slices.IndexFunc(rows, func(m machineRow) bool { return m.key == key })
		if i < 0 {
			i = len(rows)
			rows = append(rows, newMachines(key, field))
		}
		rows[i].fields[part], rows[i].asked[part] = field, true
	}
	all := wizard.Fields()
	for _, row := range rows {
		row.complete(all)
	}
	for i, row := range rows {
		if name, named := row.fields["name"]; row.isGroup() && named {
			rows[i].title = cmp.Or(name.Get(spec), "unnamed group")
		}
	}
	return rows
}

func newMachines(key string, field wizard.Field) machineRow {
	title, _, _ := strings.Cut(field.Title, ":")
	return machineRow{key: key, title: title, fields: map[string]wizard.Field{}, asked: map[string]bool{}}
}

// complete leaves out the bounds of pools, which only pools have.
func (m machineRow) complete(all []wizard.Field) {
	for _, field := range all {
		if key, part := splitLast(field.Key); key == m.key && !m.asked[part] && part != "min" && part != "max" {
			m.fields[part] = field
		}
	}
}

func (m machineRow) value(part string, spec state.Spec) string {
	field, there := m.fields[part]
	if !there {
		return ""
	}
	return field.Get(spec)
}

func splitLast(key string) (rest, last string) {
	i := strings.LastIndex(key, ".")
	return key[:max(i, 0)], key[i+1:]
}
