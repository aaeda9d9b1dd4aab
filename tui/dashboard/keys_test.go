package dashboard

import (
	"strings"
	"sync"
	"testing"

	"exoshift/provisioner"
	"exoshift/tui/app"
	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

// stoppable returns the dashboard of a running installation, and the number of calls of Stop.
func stoppable(t *testing.T, tape *tape) (*dashboard, *int) {
	t.Helper()
	stops := new(int)
	return newTestDashboard(tape, 80, 24, func(o *Options) { o.Stop = func() { *stops++ } }), stops
}

func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, quit := cmd().(tea.QuitMsg)
	return quit
}

func TestLeave_CtrlCDefaultsToBack(t *testing.T) {
	for _, back := range []string{"enter", "esc", "q", " "} {
		d, stops := stoppable(t, middle())
		if quits(press(d, "ctrl+c")) || d.leaveDialog == nil {
			t.Fatal("ctrl+c does not ask")
		}
		for _, text := range []string{"Nothing is deleted: 10 instances", "continues in the cloud", "Resume with: exoshift install"} {
			if !strings.Contains(d.View(), text) {
				t.Errorf("the menu does not say %q", text)
			}
		}
		if quits(press(d, back)) || d.leaveDialog != nil || d.run.stopping || *stops != 0 {
			t.Errorf("%q in the menu does not just go back", back)
		}
	}
}

// TestRun_PasteIsNoKey: letters that are pasted by mistake stop no run; into a filter they can be pasted.
func TestRun_PasteIsNoKey(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	term, events := tuitest.NewTerminal(t), make(chan provisioner.Event)
	stopped := make(chan struct{})
	end := start(t.Context(), term, events, sync.OnceFunc(func() { close(stopped) }))
	for _, e := range middle().events {
		events <- e
	}
	term.Await(t, "\x1b[?2004h")
	term.Press(t, "\x1b[200~\x03q\ryn?"+strings.Repeat("q\ry", 1000)+"\x1b[201~/")
	term.Press(t, "\x1b[200~worker-2\n\x1b[201~")
	term.Await(t, "worker-2")
	if term.Shows("Nothing is deleted") {
		t.Error("the paste has pressed a key")
	}
	tuitest.CheckPending(t, stopped)
	term.Press(t, "\x03\x03")
	<-stopped
	close(events)
	if err := <-end; err != nil {
		t.Error(err)
	}
}

func TestLeave_StopByKey(t *testing.T) {
	for _, keys := range [][]string{{"ctrl+c", "ctrl+c"}, {"q", "down", "enter"}, {"q", "tab", " "}} {
		d, stops := stoppable(t, middle())
		if quits(press(d, keys...)) {
			t.Errorf("%v leaves before the run has ended", keys)
		}
		if !d.run.stopping || *stops != 1 || !strings.Contains(d.View(), "STOPPING") {
			t.Errorf("%v does not stop the run", keys)
		}
		press(d, "q", "esc", "enter")
		if d.leaveDialog != nil || *stops != 1 {
			t.Errorf("%v: other keys do something while the run stops", keys)
		}
	}
}

func TestLeave_ThirdCtrlCQuits(t *testing.T) {
	d, stops := stoppable(t, middle())
	if !quits(press(d, "ctrl+c", "ctrl+c", "ctrl+c")) || *stops != 1 || d.run.ended {
		t.Error("a third ctrl+c does not leave")
	}
}

func TestLeave_StoppedRunQuits(t *testing.T) {
	d, _ := stoppable(t, middle())
	press(d, "ctrl+c", "ctrl+c")
	_, cmd := d.Update(eventsMsg{{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "interrupted"}})
	if !quits(cmd) || !d.run.ended {
		t.Error("the dashboard stays although its operator chose to leave")
	}
}

func TestLeave_FinishedRunWaitsForKey(t *testing.T) {
	for _, leave := range []string{"q", "enter", "ctrl+c"} {
		d, stops := stoppable(t, complete())
		_, cmd := d.Update(eventsClosedMsg{})
		if quits(cmd) {
			t.Fatal("the dashboard does not stay")
		}
		if !quits(press(d, leave)) || *stops != 0 {
			t.Errorf("%q does not leave a finished run", leave)
		}
	}
}

func TestLeave_MenuClosesWithRun(t *testing.T) {
	d, _ := stoppable(t, middle())
	press(d, "q")
	d.Update(eventsClosedMsg{})
	if d.leaveDialog != nil || !strings.Contains(d.View(), "INTERRUPTED") {
		t.Error("the menu outlives the run")
	}
}

func TestLeave_WatchedRunWithoutMenu(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, func(o *Options) { o.Stop = nil })
	if !quits(press(d, "q")) {
		t.Error("leaving a run that is only watched asks")
	}
}

func TestDashboard_KeepsLastState(t *testing.T) {
	d, _ := stoppable(t, middle())
	d.Update(eventsClosedMsg{})
	for _, text := range []string{"! INTERRUPTED  18/27", "! INTERRUPTED  all resources are kept", "master-2", "10 instances"} {
		if !strings.Contains(d.View(), text) {
			t.Errorf("the screen lost %q", text)
		}
	}
	if _, cmd := d.Update(app.TickMsg{}); cmd != nil {
		t.Error("the clock goes on")
	}
}

