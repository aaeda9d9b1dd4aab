package dashboard

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"

	"github.com/creack/pty"
)

// BenchmarkEventToScreen measures the time from an event to its output in a terminal that shows a thousand nodes. With the poll
// interval of the cluster it is the maximum age of the screen; the budget is 200 ms.
func BenchmarkEventToScreen(b *testing.B) {
	const limit = 200 * time.Millisecond
	term, events := tuitest.NewTerminal(b), make(chan provisioner.Event)
	if err := pty.Setsize(term.TTY, &pty.Winsize{Rows: 60, Cols: 200}); err != nil {
		b.Fatal(err)
	}
	end := start(b.Context(), term, events, func() {})
	recorded := thousand().events
	for _, e := range recorded {
		events <- e
	}
	term.Await(b, "WAITING FOR")
	var took []time.Duration
	for b.Loop() {
		seen := recorded[len(recorded)-1]
		seen.Type, seen.Last = provisioner.TypeWait, fmt.Sprintf("mark%06d", len(took))
		began := time.Now()
		events <- seen
		term.Await(b, seen.Last)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
	b.ReportMetric(float64(took[len(took)-1].Milliseconds()), "max-ms")
	if took[len(took)-1] > limit {
		b.Errorf("an event was seen after %s; the limit is %s", took[len(took)-1], limit)
	}
	close(events)
	term.Press(b, "q")
	if err := <-end; err != nil {
		b.Error(err)
	}
}
