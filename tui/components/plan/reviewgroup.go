package plan

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"
)

// PlannedObject is one resource of a plan.
type PlannedObject struct {
	Action string // create, update, delete or found
	Kind   string
	Name   string
	Detail string
}

// Group is all resources of one kind with the same action.
type Group struct {
	Action, Kind string
	Items        []PlannedObject
}

// GroupPlan groups a plan: resources to create first, existing ones last, and the machines before everything else.
func GroupPlan(plan []PlannedObject) []Group {
	var groups []Group
	for _, action := range []string{"create", "update", "delete", "found"} {
		from := len(groups)
		for _, object := range plan {
			if object.Action != action {
				continue
			}
			i := slices.IndexFunc(groups[from:], func(g Group) bool { return g.Kind == object.Kind })
			if i < 0 {
				groups = append(groups, Group{Action: action, Kind: object.Kind})
				i = len(groups) - 1 - from
			}
			groups[from+i].Items = append(groups[from+i].Items, object)
		}
		stable.Sort(groups[from:], func(a, b Group) int { return orderKind(a.Kind) - orderKind(b.Kind) })
	}
	return groups
}

func orderKind(kind string) int {
	if kind == run.KindInstance {
		return 0
	}
	return 1
}

func formatPlanHeading(action string, n int) string {
	switch action {
	case "create":
		return fmt.Sprintf("Created: %s", text.Plural(n, "object"))
	case "update":
		return fmt.Sprintf("Changed: %s", text.Plural(n, "object"))
	case "delete":
		return fmt.Sprintf("Deleted: %s", text.Plural(n, "object"))
	}
	return fmt.Sprintf("Unchanged: %s", text.Plural(n, "object"))
}

func (g Group) renderSummary(t theme.Theme) string {
	names := make([]string, 0, len(g.Items))
	for _, item := range g.Items {
		names = append(names, cells.Sanitize(item.Name))
	}
	return cells.Fit(text.Plural(len(g.Items), cells.Sanitize(run.FormatKind(g.Kind))), 26) + t.Dim.Render(strings.Join(names, ", "))
}

func (g Group) renderRows(t theme.Theme) []string {
	longest := 0
	for _, item := range g.Items {
		longest = max(longest, cells.Count(cells.Sanitize(item.Name)))
	}
	rows := make([]string, 0, len(g.Items))
	for _, item := range g.Items {
		rows = append(rows, "       "+cells.Fit(cells.Sanitize(item.Name), min(longest, 40))+t.Dim.Render("  "+cells.Sanitize(item.Detail)))
	}
	return rows
}
