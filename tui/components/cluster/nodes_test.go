package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/tuitest"
)

// flock is a thousand nodes, every hundredth of which is not ready.
var midday = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func flock() []provisioner.NodeView {
	var nodes []provisioner.NodeView
	for i := range 1000 {
		node := provisioner.NodeView{Name: fmt.Sprintf("worker-%d", i), Role: "worker", State: "Ready", At: midday, Machine: "running"}
		switch i % 100 {
		case 17:
			node.State, node.Reason = "NotReady", "no network"
		case 18:
			node.State, node.Client = "Booting", state.RequestPending
		}
		nodes = append(nodes, node)
	}
	return nodes
}

func TestNodes_CountsReady(t *testing.T) {
	p := Nodes{Theme: tuitest.NewTheme(false), Now: midday, Summary: CountNodes(flock(), nil, nil)}
	view := p.View(100, 40)
	if rows := strings.Count(view, "worker-"); rows != 20 {
		t.Errorf("%d nodes are listed:\n%s", rows, view)
	}
	if !strings.Contains(view, "✓ 980 ready") || strings.Contains(view, "more not ready") {
		t.Errorf("the others are not counted:\n%s", view)
	}
	if view := p.View(100, 10); !strings.Contains(view, "● 14 more not ready  ✓ 980 ready") {
		t.Errorf("where there is no room for all in trouble:\n%s", view)
	}
}

func TestNodes_Filter(t *testing.T) {
	p := Nodes{Theme: tuitest.NewTheme(false), Now: midday, Summary: CountNodes(flock(), nil, []state.Machine{{Name: "worker-missing"}}), Filter: "NETWORK"}
	if n := strings.Count(p.View(100, 40), "worker-"); n != 10 {
		t.Errorf("%d nodes mention it", n)
	}
	if p.Filter = "missing"; !strings.Contains(p.View(100, 40), "worker-missing") {
		t.Error("a missing node is not found")
	}
	if p.Filter = "nobody"; strings.Contains(p.View(100, 40), "worker-") {
		t.Error("nodes are shown that do not mention it")
	}
}

func TestNodes_RowShowsStages(t *testing.T) {
	for _, c := range []struct {
		node provisioner.NodeView
		want string
	}{
		{provisioner.NodeView{State: "Booting", Machine: "running"}, "● a ✓ 0/2 ○ ○ 0s no contact yet"},
		{provisioner.NodeView{State: "Booting", Machine: "stopped"}, "● a ! 0/2 ○ ○ 0s"},
		{provisioner.NodeView{State: "Booting", Machine: "running", Client: state.RequestPending}, "● a ✓ 0/2 ○ ○ 0s certificate request pending"},
		{provisioner.NodeView{State: "Booting", Machine: "running", Client: state.RequestIssued}, "● a ✓ 1/2 ○ ○ 0s certificate issued, not registered"},
		{provisioner.NodeView{State: "Booting", Client: state.RequestDenied}, "● a – ✗ ○ ○ 0s certificate request: denied"},
		{provisioner.NodeView{State: "NotReady", Machine: "running", Client: state.RequestIssued, Serving: state.RequestPending, Reason: "no network"}, "! a ✓ 1/2 ✓ ! 0s no network"},
		{provisioner.NodeView{State: "Ready", Machine: "running", Client: state.RequestIssued, Serving: state.RequestIssued}, "✓ a ✓ 2/2 ✓ ✓ 0s"},
	} {
		c.node.Name, c.node.At = "a", midday
		p := Nodes{Theme: tuitest.NewTheme(false), Now: midday, Summary: CountNodes([]provisioner.NodeView{c.node}, nil, nil)}
		if got := strings.Join(strings.Fields(p.renderRow(c.node, 100)), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestOperators_DegradedFirst(t *testing.T) {
	operator := func(name, operatorState string) provisioner.Event {
		return provisioner.Event{Type: provisioner.TypeOperator, Name: name, State: operatorState, Time: midday}
	}
	percent := 250
	p := Operators{
		Theme: tuitest.NewTheme(false), Now: midday,
		Version: provisioner.Event{Type: provisioner.TypeVersion, State: "installing", Percent: &percent, Text: "waiting on sick"},
		Operators: []provisioner.Event{
			operator("good", "stable"), operator("slow", "progressing"), operator("idle", "waiting"), operator("sick", "degraded"), operator("fickle", "flapping"),
		},
	}
	view, last := p.View(80, 12), -1
	for _, wrapped := range []string{"100%", "waiting on sick", "! sick", "! fickle", "● slow", "○ idle", "1 of 5 operators stable"} {
		at := strings.Index(view, wrapped)
		if at <= last {
			t.Errorf("%q is not where it belongs:\n%s", wrapped, view)
		}
		last = at
	}
	if strings.Contains(view, "good") {
		t.Error("a stable operator is listed")
	}
	if p.Filter = "good"; !strings.Contains(p.View(80, 12), "✓ good") {
		t.Error("a stable operator is not found")
	}
}

func TestEtcd_BootstrapMemberReason(t *testing.T) {
	p := Etcd{
		Theme: tuitest.NewTheme(false), Counts: []int{1, 2}, HoldReason: "3 of 4 members are healthy",
		Members: []provisioner.Member{{Name: "etcd-bootstrap", State: "voter"}, {Name: "master-0", State: "learner", Revision: 4}},
	}
	for _, wrapped := range []string{"bootstrap member kept: 3 of 4", "master-0         learner      revision 4"} {
		if view := p.View(60, 10); !strings.Contains(view, wrapped) {
			t.Errorf("%q is not said in\n%s", wrapped, view)
		}
	}
}

func TestPhases_CountsHidden(t *testing.T) {
	board := provisioner.NewBoard(nil)
	for _, phase := range state.ListPhases()[:9] {
		board.Fold(provisioner.Event{Type: provisioner.TypeBootstrap, Phase: phase, Time: midday})
	}
	view := Bootstrap{Theme: tuitest.NewTheme(false), Board: board, Now: midday}.View(40, 6)
	for _, wrapped := range []string{"✓ 7 before", "✓ bootstrap-success", "● bootstrap-finished", "○ 5 pending"} {
		if !strings.Contains(view, wrapped) {
			t.Errorf("%q is not said in\n%s", wrapped, view)
		}
	}
}

func TestNodes_DrawNothingInNegativeHeight(t *testing.T) {
	tuitest.CheckExact(t, Nodes{Theme: tuitest.NewTheme(false), Now: midday, Summary: CountNodes(flock(), nil, nil)}, 122, -3)
}

func TestNodes_NotReadyFirst(t *testing.T) {
	p := Nodes{Theme: tuitest.NewTheme(false), Now: midday, Summary: CountNodes([]provisioner.NodeView{
		{Name: "fine", State: "Ready"}, {Name: "coming", State: "registered"}, {Name: "lost", State: "failed"}, {Name: "sick", State: "NotReady"},
	}, nil, nil)}
	view := p.View(60, 10)
	last := -1
	for _, name := range []string{"lost", "sick", "coming", "fine"} {
		at := strings.Index(view, name)
		if at <= last {
			t.Errorf("%s is not where it belongs:\n%s", name, view)
		}
		last = at
	}
}
