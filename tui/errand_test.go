package tui

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
)

// What somebody has to copy is whole on every screen that has room for panes, while the run waits and when it gave up.
func TestRecordsToAddAreShownWhole(t *testing.T) {
	records := []string{
		"c-demo-1.example.net. 3600 IN NS ns1.exoscale.ch.", "c-demo-1.example.net. 3600 IN NS ns1.exoscale.com.",
		"c-demo-1.example.net. 3600 IN NS ns1.exoscale.io.", "c-demo-1.example.net. 3600 IN NS ns1.exoscale.net.",
	}
	hint := "The zone example.net needs exactly these NS records:\n" + strings.Join(records, "\n")
	for name, state := range map[string]string{"waiting": provisioner.Progress, "given up": provisioner.Failed} {
		run := &tape{now: began}
		run.step(0, "dns-zone", provisioner.Started, "")
		run.add(time.Second, provisioner.Event{Type: provisioner.TypeStep, Step: "dns-zone", State: state, Text: "waiting for you", Hint: hint})
		if state == provisioner.Failed {
			run.add(0, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "failed"})
		}
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 60}} {
			view := screen(run, size[0], size[1], nil).View()
			lines := strings.Split(view, "\n")
			if len(lines) != size[1] {
				t.Errorf("%s at %v: %d lines", name, size, len(lines))
			}
			for _, record := range records {
				if !strings.Contains(view, record) {
					t.Errorf("%s at %v lacks %s:\n%s", name, size, record, view)
				}
			}
		}
	}
}

func TestAnErrandThatIsDoneLeavesTheScreen(t *testing.T) {
	run := &tape{now: began}
	run.step(0, "dns-zone", provisioner.Started, "")
	before := screen(run, 80, 24, nil).View()
	run.add(0, provisioner.Event{Type: provisioner.TypeStep, Step: "dns-zone", State: provisioner.Progress, Hint: "do this"})
	during := screen(run, 80, 24, nil).View()
	run.step(0, "dns-zone", provisioner.Done, "")
	after := screen(run, 80, 24, nil).View()
	if strings.Contains(before, "do this") || !strings.Contains(during, "do this") || strings.Contains(after, "do this") {
		t.Errorf("before\n%s\nduring\n%s\nafter\n%s", before, during, after)
	}
}
