package wizard

import (
	"strings"
	"testing"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// withMouse gives the terminal a mouse.
func withMouse(o *driver) *driver {
	o.theme.Mouse, o.start.theme.Mouse = true, true
	if o.session != nil {
		o.session.Theme.Mouse = true
	}
	o.keys.Mouse.SetEnabled(true)
	return o
}

// click clicks on the first text like that.
func (o *driver) click(t *testing.T, text string) *driver {
	t.Helper()
	plain, targets := cells.FindTargets(o.Model.View())
	for y, line := range strings.Split(plain, "\n") {
		before, _, found := strings.Cut(line, text)
		if !found {
			continue
		}
		at := targets.At(cells.Count(before)+1, y)
		if name, is := strings.CutPrefix(at, cells.KeyTarget); is {
			return o.Press(strings.Replace(name, " ", "space", 1))
		}
		if at == "" {
			t.Fatalf("%q is no target:\n%s", text, plain)
		}
		o.Send(app.ClickMsg{Target: at})
		return o
	}
	t.Fatalf("%q is not shown:\n%s", text, plain)
	return o
}

// shows fails unless the screen, without the marks of its targets, has the texts.
func (o *driver) shows(t *testing.T, texts ...string) *driver {
	t.Helper()
	plain, _ := cells.FindTargets(o.Model.View())
	for _, text := range texts {
		if !strings.Contains(plain, text) {
			t.Errorf("%q is not shown:\n%s", text, plain)
		}
	}
	return o
}

func TestMouse_StartScreen(t *testing.T) {
	o := withMouse(openStartScreen(t, nil))
	o.click(t, "Continue").shows(t, "3 of 6 screens.")
	if o.session != nil {
		t.Fatal("the first click opens it")
	}
	o.click(t, "Continue").checkPage(t, wizard.Access)
	if o.outcome.Option != "draft" {
		t.Errorf("chosen is %q", o.outcome.Option)
	}
}

func TestMouse_FormRowsChoicesAndStrip(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		d := newInterview().answer(t, completeAnswers())
		o := withMouse(openWizard(t, d, size[0], size[1], nil)).openPage(t, wizard.Cluster)
		o.click(t, "Distribution  o").shows(t, "› Distribution")
		o.click(t, "Distribution  o").shows(t, "type to search")
		o.click(t, "okd  ")
		if got := o.session.Spec().OpenShift.Distribution; string(got) != "okd" {
			t.Errorf("%v: a click on the choice leaves %q", size, got)
		}
		o.click(t, "Distribution  o").click(t, "Distribution  o").click(t, "ocp  ")
		o.click(t, "Base domain  ").shows(t, "› Base domain")
		o.click(t, "3 Nodes").checkPage(t, wizard.Nodes)
		o.click(t, "1 Access").checkPage(t, wizard.Access)
		o.click(t, "F1").shows(t, "close help")
		o.Send(app.ClickMsg{})
		o.Send(app.WheelMsg{By: 1})
	}
}

func TestMouse_Nodes(t *testing.T) {
	o := withMouse(openNodes(t, newInterview().answer(t, completeAnswers()), 120, 40))
	o.openPage(t, wizard.Nodes)
	plain, targets := cells.FindTargets(o.Model.View())
	if !strings.Contains(plain, "[ Next ]") || len(targets) == 0 {
		t.Fatalf("no targets:\n%s", plain)
	}
	o.click(t, "[ Next ]").checkPage(t, wizard.Network)
}

func TestMouse_OffWhereLettersAreText(t *testing.T) {
	o := withMouse(openWizard(t, newInterview().answer(t, completeAnswers()), 80, 24, nil)).openPage(t, wizard.Cluster)
	o.click(t, "Cluster ID").Type("m")
	if _, text, _ := o.currentEdit(); !strings.HasSuffix(text, "m") {
		t.Errorf("m in a text is not text: %q", text)
	}
	_, cmd := o.Model.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("m"), Alt: true})
	if cmd == nil {
		t.Error("alt+m does not switch the mouse")
	}
	o.Send(app.MouseMsg{})
	o.shows(t, "mouse off")
}

func (o *driver) currentEdit() (key, text string, ok bool) {
	return o.currentPage().(interface {
		CurrentEdit() (key, text string, ok bool)
	}).CurrentEdit()
}
