package pane

import (
	"fmt"
	"slices"
	"strings"
)

// Planned is one object of a plan.
type Planned struct {
	Action string // create, update, delete or found
	Kind   string
	Name   string
	Detail string
}

// PlanGroup is all objects of one kind to which the same is done.
type PlanGroup struct {
	Action, Kind string
	Items        []Planned
}

// GroupPlan groups a plan: what is created first, what is there already last, and the machines before all else.
func GroupPlan(plan []Planned) []PlanGroup {
	var groups []PlanGroup
	for _, action := range []string{"create", "update", "delete", "found"} {
		from := len(groups)
		for _, object := range plan {
			if object.Action != action {
				continue
			}
			i := slices.IndexFunc(groups[from:], func(g PlanGroup) bool { return g.Kind == object.Kind })
			if i < 0 {
				groups = append(groups, PlanGroup{Action: action, Kind: object.Kind})
				i = len(groups) - 1 - from
			}
			groups[from+i].Items = append(groups[from+i].Items, object)
		}
		slices.SortStableFunc(groups[from:], func(a, b PlanGroup) int { return machinesFirst(a.Kind) - machinesFirst(b.Kind) })
	}
	return groups
}

func machinesFirst(kind string) int {
	if kind == instance {
		return 0
	}
	return 1
}

// planHeading says what an action means for a number of objects.
func planHeading(action string, n int) string {
	switch action {
	case "create":
		return fmt.Sprintf("Created: %s", Plural(n, "object"))
	case "update":
		return fmt.Sprintf("Changed: %s", Plural(n, "object"))
	case "delete":
		return fmt.Sprintf("Deleted: %s", Plural(n, "object"))
	}
	return fmt.Sprintf("There already, and stays: %s", Plural(n, "object"))
}

// summary counts the objects of a group and names the first ones.
func (g PlanGroup) summary(t Theme) string {
	names := make([]string, 0, len(g.Items))
	for _, item := range g.Items {
		names = append(names, Clean(item.Name))
	}
	return Fit(Plural(len(g.Items), Clean(kindName(g.Kind))), 26) + t.Dim.Render(strings.Join(names, ", "))
}

// rows are the objects of a group, one a line.
func (g PlanGroup) rows(t Theme) []string {
	longest := 0
	for _, item := range g.Items {
		longest = max(longest, cells(Clean(item.Name)))
	}
	rows := make([]string, 0, len(g.Items))
	for _, item := range g.Items {
		rows = append(rows, "       "+Fit(Clean(item.Name), min(longest, 40))+t.Dim.Render("  "+Clean(item.Detail)))
	}
	return rows
}
