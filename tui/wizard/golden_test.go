package wizard

import (
	"fmt"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard"
)

func listScreens() map[string]func(t *testing.T, width, height int, ascii bool) *driver {
	begin := func(t *testing.T, d *fakeInterview, width, height int, ascii bool) *driver {
		return openWizard(t, d, width, height, func(w *Options) { w.ASCII = ascii })
	}
	return map[string]func(t *testing.T, width, height int, ascii bool) *driver{
		"access": func(t *testing.T, width, height int, ascii bool) *driver {
			d := newInterview().addLookup(wizard.Access, "Zones", nil, newZones(), nil)
			o := begin(t, d, width, height, ascii).Press("down", "down", "down")
			o.Advance(15 * time.Second)
			return o
		},
		"zones": func(t *testing.T, width, height int, ascii bool) *driver {
			d := newInterview().addLookup(wizard.Access, "Zones", nil, newZones(), nil)
			return begin(t, d, width, height, ascii).Press("down", "down", "enter")
		},
		"cluster": func(t *testing.T, width, height int, ascii bool) *driver {
			o := begin(t, newInterview().answer(t, completeAnswers()), width, height, ascii).openPage(t, wizard.Cluster)
			return o.Press("ctrl+u").Type("c-demo-").Press("enter")
		},
		"syn": func(t *testing.T, width, height int, ascii bool) *driver {
			o := begin(t, newInterview().answer(t, completeAnswers()), width, height, ascii).openPage(t, wizard.Syn)
			return o.Type("https://api.syn.example.net").Press("enter")
		},
		"secrets": func(t *testing.T, width, height int, ascii bool) *driver {
			o := begin(t, newInterview().answer(t, completeAnswers()), width, height, ascii).openPage(t, wizard.Secrecy)
			return o.Paste(newPullSecret()).Press("down", "enter")
		},
		"typing": func(t *testing.T, width, height int, ascii bool) *driver {
			return begin(t, newInterview(), width, height, ascii).Press("down").Type(secretText)
		},
		"leave": func(t *testing.T, width, height int, ascii bool) *driver {
			return begin(t, newInterview(), width, height, ascii).Press("ctrl+c", "down")
		},
		"help": func(t *testing.T, width, height int, ascii bool) *driver {
			return begin(t, newInterview(), width, height, ascii).Press("f1")
		},
		"begin": func(t *testing.T, width, height int, ascii bool) *driver {
			return openWizard(t, newInterview(), width, height, func(w *Options) {
				w.ASCII = ascii
				w.StartOptions = []StartOption{
					{ID: "new", Title: "Install a new cluster", Help: "Asks what the cluster should be, checks everything, and shows what it will create and cost. Nothing is created before you say so."},
					{ID: "draft", Title: "Continue the draft c-demo-1 · ch-gva-2", Help: "3 of 6 screens are answered; saved 5 minutes ago."},
					{ID: "rehearse", Title: "Rehearse first", Help: "The same on a simulated zone: nothing real is touched and nothing is paid."},
				}
			})
		},
	}
}

func TestWizard_Golden(t *testing.T) {
	for name, look := range listScreens() {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			name := fmt.Sprintf("wizard-%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) { tuitest.Golden(t, name, look(t, size[0], size[1], false).View()) })
		}
		name := "wizard-" + name + "-80x24-ascii"
		t.Run(name, func(t *testing.T) { tuitest.Golden(t, name, look(t, 80, 24, true).View()) })
	}
}

func TestWizard_SmallGolden(t *testing.T) {
	for _, size := range [][2]int{{59, 12}, {40, 6}, {20, 5}, {20, 1}} {
		tuitest.Golden(t, fmt.Sprintf("wizard-small-%dx%d", size[0], size[1]), listScreens()["cluster"](t, size[0], size[1], false).View())
	}
}
