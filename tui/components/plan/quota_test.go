package plan

import (
	"strings"
	"testing"

	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
)

func someQuotas() []Quota {
	return []Quota{
		{Resource: "bucket", Used: 3, Need: 3, Limit: -1},
		{Resource: "instance", Used: 11, Need: 16, Limit: 20},
		{Resource: "elastic-ip", Need: 2, Limit: 2},
	}
}

func TestQuotas_ShortageFirst(t *testing.T) {
	p := Quotas{Theme: tuitest.NewTheme(false), Rows: someQuotas()}
	if lines := strings.Split(p.View(50, 4), "\n"); !strings.Contains(lines[1], "27    20  ✗") || !strings.Contains(lines[2], "none  ✓") {
		t.Errorf("the order is\n%s", strings.Join(lines, "\n"))
	}
	if line := p.RenderLine(); line != "✗ quota instance: 27 of 20" {
		t.Errorf("in one line: %q", line)
	}
	if view := p.View(50, 3); !strings.Contains(view, "and 2 more: ok") {
		t.Errorf("what does not find room is not counted:\n%s", view)
	}
}

func TestQuota_ReachedIsNotExceeded(t *testing.T) {
	for need, short := range map[int]int{1: 0, 2: 0, 3: 1, 5: 3} {
		if got := (Quota{Used: 2, Need: need, Limit: 4}).missing(); got != short {
			t.Errorf("needing %d is %d short, want %d", need, got, short)
		}
	}
}

func TestQuotas_UnknownIsNotOK(t *testing.T) {
	p := Quotas{Theme: tuitest.NewTheme(false), Rows: []Quota{{Resource: "instance", Need: 9999, Unknown: true}}, State: theme.Warn, Note: "lookup failed"}
	if view := p.View(60, 3); !strings.Contains(view, "?  9999     ?     ?  ○") || !strings.Contains(view, "! lookup failed") {
		t.Errorf("it reads\n%s", view)
	}
}
