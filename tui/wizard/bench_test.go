package wizard

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// BenchmarkKeyToFrame handles a key on every screen of the wizard and draws it. The budget is 16 ms for 99 of 100 keys.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, screen := range session.Pages() {
		for _, size := range [][2]int{{80, 24}, {200, 60}} {
			b.Run(fmt.Sprintf("%s-%dx%d", screen, size[0], size[1]), func(b *testing.B) {
				o := openWizard(b, newInterview().answer(b, completeAnswers()), size[0], size[1], nil).openPage(b, screen)
				keys := []tea.KeyMsg{tuitest.NewKey("1"), tuitest.NewKey("backspace"), tuitest.NewKey("down"), tuitest.NewKey("up")}
				var took []time.Duration
				for b.Loop() {
					before := time.Now()
					o.Update(keys[len(took)%len(keys)])
					_ = o.View()
					took = append(took, time.Since(before))
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
			})
		}
	}
}
