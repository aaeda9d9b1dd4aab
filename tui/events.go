package tui

import (
	"time"

	"exoshift/provisioner"

	tea "github.com/charmbracelet/bubbletea"
)

type eventsMsg []provisioner.Event

type eventsClosedMsg struct{}

// forwardEvents sends events in batches, so that a busy run redraws no more often than a calm one. It drains events to their end
// even after the screen has quit: send must not block then.
func forwardEvents(events <-chan provisioner.Event, send func(tea.Msg)) {
	for first := range events {
		send(collectEvents(first, events))
	}
	send(eventsClosedMsg{})
}

// collectEvents adds to first what follows within half a frame: the other half is left for the drawing.
func collectEvents(first provisioner.Event, events <-chan provisioner.Event) eventsMsg {
	bundle := eventsMsg{first}
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
