package session

import (
	"slices"
	"strings"
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

// BenchmarkKeyToFrame measures on each of the wizard's screens how long it takes from a key to what it changes. What the
// machine itself needs for a key of a program that does nothing else is left out of the verdict.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, screen := range screens() {
		b.Run(screen, func(b *testing.B) {
			s, idle := asking(b, usual()), newEcho(b)
			s.visit(screen)
			s.Idle(2 * time.Second) // what was asked was answered
			var took, bare []time.Duration
			for b.Loop() {
				took = append(took, s.another("f1"), s.another("f1"))
				bare = append(bare, idle.echo(b), idle.echo(b))
			}
			slices.Sort(took)
			slices.Sort(bare)
			slow, machine := took[len(took)*99/100], bare[len(bare)*99/100]
			b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
			b.ReportMetric(milliseconds(slow), "p99-ms")
			b.ReportMetric(milliseconds(machine), "machine-p99-ms")
			if slow-machine > keyLimit {
				b.Errorf("a key is seen after %s, of which the machine took %s; the limit is %s", slow, machine, keyLimit)
			}
			s.leave()
		})
	}
}

// echo is a program that draws each key and does nothing else.
type echo struct {
	*Session
	drawn int
}

func newEcho(b *testing.B) *echo {
	s := Start(b, Options{Program: "/bin/sh", Args: []string{"-c", "stty raw -echo; echo ready; exec cat"}, Env: []string{"PATH=/usr/bin:/bin"}, Width: 80, Height: 24})
	s.Expect("ready")
	return &echo{s, 0}
}

// echo returns how long it takes from a key to the screen.
func (e *echo) echo(b *testing.B) time.Duration {
	b.Helper()
	e.drawn++
	began, letter := time.Now(), string(rune('a'+e.drawn%26))
	e.Press("ctrl+m", letter)
	e.WaitFor("the key", func(screen Screen) bool { return strings.HasPrefix(screen.Lines[1], letter) })
	return time.Since(began)
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
