package session

import (
	"slices"
	"testing"
	"time"
)

// What the wizard promises.
const (
	firstFrameLimit = 100 * time.Millisecond
	keyLimit        = 16 * time.Millisecond
)

// BenchmarkFirstFrame measures how long it takes from the start of the process until its first screen is complete.
func BenchmarkFirstFrame(b *testing.B) {
	p := newPlace(b)
	p.start(b, usual(), "version").Exit() // what has to be built or read once was built and read
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		s := p.start(b, usual(), "install")
		s.Expect("What would you like to do?", "q leave")
		took = append(took, time.Since(began))
		s.Press("q")
		s.Exit()
	}
	slices.Sort(took)
	b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
	b.ReportMetric(milliseconds(took[len(took)-1]), "max-ms")
	if half := took[len(took)/2]; half > firstFrameLimit {
		b.Errorf("the first screen took %s, the limit is %s", half, firstFrameLimit)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// BenchmarkKeyToFrame measures on each of the wizard's screens how long it takes from a key to what it changes.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, screen := range screens() {
		b.Run(screen, func(b *testing.B) {
			s := asking(b, usual())
			s.visit(screen)
			var took []time.Duration
			for b.Loop() {
				took = append(took, s.another("f1"), s.another("f1"))
			}
			slices.Sort(took)
			b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
			b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
			if slow := took[len(took)*99/100]; slow > keyLimit {
				b.Errorf("a key is seen after %s, the limit is %s", slow, keyLimit)
			}
			s.leave()
		})
	}
}

// BenchmarkStill counts what each of the wizard's screens draws while nothing changes.
func BenchmarkStill(b *testing.B) {
	for _, screen := range screens() {
		b.Run(screen, func(b *testing.B) {
			s := asking(b, usual())
			s.visit(screen)
			s.Idle(2 * time.Second) // what was asked was answered, and its mark was seen for a moment
			for b.Loop() {
				drawn := s.Idle(3 * time.Second)
				b.ReportMetric(float64(drawn), "bytes")
				if drawn > 0 {
					b.Errorf("%d bytes were drawn although nothing changed", drawn)
				}
			}
			s.leave()
		})
	}
}
