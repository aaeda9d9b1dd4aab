package nodes

import (
	"slices"

	"exoshift/tui/components/plan"
)

// nodesColumn is a column of the nodes screen: the last part of the keys of its fields, or a value derived from the type.
type nodesColumn struct {
	part string
	pane plan.SizingColumn
}

const (
	cpuColumn    = "cpus"
	memoryColumn = "memory"
)

func newKnownColumns() []nodesColumn {
	return []nodesColumn{
		{"count", plan.SizingColumn{Title: "count", Short: "count", Width: 7, MinWidth: 5}},
		{"type", plan.SizingColumn{Title: "instance type", Short: "instance type", Width: 23, MinWidth: 22, Left: true}},
		{cpuColumn, plan.SizingColumn{Title: "CPUs", Short: "CPU", Width: 6, MinWidth: 5, Rank: 4}},
		{memoryColumn, plan.SizingColumn{Title: "memory GiB", Short: "GiB", Width: 11, MinWidth: 6, Rank: 3}},
		{"rootDisk", plan.SizingColumn{Title: "root disk GiB", Short: "root", Width: 14, MinWidth: 7}},
		{"dataDisk", plan.SizingColumn{Title: "data disk GiB", Short: "data", Width: 14, MinWidth: 7, Rank: 1}},
		{"pool", plan.SizingColumn{Title: "pool", Short: "pool", Width: 6, MinWidth: 5, Rank: 5}},
		{"min", plan.SizingColumn{Title: "min", Short: "min", Width: 6, MinWidth: 5, Rank: 6}},
		{"max", plan.SizingColumn{Title: "max", Short: "max", Width: 6, MinWidth: 5, Rank: 7}},
		{"topolvm", plan.SizingColumn{Title: "TopoLVM", Short: "LVM", Width: 8, MinWidth: 5, Rank: 2}},
	}
}

// collectColumns returns the columns that any of the rows has: known ones in their order, others at the end.
func collectColumns(rows []machineRow) []nodesColumn {
	var columns []nodesColumn
	known := newKnownColumns()
	for _, column := range known {
		computed := column.part == cpuColumn || column.part == memoryColumn
		if computed || slices.ContainsFunc(rows, func(m machineRow) bool { return m.has(column.part) }) {
			columns = append(columns, column)
		}
	}
	for _, row := range rows {
		for part := range row.fields {
			if part != "name" && !slices.ContainsFunc(columns, func(c nodesColumn) bool { return c.part == part }) {
				columns = append(columns, nodesColumn{part, plan.SizingColumn{Title: part, Short: part, Width: len(part) + 4, MinWidth: 8, Rank: 5}})
			}
		}
	}
	return columns
}

func (m machineRow) has(part string) bool {
	_, there := m.fields[part]
	return there
}
