package dashboard

import (
	"fmt"
	"testing"

	"exoshift/tui/components"
)

// parts are the rects of a layout by name; Body is left out, for it holds others.
func parts(l layout) map[string]components.Rect {
	parts := map[string]components.Rect{
		"title": l.Title, "strip": l.Strip, "present": l.Status, "keys": l.Keys, "main": l.Main, "log": l.Log,
		"overview": l.Overview, "bootstrap": l.Bootstrap, "etcd": l.Etcd, "nodes": l.Nodes, "cloud": l.Cloud,
		"operators": l.Operators, "journal": l.Journal, "between": l.Between, "tabs": l.Tabs,
	}
	for i, rule := range l.Rules {
		parts[fmt.Sprint("rule ", i)] = rule
	}
	for name, r := range parts {
		if r.IsEmpty() {
			delete(parts, name)
		}
	}
	return parts
}

func TestLayout_ModeBySize(t *testing.T) {
	for _, c := range []struct {
		width, height int
		single        bool
		mode          mode
		shown, hidden []string
	}{
		{0, 0, false, plain, nil, []string{"title", "main"}},
		{-3, 7, false, plain, nil, []string{"title", "main"}},
		{59, 60, false, plain, nil, []string{"title", "main"}},
		{60, 15, false, plain, nil, []string{"title", "main"}},
		{60, 18, false, compact, []string{"title", "strip", "present", "keys", "main"}, []string{"log", "nodes"}},
		{80, 24, false, compact, []string{"present", "main", "log"}, []string{"nodes", "etcd"}},
		{99, 70, false, compact, []string{"main", "log"}, []string{"nodes"}},
		{100, 24, false, medium, []string{"main", "overview"}, []string{"log", "nodes"}},
		{120, 40, false, medium, []string{"main", "log", "bootstrap", "etcd", "nodes"}, []string{"overview", "cloud"}},
		{200, 39, false, medium, []string{"main"}, []string{"cloud"}},
		{140, 40, false, wide, []string{"main", "log", "bootstrap", "etcd", "nodes", "operators", "cloud"}, []string{"overview", "journal"}},
		{200, 60, false, wide, []string{"main", "log", "bootstrap", "etcd", "nodes", "operators", "cloud"}, nil},
		{200, 60, true, compact, []string{"main", "log"}, []string{"nodes"}},
	} {
		l := newLayout(c.width, c.height, layoutOptions{Single: c.single})
		if l.Mode != c.mode {
			t.Errorf("%dx%d has mode %d, want %d", c.width, c.height, l.Mode, c.mode)
		}
		there := parts(l)
		for _, name := range c.shown {
			if _, shown := there[name]; !shown {
				t.Errorf("%dx%d has no %s", c.width, c.height, name)
			}
		}
		for _, name := range c.hidden {
			if _, shown := there[name]; shown {
				t.Errorf("%dx%d has %s", c.width, c.height, name)
			}
		}
	}
}

// A diagnosis during the run must not change the mode of the layout.
func TestLayout_NoticesKeepMode(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {140, 40}, {200, 60}} {
		without, with := newLayout(size[0], size[1], layoutOptions{}), newLayout(size[0], size[1], layoutOptions{Between: 6})
		if with.Mode != without.Mode || with.Between.H != 6 || with.Body.H != without.Body.H-6 {
			t.Errorf("%v: mode %d with %d lines, else %d with %d", size, with.Mode, with.Body.H, without.Mode, without.Body.H)
		}
	}
}

func TestLayout_PartsTileScreen(t *testing.T) {
	for width := components.MinWidth; width <= 240; width += 7 {
		for height := components.MinHeight; height <= 90; height += 3 {
			for _, wanted := range []layoutOptions{{}, {Single: true}, {Journal: true}, {Journal: true, Between: min(height-components.MinHeight, 22)}} {
				tiles(t, width, height, newLayout(width, height, wanted))
			}
		}
	}
}

// tiles fails unless the parts cover every cell exactly once.
func tiles(t *testing.T, width, height int, l layout) {
	t.Helper()
	cells := make([]string, width*height)
	for name, r := range parts(l) {
		if r.X < 0 || r.Y < 0 || r.X+r.W > width || r.Y+r.H > height {
			t.Fatalf("%dx%d: %s is at %v", width, height, name, r)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				if other := cells[y*width+x]; other != "" {
					t.Fatalf("%dx%d: %s and %s overlap", width, height, name, other)
				}
				cells[y*width+x] = name
			}
		}
	}
	for i, name := range cells {
		if name == "" {
			t.Fatalf("%dx%d: nothing covers column %d of line %d", width, height, i%width, i/width)
		}
	}
}
