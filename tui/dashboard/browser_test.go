package dashboard

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

// Every pane leads to a list of its rows, every row to everything about it, and esc back to the pane.
func TestList_OpensFromEveryPane(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		for pane, shown := range map[string][2]string{
			"2": {"Reserve", "Phase"}, "3": {"machine-config", "Meaning"}, "4": {"master-2", "voter"}, "5": {"CSR ", "State"},
			"7": {"instance", "Last action"}, "8": {"following", "Time"},
		} {
			d := newTestDashboard(middle(), size[0], size[1], nil)
			press(d, pane, "enter")
			tuitest.CheckScreen(t, d.View(), size[0], size[1])
			if d.list == nil || !strings.Contains(d.View(), " of ") {
				t.Fatalf("%s at %v opens no list:\n%s", pane, size, d.View())
			}
			if !strings.Contains(d.list.Format(), shown[0]) && !strings.Contains(d.View(), shown[0]) {
				t.Errorf("%s at %v lacks %q:\n%s", pane, size, shown[0], d.View())
			}
			press(d, "enter")
			if tuitest.CheckScreen(t, d.View(), size[0], size[1]); !strings.Contains(d.View(), shown[1]) {
				t.Errorf("%s at %v: the record lacks %q:\n%s", pane, size, shown[1], d.View())
			}
			d.Update(tea.WindowSizeMsg{Width: 61, Height: 19})
			tuitest.CheckScreen(t, d.View(), 61, 19)
			tab := d.nav.tab
			if press(d, "esc", "esc"); d.list != nil || d.nav.tab != tab {
				t.Errorf("%s at %v: esc does not lead back", pane, size)
			}
		}
	}
}

func TestList_CutTextIsReachable(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	press(d, "2", "enter", "/")
	for _, r := range "bootstrap to complete" {
		press(d, string(r))
	}
	press(d, "enter", "enter")
	const last = "etcd member master-2 is a learner, not yet a voter"
	if view := strings.Join(strings.Fields(d.View()), " "); !strings.Contains(view, last) {
		t.Errorf("what was seen last is not whole:\n%s", d.View())
	}
}

func TestList_NoMatchIsSaid(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	press(d, "7", "enter", "/", "z", "z", "z", "enter")
	if !strings.Contains(d.View(), "no match") {
		t.Errorf("an empty result is not named:\n%s", d.View())
	}
	press(d, "enter", "c", "n", "pgdown")
	if press(d, "esc"); d.list == nil || strings.Contains(d.View(), "no match") {
		t.Error("esc does not clear the filter first")
	}
}

func TestList_HelpIsOfTheList(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 40}} {
		d := newTestDashboard(middle(), size[0], size[1], nil)
		press(d, "8", "enter", "?")
		tuitest.CheckScreen(t, d.View(), size[0], size[1])
		if view := d.View(); !strings.Contains(view, "previous problem") || strings.Contains(view, "select a pane") {
			t.Errorf("the help of a list at %v is\n%s", size, view)
		}
		press(d, "x", "enter", "?")
		if view := d.View(); strings.Contains(view, "previous problem") || !strings.Contains(view, "scroll") {
			t.Errorf("the help of a record at %v is\n%s", size, view)
		}
		press(d, "x", "esc", "/", "?", "enter")
		if view := d.View(); d.help || !strings.Contains(view, "/?") {
			t.Errorf("a question mark in the filter at %v:\n%s", size, view)
		}
	}
}

func TestList_NoFurtherProblem(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	press(d, "7", "enter", "n")
	if !strings.Contains(d.View(), "no further problem · ") {
		t.Errorf("nothing is said:\n%s", d.View())
	}
	if press(d, "down"); strings.Contains(d.View(), "no further problem") {
		t.Errorf("it stays:\n%s", d.View())
	}
}

func TestList_NextProblem(t *testing.T) {
	d := newTestDashboard(failing(), 80, 24, nil)
	press(d, "8", "enter", "home", "n")
	records, at := d.panes().listRecords(logTab, false, false), -1
	press(d, "enter")
	for i, r := range records {
		if strings.Contains(d.View(), strings.Fields(r.Name)[0]) {
			at = i
			break
		}
	}
	if at < 0 || !strings.Contains(d.View(), "!") && !strings.Contains(d.View(), "✗") {
		t.Errorf("n does not lead to a problem:\n%s", d.View())
	}
}

func TestList_CopiesWholeRecord(t *testing.T) {
	var out strings.Builder
	d := newTestDashboard(failing(), 80, 24, func(o *Options) { o.Out = &out })
	press(d, "enter")
	d.Update(press(d, "c")())
	encoded := strings.Split(strings.TrimSuffix(out.String(), "\a"), ";")
	text, err := base64.StdEncoding.DecodeString(encoded[len(encoded)-1])
	if err != nil || !strings.Contains(string(text), "exo compute security-group rule add c-demo-1_control_plane --protocol tcp --port 22623 --security-group c-demo-1_all") {
		t.Errorf("copied %q: %v", text, err)
	}
}

func TestList_SavesRows(t *testing.T) {
	t.Chdir(t.TempDir())
	d := newTestDashboard(middle(), 80, 24, nil)
	press(d, "8", "enter")
	d.Update(press(d, "s")())
	files, _ := filepath.Glob("c-demo-1-events-*.txt")
	if len(files) != 1 || !strings.Contains(d.View(), files[0]) {
		t.Fatalf("saved %v:\n%s", files, d.View())
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "4 members: bootstrap, master-0, master-1, master-2 (learner)") {
		t.Errorf("saved %q: %v", text, err)
	}
}

func TestList_WrapShowsWholeRows(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	press(d, "8", "enter", "/", "l", "e", "a", "r", "n", "e", "r", "enter")
	const last = "etcd member master-2 is a learner, not yet a voter (Wait for the bootstrap to complete)"
	if strings.Contains(strings.Join(strings.Fields(d.View()), " "), last) {
		t.Fatal("the row fits without wrapping")
	}
	if press(d, "w"); !strings.Contains(strings.Join(strings.Fields(d.View()), " "), last) {
		t.Errorf("w does not wrap:\n%s", d.View())
	}
}
