package checks

import (
	"fmt"
	"testing"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

func sightings() map[string]func(width, height int, ascii bool) *inspector {
	open := func(g *gate, width, height int, ascii bool) *inspector {
		g.ASCII = ascii
		return inspects(g, width, height)
	}
	return map[string]func(width, height int, ascii bool) *inspector{
		"good": func(width, height int, ascii bool) *inspector {
			return open(newGate(reach.Workstation), width, height, ascii)
		},
		"begun": func(width, height int, ascii bool) *inspector {
			g := troubled()
			g.Run = nil
			g.ASCII = ascii
			i := &inspector{checkScreen: newCheckScreen(g.Options), gate: g}
			i.Update(tea.WindowSizeMsg{Width: width, Height: height})
			i.Init()
			i.Update(probeResultMsg{0, 1, g.result(reach.Workstation, g.Checks[0])})
			return i
		},
		"zone": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("z", "y")
		},
		"all": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("z", "y", "a", "down", "down")
		},
		"terms": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("z", "down")
		},
		"skip": func(width, height int, ascii bool) *inspector {
			i := open(troubled(), width, height, ascii).press("z", "y", "x")
			return i.types("the firewall is being changed").press("enter")
		},
		"skipped": func(width, height int, ascii bool) *inspector {
			i := open(troubled(), width, height, ascii).press("z", "y", "x")
			return i.types("the firewall is being changed").press("enter", "enter")
		},
		"request": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("z", "y", "f")
		},
		"details": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("z", "y", "enter")
		},
		"help": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("?")
		},
		"watch": func(width, height int, ascii bool) *inspector {
			i := open(troubled(), width, height, ascii)
			i.press("w")
			delete(i.gate.network.Wrong, "workstation NET-RH-004")
			i.gate.spoil(reach.Workstation, "NET-RH-003", tuitest.Dropped())
			i.pass(watchPause)
			return i
		},
		"filter": func(width, height int, ascii bool) *inspector {
			return open(troubled(), width, height, ascii).press("/").types("quay")
		},
	}
}

func TestTheChecksScreenLooksAsRecorded(t *testing.T) {
	for name, look := range sightings() {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			name := fmt.Sprintf("check-%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				view := look(size[0], size[1], false).View()
				tuitest.CheckScreen(t, view, size[0], size[1])
				tuitest.Golden(t, name, view)
			})
		}
		name := "check-" + name + "-80x24-ascii"
		t.Run(name, func(t *testing.T) {
			view := look(80, 24, true).View()
			for _, r := range view {
				if r > '~' {
					t.Errorf("%s holds %q", name, r)
				}
			}
			tuitest.Golden(t, name, view)
		})
	}
}

func TestTheSmallChecksScreenLooksAsRecorded(t *testing.T) {
	for _, size := range [][2]int{{59, 12}, {40, 6}, {20, 2}} {
		tuitest.Golden(t, fmt.Sprintf("check-small-%dx%d", size[0], size[1]), sightings()["zone"](size[0], size[1], false).View())
	}
}
