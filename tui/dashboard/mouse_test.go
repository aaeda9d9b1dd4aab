package dashboard

import (
	"strings"
	"testing"

	"exoshift/tui/app"
	"exoshift/tui/cells"

	tea "github.com/charmbracelet/bubbletea"
)

// newMouseDashboard returns the dashboard of a terminal with a mouse.
func newMouseDashboard(t *testing.T, width, height int) *dashboard {
	t.Helper()
	d := newTestDashboard(late(), width, height, nil)
	d.theme.Mouse = true
	d.keys.Mouse.SetEnabled(true)
	return d
}

// click clicks on the first text like that; a target that is a key is returned as its name.
func click(t *testing.T, d *dashboard, text string) string {
	t.Helper()
	plain, targets := cells.FindTargets(d.View())
	for y, line := range strings.Split(plain, "\n") {
		if before, _, found := strings.Cut(line, text); found {
			at := targets.At(cells.Count(before), y)
			if name, is := strings.CutPrefix(at, cells.KeyTarget); is {
				return name
			}
			d.Update(app.ClickMsg{Target: at})
			return ""
		}
	}
	t.Fatalf("%q is not shown:\n%s", text, plain)
	return ""
}

func TestMouse_PanesRowsAndKeys(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		d := newMouseDashboard(t, size[0], size[1])
		if view := d.View(); strings.Count(view, "\n") != size[1]-1 {
			t.Fatalf("%v: %d lines", size, strings.Count(view, "\n")+1)
		}
		if got := click(t, d, "quit"); got != "q" {
			t.Errorf("%v: a click on quit is the key %q", size, got)
		}
		if size[0] < 80 {
			continue
		}
		if click(t, d, "5 nodes"); d.nav.tab != nodesTab {
			t.Errorf("%v: a click does not select the nodes", size)
		}
		if click(t, d, "5 nodes"); d.list == nil {
			t.Fatalf("%v: a second click does not open the list", size)
		}
		click(t, d, "infra-1")
		if click(t, d, "infra-1"); !strings.Contains(ansiFree(d.View()), "Instance") && !strings.Contains(ansiFree(d.View()), "infra-1") {
			t.Errorf("%v: the row is not opened:\n%s", size, ansiFree(d.View()))
		}
	}
}

func ansiFree(view string) string {
	plain, _ := cells.FindTargets(view)
	return plain
}

func TestMouse_WheelScrollsWithoutSelecting(t *testing.T) {
	d := newMouseDashboard(t, 120, 40)
	before := d.View()
	d.Update(app.WheelMsg{By: -1, Target: formatPane(logTab)})
	if d.nav.tab != overviewTab || d.nav.logEnd == 0 || d.View() == before {
		t.Errorf("the log is not scrolled, or selected: tab %v, end %d", d.nav.tab, d.nav.logEnd)
	}
}

func TestMouse_OffByKey(t *testing.T) {
	d := newMouseDashboard(t, 80, 24)
	_, cmd := d.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("m")})
	if cmd == nil {
		t.Fatal("m does nothing")
	}
	if d.Update(app.MouseMsg{On: false}); !strings.Contains(d.View(), "mouse off") {
		t.Errorf("nobody says so:\n%s", d.View())
	}
}

func TestMouse_DialogAnswersByClick(t *testing.T) {
	d := newMouseDashboard(t, 80, 24)
	press(d, "q")
	if got := click(t, d, "cancel (default)"); got != "n" {
		t.Errorf("%q", got)
	}
	if got := click(t, d, "stop and keep"); got != "y" {
		t.Errorf("%q", got)
	}
}
