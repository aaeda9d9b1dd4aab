package plan

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
)

func someSizing(t theme.Theme, row, column int) Sizing {
	cell := func(texts ...string) (cells []SizingCell) {
		for _, text := range texts {
			cells = append(cells, SizingCell{Text: text})
		}
		return cells
	}
	return Sizing{Theme: t, Row: row, Column: column, Columns: []SizingColumn{
		{Title: "count", Short: "count", Width: 8, MinWidth: 5}, {Title: "instance type", Short: "type", Width: 26, MinWidth: 22, Left: true},
		{Title: "CPUs", Short: "CPU", Width: 6, MinWidth: 5, Rank: 3}, {Title: "TopoLVM", Short: "LVM", Width: 9, MinWidth: 5, Rank: 2},
	}, Rows: []SizingRow{
		{Title: "Control plane", Cells: cell("3", "standard.extra-large", "4")},
		{Title: "Workers", Status: theme.Failed, Cells: cell("2", "standard.large", "4", "yes")},
		{Title: "Load balancers", Cells: cell("2", "standard.medium", "2")},
	}}
}

// Every pane of the wizard fills exactly its cells at any size, also with text that is wide, long or hostile.
func FuzzWizardPanesAreExact(f *testing.F) {
	f.Add(80, 24, "gpu", "10.0.0.0/16", false)
	f.Add(0, -3, "世界世界世界世界世界世界", "::/0", true)
	f.Add(3, 2, "\x1b[2Jtwo\nlines", "255.255.255.255/32", true)
	f.Add(58, 7, "", "ffff::/16", false)
	f.Fuzz(func(t *testing.T, width, height int, name, cidr string, ascii bool) {
		width, height = width%250, height%80
		styles := tuitest.NewTheme(false)
		if ascii {
			styles = tuitest.NewTheme(true)
		}
		prefix, _ := netip.ParsePrefix(cidr)
		sizing := someSizing(styles, height%5, width%5)
		sizing.Rows[0].Title = cells.Sanitize(name)
		quotas := append(someQuotas(), Quota{Resource: name, Need: width, Unknown: true})
		for _, view := range []components.View{
			Ranges{Theme: styles, Ranges: append(someRanges(), Range{Title: name, Prefix: prefix, Overlaps: []string{name}})},
			Quotas{Theme: styles, Rows: quotas, State: theme.Warn, Note: cells.Sanitize(name)},
			Cost{Theme: styles, Hour: 3.42, Month: 2463, Date: cells.Sanitize(name), Unknown: []string{name}, Machines: 16},
			Capacity{Theme: styles, Nodes: 512, PodsPerNode: 510, Services: 65534, Wanted: width}, sizing,
		} {
			tuitest.CheckExact(t, view, width, height)
		}
	})
}

func TestSizing_CursorWithoutColor(t *testing.T) {
	for column, want := range []string{"[  2]", "[standard.large", "", "[yes]"} {
		view := someSizing(tuitest.NewTheme(false), 1, column).View(58, 4)
		if want != "" && !strings.Contains(view, want) {
			t.Errorf("column %d lacks %q:\n%s", column, want, view)
		}
	}
	if view := someSizing(tuitest.NewTheme(false), 1, 0).View(48, 4); strings.Contains(view, "CPU") {
		t.Errorf("columns do not leave:\n%s", view)
	}
}

func TestSizing_CursorRowIsVisible(t *testing.T) {
	p := someSizing(tuitest.NewTheme(false), 0, 0)
	for i := range 30 {
		p.Rows = append(p.Rows, SizingRow{Title: fmt.Sprintf("group-%d", i), Cells: []SizingCell{{Text: "1"}}})
	}
	for row, r := range p.Rows {
		for height := 4; height < 12; height++ {
			p.Row = row
			if view := p.View(60, height); !strings.Contains(view, r.Title) {
				t.Fatalf("row %d of %d lines is not seen:\n%s", row, height, view)
			}
		}
	}
}
