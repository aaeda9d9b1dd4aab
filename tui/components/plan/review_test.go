package plan

import (
	"strings"
	"testing"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/tuitest"

	"github.com/google/go-cmp/cmp"
)

func TestGroupPlan_MachinesFirst(t *testing.T) {
	groups := GroupPlan([]PlannedObject{
		{Action: "found", Kind: "ssh-key", Name: "k"}, {Action: "create", Kind: "bucket", Name: "b"}, {Action: "create", Kind: "instance", Name: "m0"},
		{Action: "delete", Kind: "instance", Name: "old"}, {Action: "create", Kind: "instance", Name: "m1"},
	})
	var got []string
	for _, group := range groups {
		got = append(got, group.Action+" "+text.Plural(len(group.Items), group.Kind))
	}
	if diff := cmp.Diff([]string{"create 2 instances", "create 1 bucket", "delete 1 instance", "found 1 ssh-key"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPlan_LineOfGroup(t *testing.T) {
	for _, width := range []int{60, 80, 120, 200} {
		p := Review{Theme: tuitest.NewTheme(false), Spec: demo(), Open: map[int]bool{0: true}, Groups: GroupPlan([]PlannedObject{
			{Action: "create", Kind: "instance", Name: "m0"}, {Action: "create", Kind: "bucket", Name: "b"}, {Action: "found", Kind: "ssh-key", Name: "k"},
		})}
		for group, mark := range []string{"› - 1 instance", "› + 1 bucket", "› + 1 SSH key"} {
			p.Selected = group
			lines := strings.Split(p.View(width, p.CountLines(width)), "\n")
			if at := p.FindLine(group, width); !strings.Contains(lines[at], mark) {
				t.Errorf("%d cells: %q is not in line %d: %q", width, mark, at, lines[at])
			}
		}
	}
}

func TestReview_Cost(t *testing.T) {
	p := Review{Theme: tuitest.NewTheme(false), Spec: demo(), Cost: Cost{Hour: 2.5, Month: 1825, Date: "2026-05-01", Unknown: []string{"gpua30.medium"}}}
	for _, want := range []string{"2.50/hour", "1825/month", "2026-05-01", "gpua30.medium", "No changes"} {
		if view := strings.Join(strings.Fields(p.View(200, 40)), " "); !strings.Contains(view, want) {
			t.Errorf("no %q in %s", want, view)
		}
	}
}

// A review fills exactly its cells, whatever it shows.
func FuzzReviewIsExact(f *testing.F) {
	f.Add(80, 24, "Check the zone", 3, false)
	f.Add(0, -3, "世界世界世界世界世界世界", 0, true)
	f.Add(119, 2, "two\nlines and a word"+strings.Repeat("x", 300), 9, true)
	f.Add(40, -3, "scrolled", 19, false)
	f.Add(122, -3, "beside a picture", 19, false)
	f.Fuzz(func(t *testing.T, width, height int, text string, n int, ascii bool) {
		width, height, n = width%250, height%80, (n%20+20)%20
		styles, text := tuitest.NewTheme(ascii), cells.Sanitize(text)
		plan := make([]PlannedObject, n)
		for i := range plan {
			plan[i] = PlannedObject{Action: []string{"create", "update", "delete", "found"}[i%4], Kind: text, Name: text, Detail: text}
		}
		spec := demo()
		spec.Cluster.ID, spec.Exoscale.Zone = text, text
		tuitest.CheckExact(t, Review{
			Theme: styles, Spec: spec, Groups: GroupPlan(plan), Actions: []string{text}, Warnings: []string{text}, Export: text,
			Command: text, Open: map[int]bool{0: true}, Offset: n, Rows: n, Minutes: [2]int{n, 2 * n},
		}, width, height)
	})
}

func TestReview_DrawsNothingInNegativeHeight(t *testing.T) {
	tuitest.CheckExact(t, Review{Theme: tuitest.NewTheme(false), Spec: demo()}, 122, -3)
}
