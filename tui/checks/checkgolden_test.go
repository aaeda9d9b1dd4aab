package checks

import (
	"fmt"
	"testing"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"
)

func listScreens() map[string]func(width, height int, ascii bool) *screenDriver {
	open := func(g *fakeNetwork, width, height int, ascii bool) *screenDriver {
		g.ASCII = ascii
		return openScreen(g, width, height)
	}
	return map[string]func(width, height int, ascii bool) *screenDriver{
		"good": func(width, height int, ascii bool) *screenDriver {
			return open(newNetwork(reach.Workstation), width, height, ascii)
		},
		"begun": func(width, height int, ascii bool) *screenDriver {
			g := newFaultyNetwork()
			g.Run = nil
			g.ASCII = ascii
			i := newScreenDriver(g).Resize(width, height)
			i.Init()
			i.Update(probeResultMsg{0, 1, g.result(reach.Workstation, g.Checks[0])})
			return i
		},
		"zone": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("z", "y")
		},
		"all": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("z", "y", "a", "down", "down")
		},
		"terms": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("z", "down")
		},
		"skip": func(width, height int, ascii bool) *screenDriver {
			i := open(newFaultyNetwork(), width, height, ascii).Press("z", "y", "x")
			return i.Type("the firewall is being changed").Press("enter")
		},
		"skipped": func(width, height int, ascii bool) *screenDriver {
			i := open(newFaultyNetwork(), width, height, ascii).Press("z", "y", "x")
			return i.Type("the firewall is being changed").Press("enter", "enter")
		},
		"request": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("z", "y", "f")
		},
		"details": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("z", "y", "enter")
		},
		"help": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("?")
		},
		"watch": func(width, height int, ascii bool) *screenDriver {
			i := open(newFaultyNetwork(), width, height, ascii)
			i.Press("w")
			delete(i.network.network.Wrong, "workstation NET-RH-004")
			i.network.setResult(reach.Workstation, "NET-RH-003", tuitest.Dropped())
			i.Advance(watchPause)
			return i
		},
		"filter": func(width, height int, ascii bool) *screenDriver {
			return open(newFaultyNetwork(), width, height, ascii).Press("/").Type("quay")
		},
	}
}

func TestScreen_Golden(t *testing.T) {
	for name, look := range listScreens() {
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

func TestScreen_SmallGolden(t *testing.T) {
	for _, size := range [][2]int{{59, 12}, {40, 6}, {20, 2}} {
		tuitest.Golden(t, fmt.Sprintf("check-small-%dx%d", size[0], size[1]), listScreens()["zone"](size[0], size[1], false).View())
	}
}
