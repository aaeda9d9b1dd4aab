package dashboard

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/app"
	"exoshift/tui/tuitest"
)

// BenchmarkFrame1000 updates one of a thousand nodes and redraws everything. The budget is 5 ms for 99 of 100 frames, and less
// than 1 % of a processor while only the clock changes, which is drawn once a second.
func BenchmarkFrame1000(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for _, change := range []bool{false, true} {
			name := fmt.Sprintf("%dx%d", size[0], size[1])
			if change {
				name += "-change"
			}
			b.Run(name, func(b *testing.B) { frames(b, newTestDashboard(thousand(), size[0], size[1], nil), change) })
		}
	}
}

func frames(b *testing.B, d *dashboard, change bool) {
	var took, computed []time.Duration
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		e := provisioner.Event{
			Seq: len(took), Time: d.run.board.Now, Type: provisioner.TypeNode, Name: fmt.Sprintf("worker-%d", len(took)%1000), State: "NotReady",
		}
		before, computing := time.Now(), tuitest.ThreadTime(b)
		if change {
			d.Update(eventsMsg{e})
		} else {
			d.Update(app.TickMsg{})
		}
		_ = d.View()
		took, computed = append(took, time.Since(before)), append(computed, tuitest.ThreadTime(b)-computing)
	}
	slices.Sort(took)
	slices.Sort(computed)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
	b.ReportMetric(computed[len(computed)*99/100].Seconds()*1000, "p99-cpu-ms") // excludes other processes of the machine
	if !change {
		b.ReportMetric(took[len(took)/2].Seconds()*100, "idle-%")
	}
}
