package tui

import (
	"time"

	"exoshift/provisioner"

	tea "github.com/charmbracelet/bubbletea"
)

// heard is what happened since the last message.
type heard []provisioner.Event

// over says that no further event will come.
type over struct{}

// pump hands events on in bundles, so that a busy run redraws no more often than a calm one. It hears the events to
// their end even when nobody looks any more: send must not block then.
func pump(events <-chan provisioner.Event, send func(tea.Msg)) {
	for first := range events {
		send(gather(first, events))
	}
	send(over{})
}

// gather adds to first what follows within half a frame: the other half is left for the drawing.
func gather(first provisioner.Event, events <-chan provisioner.Event) heard {
	bundle := heard{first}
	frame := time.NewTimer(time.Second / framesPerSecond / 2)
	defer frame.Stop()
	for {
		select {
		case e, open := <-events:
			if !open {
				return bundle
			}
			bundle = append(bundle, e)
		case <-frame.C:
			return bundle
		}
	}
}
