package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

func demoReport(board *provisioner.Board) handover.Report {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain, spec.Exoscale.Zone = "c-demo-1", "example.net", "ch-gva-2"
	return handover.New(handover.Input{
		Spec: spec, Board: board, Folder: "/srv/exoshift/c-demo-1",
		Facts: state.Facts{
			ClusterID: "c-demo-1", OpenShiftVersion: "4.20.5", APIAddress: "192.0.2.10", IngressAddress: "192.0.2.11",
			ConsoleURL: "https://console-openshift-console.apps.c-demo-1.example.net",
		},
		Hour: 2.8412, Month: 2074, PriceDate: "2026-05-01",
	})
}

// handed returns the dashboard of a successful installation with its handover report.
func handed(t *testing.T, play func() *tape, width, height int, change func(*Options)) *dashboard {
	t.Helper()
	calls := 0
	var d *dashboard
	d = newTestDashboard(&tape{now: began}, width, height, func(o *Options) {
		o.Handover = func() handover.Report { calls++; return demoReport(d.run.board) }
		if change != nil {
			change(o)
		}
	})
	_, cmd := d.Update(eventsMsg(play().events))
	if cmd != nil {
		d.Update(cmd())
	}
	d.Update(eventsClosedMsg{})
	if calls > 1 {
		t.Errorf("the report was written %d times", calls)
	}
	return d
}

func TestHandover_AfterSuccess(t *testing.T) {
	d := handed(t, complete, 80, 24, nil)
	if view := d.View(); !strings.Contains(view, "Cluster c-demo-1 is installed") {
		t.Errorf("nothing is handed over:\n%s", view)
	}
}

func TestHandover_NotAfterFailure(t *testing.T) {
	d := handed(t, failing, 80, 24, nil)
	for range 2 {
		if strings.Contains(d.View(), "Cluster") {
			t.Errorf("a failure is handed over:\n%s", d.View())
		}
		press(d, "h")
	}
}

func TestHandover_ToggleDashboard(t *testing.T) {
	d := handed(t, complete, 80, 24, nil)
	for _, k := range []string{"enter", "h"} {
		if press(d, k); strings.Contains(d.View(), "Cluster") {
			t.Errorf("%s does not close it", k)
		}
		if press(d, k); !strings.Contains(d.View(), "Cluster") {
			t.Errorf("%s does not open it", k)
		}
	}
	if press(d, "5"); strings.Contains(d.View(), "Cluster") {
		t.Error("a pane that was chosen stays covered")
	}
	if cmd := press(d, "q"); cmd == nil || cmd() != tea.Quit() {
		t.Error("q does not leave")
	}
}

func TestHandover_ScrollLimit(t *testing.T) {
	d := handed(t, complete, 80, 24, nil)
	for range 200 {
		press(d, "down")
	}
	end := d.View()
	if press(d, "down"); d.View() != end || !strings.Contains(end, "all of it") {
		t.Errorf("its end is not seen:\n%s", end)
	}
	if press(d, "g"); d.View() == end {
		t.Error("g does not lead to its beginning")
	}
	if press(d, "G"); d.View() != end {
		t.Error("G does not lead to its end")
	}
}

func TestHandover_RemovedByNextRun(t *testing.T) {
	d := handed(t, complete, 80, 24, nil)
	d.run.eventsClosed = false // a recording that is watched goes on
	d.Update(eventsMsg{{Type: provisioner.TypeRun, State: provisioner.Started, Time: d.run.board.Now.Add(1)}})
	for range 2 {
		if strings.Contains(d.View(), "Cluster") {
			t.Error("what the earlier run left is still handed over")
		}
		press(d, "h")
	}
}

func TestHandover_Golden(t *testing.T) {
	for _, size := range [][2]int{{50, 14}, {60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		tuitest.Golden(t, fmt.Sprintf("handover-%dx%d", size[0], size[1]), handed(t, complete, size[0], size[1], nil).View())
	}
	tuitest.Golden(t, "handover-80x24-ascii", handed(t, complete, 80, 24, func(o *Options) { o.ASCII = true }).View())
}

func TestHandover_FitsEverySize(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 2}, {20, 5}, {59, 17}, {60, 18}, {99, 20}, {140, 40}} {
		d := handed(t, complete, size[0], size[1], nil)
		press(d, "down", "pgdown")
		tuitest.CheckBlock(t, fmt.Sprint(size), d.View(), size[0], size[1])
	}
}
