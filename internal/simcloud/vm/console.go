package vm

import (
	"fmt"
	"slices"
	"sync"

	"exoshift/internal/network"
)

const scrollback = 300

// consoles outlive their machines, for debugging.
type consoles struct {
	clock network.Clock
	mu    *sync.Mutex
	all   map[string]*console
}

func newConsoles(clock network.Clock) consoles {
	return consoles{clock: clock, mu: &sync.Mutex{}, all: map[string]*console{}}
}

func (c consoles) ensure(name string) *console {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all[name] == nil {
		c.all[name] = &console{clock: c.clock}
	}
	return c.all[name]
}

func (c consoles) copy() map[string][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := map[string][]string{}
	for name, console := range c.all {
		lines[name] = console.copy()
	}
	return lines
}

type console struct {
	clock network.Clock
	mu    sync.Mutex
	lines []string
}

func (c *console) write(format string, args ...any) {
	line := c.clock.Now().UTC().Format("15:04:05 ") + fmt.Sprintf(format, args...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) == scrollback {
		c.lines = slices.Delete(c.lines, 0, scrollback/10)
	}
	c.lines = append(c.lines, line)
}

func (c *console) copy() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lines)
}
