package tui

import (
	"fmt"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard"
)

func looks() map[string]func(t *testing.T, width, height int, ascii bool) *operator {
	begin := func(t *testing.T, d *desk, width, height int, ascii bool) *operator {
		return sit(t, d, width, height, func(w *Wizard) { w.ASCII = ascii })
	}
	return map[string]func(t *testing.T, width, height int, ascii bool) *operator{
		"access": func(t *testing.T, width, height int, ascii bool) *operator {
			d := newDesk().inquires(wizard.Access, "Zones", nil, zones(), nil)
			o := begin(t, d, width, height, ascii).press("down", "down", "down")
			o.pass(15 * time.Second)
			return o
		},
		"zones": func(t *testing.T, width, height int, ascii bool) *operator {
			d := newDesk().inquires(wizard.Access, "Zones", nil, zones(), nil)
			return begin(t, d, width, height, ascii).press("down", "down", "enter")
		},
		"cluster": func(t *testing.T, width, height int, ascii bool) *operator {
			o := begin(t, newDesk().answer(t, whole()), width, height, ascii).at(t, wizard.Cluster)
			return o.press("ctrl+u").types("c-demo-").press("enter")
		},
		"syn": func(t *testing.T, width, height int, ascii bool) *operator {
			o := begin(t, newDesk().answer(t, whole()), width, height, ascii).at(t, wizard.Syn)
			return o.types("https://api.syn.example.net").press("enter")
		},
		"secrets": func(t *testing.T, width, height int, ascii bool) *operator {
			o := begin(t, newDesk().answer(t, whole()), width, height, ascii).at(t, wizard.Secrecy)
			return o.pastes(realPullSecret()).press("down", "enter")
		},
		"typing": func(t *testing.T, width, height int, ascii bool) *operator {
			return begin(t, newDesk(), width, height, ascii).press("down").types(secretText)
		},
		"leave": func(t *testing.T, width, height int, ascii bool) *operator {
			return begin(t, newDesk(), width, height, ascii).press("ctrl+c", "down")
		},
		"help": func(t *testing.T, width, height int, ascii bool) *operator {
			return begin(t, newDesk(), width, height, ascii).press("f1")
		},
		"begin": func(t *testing.T, width, height int, ascii bool) *operator {
			return sit(t, newDesk(), width, height, func(w *Wizard) {
				w.ASCII = ascii
				w.Options = []Option{
					{"new", "Install a new cluster", "Asks what the cluster should be, checks everything, and shows what it will create and cost. Nothing is created before you say so."},
					{"draft", "Go on with the draft c-demo-1 · ch-gva-2", "3 of 6 screens are answered; saved 5 minutes ago."},
					{"rehearse", "Rehearse first", "The same on a simulated zone: nothing real is touched and nothing is paid."},
				}
			})
		},
	}
}

func TestTheWizardLooksAsRecorded(t *testing.T) {
	for name, look := range looks() {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			name := fmt.Sprintf("wizard-%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) { tuitest.Golden(t, name, look(t, size[0], size[1], false).View()) })
		}
		name := "wizard-" + name + "-80x24-ascii"
		t.Run(name, func(t *testing.T) { tuitest.Golden(t, name, look(t, 80, 24, true).View()) })
	}
}

func TestTheSmallWizardLooksAsRecorded(t *testing.T) {
	for _, size := range [][2]int{{59, 12}, {40, 6}, {20, 5}, {20, 1}} {
		tuitest.Golden(t, fmt.Sprintf("wizard-small-%dx%d", size[0], size[1]), looks()["cluster"](t, size[0], size[1], false).View())
	}
}