func TestDashboard_FailureDetails(t *testing.T) {
	d, _ := stoppable(t, failing())
	shown := func() bool { return strings.Contains(d.View(), "Evidence") }
	if !shown() {
		t.Error("the failure does not show")
	}
	if press(d, "d"); shown() {
		t.Error("d does not hide the failure")
	}
	if press(d, "d", "5"); shown() || !strings.Contains(d.View(), "CSR 6 approved") {
		t.Error("choosing a pane does not hide the failure")
	}
}

func TestPanes_ByNumberAndTab(t *testing.T) {
	d, _ := stoppable(t, middle())
	for i, mark := range []string{"[1 overview]", "[2 steps]", "[3 bootstrap]", "[4 etcd]", "[5 nodes]", "[6 operators]", "[7 cloud]", "[8 log]"} {
		if !strings.Contains(d.View(), mark) {
			t.Errorf("tab %d does not lead to %s", i, mark)
		}
		press(d, "tab")
	}
	if press(d, "7"); !strings.Contains(d.View(), "[7 cloud]") {
		t.Error("7 does not choose the cloud")
	}
}

func TestLog_ScrollingHolds(t *testing.T) {
	d, _ := stoppable(t, middle())
	press(d, "8", "k", "k", "k")
	before := d.View()
	if !strings.Contains(before, "newer events") {
		t.Fatal("the log does not say that there is more")
	}
	e := provisioner.Event{Seq: len(d.run.board.Log) + 1, Time: d.run.board.Now, Type: provisioner.TypeNode, Name: "infra-9", State: "Ready"}
	d.Update(eventsMsg{e})
	if lines := strings.Split(d.View(), "\n"); lines[8] != strings.Split(before, "\n")[8] {
		t.Error("a new event moves the log")
	}
	if press(d, "home"); strings.Contains(d.View(), "newer events") {
		press(d, "g")
		if strings.Contains(d.View(), "newer events") {
			t.Error("home does not follow the run")
		}
	}
}

func TestNodes_ScrollToEnd(t *testing.T) {
	d := newTestDashboard(thousand(), 80, 24, nil)
	press(d, "5")
	for range 100 {
		press(d, " ")
	}
	if view := d.View(); !strings.Contains(view, "storage-2 ") || strings.Contains(view, "↓") {
		t.Errorf("the end is not in sight:\n%s", view)
	}
}

func TestHelp_ExplainsEveryKey(t *testing.T) {
	d, _ := stoppable(t, middle())
	press(d, "?")
	for _, group := range d.newScreen().listUsableKeys().FullHelp() {
		for _, binding := range group {
			if binding.Enabled() && !strings.Contains(d.View(), binding.Help().Desc) {
				t.Errorf("the help does not explain %q", binding.Help().Key)
			}
		}
	}
}

func TestHelp_ScrollsOnASmallTerminal(t *testing.T) {
	d, _ := stoppable(t, middle())
	d.Update(tea.WindowSizeMsg{Width: 60, Height: 16})
	press(d, "?")
	if view := d.View(); !strings.Contains(view, "more lines") || !strings.Contains(view, "filter nodes, operators, log ") {
		t.Errorf("the help is cut without a mark:\n%s", view)
	}
	seen := ""
	for range 10 {
		seen += d.View()
		press(d, " ")
	}
	for _, group := range d.newScreen().listUsableKeys().FullHelp() {
		for _, binding := range group {
			if binding.Enabled() && !strings.Contains(seen, binding.Help().Desc) {
				t.Errorf("%q cannot be reached", binding.Help().Desc)
			}
		}
	}
	if press(d, "esc"); d.help || d.helpOffset != 0 {
		t.Error("esc does not close the help")
	}
}

func TestHelp_OmitsKeysWithoutEffect(t *testing.T) {
	d, _ := stoppable(t, middle())
	if press(d, "?"); strings.Contains(d.View(), "one pane or all") || strings.Contains(d.View(), "mouse") || strings.Contains(d.View(), "1-9") {
		t.Errorf("the help of 80x24 has keys of other terminals:\n%s", d.View())
	}
	if press(d, "esc", "w"); d.nav.single || !strings.Contains(d.View(), "need 100 columns") {
		t.Errorf("w on 80 columns:\n%s", d.View())
	}
}

func TestKeys_CoalescedInput(t *testing.T) {
	d, _ := stoppable(t, middle())
	d.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("5w7")})
	if d.nav.tab != cloudTab || !d.nav.single {
		t.Error("keys were lost")
	}
}

func TestLeave_DescribesUnattended(t *testing.T) {
	for text, tape := range map[string]*tape{"bootstrap continues": middle(), "": beginning()} {
		d, _ := stoppable(t, tape)
		press(d, "q")
		if goesOn := strings.Contains(d.View(), "in the cloud."); goesOn != (text != "") || !strings.Contains(d.View(), text) {
			t.Errorf("the menu says the wrong thing:\n%s", d.View())
		}
	}
}
