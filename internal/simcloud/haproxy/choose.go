package haproxy

import (
	"fmt"
	"regexp"
	"strings"
)

// choice is a use_backend with a condition on the number of servers that are up: in a back end, or the difference between two. It is
// the only condition that is supported.
type choice struct {
	backend     string
	up, without string // names of back ends; without may be ""
	orEqual     bool   // 0 is enough
}

var (
	setVar    = regexp.MustCompile(`^content set-var\(([a-z.]+)\) nbsrv\(([a-z-]+)\)$`)
	condition = regexp.MustCompile(`^(\S+) if \{ nbsrv\(([a-z-]+)\)(?:,sub\(([a-z.]+)\))? (gt|ge) 0 \}$`)
)

// counters are variables with the number of servers that are up in a back end, by its name.
type counters map[string]string

// with returns the counters and that of a "tcp-request".
func (c counters) with(args []string) (counters, error) {
	parts := setVar.FindStringSubmatch(strings.Join(args, " "))
	if parts == nil {
		return nil, fmt.Errorf("'tcp-request' : unknown arguments %v", args)
	}
	more := counters{parts[1]: parts[2]}
	for name, backend := range c {
		more[name] = backend
	}
	return more, nil
}

func parseUseBackend(args []string, counted counters) (choice, error) {
	parts := condition.FindStringSubmatch(strings.Join(args, " "))
	if parts == nil {
		return choice{}, fmt.Errorf("'use_backend' : unknown arguments %v", args)
	}
	made := choice{backend: parts[1], up: parts[2], orEqual: parts[4] == "ge"}
	if parts[3] != "" {
		without, known := counted[parts[3]]
		if !known {
			return choice{}, fmt.Errorf("'use_backend' : no rule above sets '%s'", parts[3])
		}
		made.without = without
	}
	return made, nil
}

type choices []choice

// list returns the names of all back ends that the choices depend on.
func (c choices) list() []string {
	var names []string
	for _, one := range c {
		names = append(names, one.backend, one.up)
		if one.without != "" {
			names = append(names, one.without)
		}
	}
	return names
}

// findTarget returns where a connection to a proxy goes now; nil: nowhere.
func (b *balancer) findTarget(p *proxy) *backend {
	if own := b.backends[p]; own != nil && len(own.members) > 0 {
		return own
	}
	for _, c := range p.choices {
		count := b.countUp(c.up) - b.countUp(c.without)
		if count > 0 || count == 0 && c.orEqual {
			return b.backends[b.config.findBackend(c.backend)]
		}
	}
	return b.backends[b.config.findBackend(p.defaultBackend)]
}

func (b *balancer) countUp(name string) int {
	backend := b.backends[b.config.findBackend(name)]
	if backend == nil {
		return 0
	}
	backend.mu.Lock()
	defer backend.mu.Unlock()
	count := 0
	for _, m := range backend.members {
		if m.isUp() {
			count++
		}
	}
	return count
}
