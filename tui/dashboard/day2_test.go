package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"
)

// withoutPlan is for a run whose steps come with its first event.
func withoutPlan(o *Options) { o.Plan, o.Verb = nil, "nodes replace" }

func TestDay2_Golden(t *testing.T) {
	for _, size := range [][2]int{{40, 6}, {60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		name := fmt.Sprintf("day2-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			tuitest.Golden(t, name, newTestDashboard(replacing(), size[0], size[1], withoutPlan).View())
		})
	}
}

func TestDay2_PaneGolden(t *testing.T) {
	d := newTestDashboard(replacing(), 80, 24, withoutPlan)
	press(d, "3")
	tuitest.Golden(t, "day2-pane-80x24", d.View())
	press(d, "enter")
	tuitest.Golden(t, "day2-list-80x24", d.View())
}

// A recording has no options but its events: its first one says that the cluster is installed.
func TestDay2_IsKnownByTheFirstEvent(t *testing.T) {
	view := newTestDashboard(replacing(), 120, 40, func(o *Options) { o.Plan = nil }).View()
	if !strings.Contains(view, "3 day 2") || strings.Contains(view, "bootstrap") || !strings.Contains(view, "cordon worker-0") {
		t.Errorf("the screen is that of an installation:\n%s", view)
	}
}

func TestDay2_DecisionSaysWhatGivingUpMeans(t *testing.T) {
	run := replacing()
	run.add(0, provisioner.Event{
		Type: provisioner.TypeDecision, Name: "pdb-blocks", State: provisioner.Asked, Decision: string(provisioner.ReplyStop),
		Text: "shop/cart permits no eviction. Give the removal up?", Evidence: []string{"shop/cart-0 is on worker-0"},
	})
	d := newTestDashboard(run, 100, 30, func(o *Options) { withoutPlan(o); o.Decide = func(string, provisioner.Reply) {} })
	press(d, "a")
	if view := d.View(); !strings.Contains(view, "give it up and uncordon") || strings.Contains(view, "keep everything") {
		t.Errorf("the answer does not say what it does:\n%s", view)
	}
}
