package checks

import (
	"exoshift/tui/tuitest"
)

// screenDriver drives the screen of checks.
type screenDriver struct {
	tuitest.Driver[*screenDriver]
	*checkScreen
	network *fakeNetwork
}

// openScreen opens the screen. The first run has ended when it returns.
func openScreen(g *fakeNetwork, width, height int) *screenDriver {
	i := newScreenDriver(g)
	i.Start(width, height)
	return i
}

func newScreenDriver(g *fakeNetwork) *screenDriver {
	i := &screenDriver{checkScreen: newCheckScreen(g.Options), network: g}
	i.Driver = tuitest.Driver[*screenDriver]{Self: i, Model: i.checkScreen, Now: &g.now}
	i.runner.later, i.runner.send = i.Later, i.Send
	return i
}
