package dashboard

import (
	"syscall"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"

	"github.com/creack/pty"
)

// BenchmarkIdle measures the CPU share of the whole dashboard in a terminal while only the clock changes: a thousand nodes on a
// large screen, for three seconds. The budget is less than 1 %.
func BenchmarkIdle(b *testing.B) {
	term, events := tuitest.NewTerminal(b), make(chan provisioner.Event)
	if err := pty.Setsize(term.TTY, &pty.Winsize{Rows: 60, Cols: 200}); err != nil {
		b.Fatal(err)
	}
	end := start(b.Context(), term, events, func() {})
	for _, e := range thousand().events {
		events <- e
	}
	term.Await(b, "WAITING FOR")
	var used, passed time.Duration
	for b.Loop() {
		before, began := processor(b), time.Now()
		<-time.After(3 * time.Second)
		used, passed = used+processor(b)-before, passed+time.Since(began)
	}
	b.ReportMetric(100*used.Seconds()/passed.Seconds(), "cpu-%")
	close(events)
	term.Press(b, "q")
	if err := <-end; err != nil {
		b.Error(err)
	}
}

// processor returns the CPU time of this process.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
