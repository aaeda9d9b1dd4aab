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
		s.Expect("What would you like to do?", "q quit")
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

// BenchmarkKeyToFrame measures on each of the wizard's screens how long it takes from a key to what it changes. The
// quietest hundred keys in a row count, as others may use the machine, too.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, screen := range screens() {
		b.Run(screen, func(b *testing.B) {
			s := asking(b, usual())
			s.visit(screen)
			s.Idle(2 * time.Second) // what was asked was answered
			var took []time.Duration
			for b.Loop() {
				took = append(took, s.another("f1"), s.another("f1"))
			}
			half, slow := quietest(took)
			b.ReportMetric(milliseconds(half), "p50-ms")
			b.ReportMetric(milliseconds(slow), "p99-ms")
			if slow > keyLimit {
				b.Errorf("a key is seen after %s, the limit is %s", slow, keyLimit)
			}
			s.leave()
		})
	}
}

// quietest returns the median and the 99th percentile of those hundred measurements in a row whose percentile is lowest.
func quietest(took []time.Duration) (half, slow time.Duration) {
	for row := range slices.Chunk(took, 100) {
		row = slices.Sorted(slices.Values(row))
		if at := row[(len(row)-1)*99/100]; slow == 0 || at < slow {
			half, slow = row[len(row)/2], at
		}
	}
	return half, slow
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
