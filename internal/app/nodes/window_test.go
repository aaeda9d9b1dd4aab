package nodes

import (
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/state"
)

func TestWindow_Start(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC) // a Tuesday, 10:00 in Zürich
	for name, c := range map[string]struct {
		window Window
		answer string
		want   string // "": at once
		code   int
	}{
		"at once":                         {Window{}, "", "", exit.OK},
		"a time":                          {Window{At: now.Add(time.Hour)}, "", "2026-11-24T10:00:00Z", exit.OK},
		"a time that is over":             {Window{At: now}, "", "", exit.Usage},
		"the window has just begun":       {Window{Maintenance: true}, "tuesday-1000", "2026-12-01T09:00:00Z", exit.OK},
		"the window is today":             {Window{Maintenance: true}, "tuesday-1030", "2026-11-24T09:30:00Z", exit.OK},
		"the window was yesterday":        {Window{Maintenance: true}, "Monday-1400", "2026-11-30T13:00:00Z", exit.OK},
		"no window":                       {Window{Maintenance: true}, "", "", exit.Usage},
		"a window outside of the answers": {Window{Maintenance: true}, "custom", "", exit.Usage},
		"no such hour":                    {Window{Maintenance: true}, "monday-2460", "", exit.Usage},
	} {
		var spec state.Spec
		if c.answer != "" {
			spec.Syn.Facts = map[string]string{"maintenance_window": c.answer}
		}
		start, err := c.window.start(spec, now)
		if exit.Code(err) != c.code {
			t.Errorf("%s: exit code %d, %v", name, exit.Code(err), err)
		}
		if got := start.UTC().Format(time.RFC3339); !start.IsZero() && got != c.want || start.IsZero() != (c.want == "") {
			t.Errorf("%s: %s, not %q", name, got, c.want)
		}
	}
}

// In summer, the same window begins an hour earlier by UTC.
func TestNextMaintenance_SummerTime(t *testing.T) {
	start, err := nextMaintenance("sunday-0400", time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC))
	if want := time.Date(2026, 3, 29, 2, 0, 0, 0, time.UTC); err != nil || !start.Equal(want) {
		t.Errorf("%s, not %s: %v", start, want, err)
	}
}
