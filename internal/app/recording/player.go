package recording

import (
	"context"
	"fmt"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/provisioner"
)

const (
	playInterval     = 100 * time.Millisecond // interval of clock updates
	maxSilence       = 2 * time.Minute        // runs emit events every minute: longer gaps are pauses of the machine,
	shortenedSilence = 5 * time.Second        // which are shortened to this

	// MaxSpeed is the maximum speed of a Player.
	MaxSpeed = 3600
)

// Player replays a recording. At speed 0 it emits all events at once.
type Player struct {
	clock network.Clock // of the viewer

	mu     sync.Mutex
	speed  float64
	paused bool
	now    time.Time // of the recording
}

// NewPlayer returns a player that plays speed times as fast as it was.
func NewPlayer(speed float64) *Player { return &Player{speed: speed} }

// Play emits the events at their times.
func (p *Player) Play(ctx context.Context, events Run, emit func(provisioner.Event)) error {
	for i, e := range events {
		if i == 0 {
			p.setTime(e.Time)
		}
		if err := p.waitUntil(ctx, e.Time); err != nil {
			return err
		}
		emit(e)
	}
	return nil
}

func (p *Player) waitUntil(ctx context.Context, moment time.Time) error {
	if now := p.Now(); moment.Sub(now) > maxSilence {
		p.setTime(moment.Add(-shortenedSilence))
	}
	for {
		step := p.nextStep(moment)
		if step == 0 {
			return context.Cause(ctx)
		}
		if err := p.clock.Sleep(ctx, step); err != nil {
			return err
		}
		p.advance(step, moment)
	}
}

func (p *Player) nextStep(moment time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := moment.Sub(p.now)
	switch {
	case p.speed == 0:
		p.now = moment
		return 0
	case left <= 0:
		return 0
	case p.paused:
		return playInterval
	}
	return max(time.Duration(min(float64(playInterval), float64(left)/p.speed)), time.Microsecond)
}

func (p *Player) advance(waited time.Duration, moment time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused {
		return
	}
	if p.now = p.now.Add(time.Duration(float64(waited) * p.speed)); p.now.After(moment) || moment.Sub(p.now) < time.Microsecond {
		p.now = moment
	}
}

func (p *Player) setTime(moment time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = moment
}

// Now returns the time of the recording.
func (p *Player) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// Pause toggles the pause.
func (p *Player) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paused = !p.paused
}

// Faster doubles the speed.
func (p *Player) Faster() { p.scaleSpeed(2) }

// Slower halves the speed.
func (p *Player) Slower() { p.scaleSpeed(0.5) }

func (p *Player) scaleSpeed(factor float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.speed > 0 {
		p.speed = min(max(p.speed*factor, 0.25), MaxSpeed)
	}
}

// Speed returns the speed for display.
func (p *Player) Speed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.paused:
		return "paused"
	case p.speed == 0:
		return ""
	}
	if p.speed >= 100 {
		return fmt.Sprintf("×%.0f", p.speed) // not 2.4e+03
	}
	return fmt.Sprintf("×%.3g", p.speed)
}
