// Package haproxy is the load balancer software of the simulated machines: it parses a haproxy.cfg, refuses what it
// does not support as the real program refuses an error, checks the health of its servers and forwards connections.
//
// It differs from the real one in that the client, server and tunnel timeouts do not close idle connections, a
// connection that a server refuses is never retried with the same server, and names are resolved by the machine's
// resolver, whatever a resolvers section contains beside "hold valid".
package haproxy

import (
	"fmt"
	"time"
)

// Path is the configuration file on the machine.
const Path = "/etc/haproxy/haproxy.cfg"

// configuration is a parsed haproxy.cfg.
type configuration struct {
	proxies   []*proxy
	resolvers map[string]time.Duration // "hold valid" by the section's name
}

type proxy struct {
	kind, name     string
	line           int
	mode           string // tcp or http
	balance        string // roundrobin or source
	binds          []bind
	monitorURI     string
	responses      []httpResponse
	defaultBackend string
	counters       counters
	choices        choices
	check          httpCheck
	retries        int
	redispatch     bool // a retry uses another server
	connectTimeout time.Duration
	checkTimeout   time.Duration
	defaults       options
	servers        []server
}

func (p *proxy) isFrontend() bool { return p.kind == "frontend" || p.kind == "listen" }
func (p *proxy) isBackend() bool  { return p.kind == "backend" || p.kind == "listen" }

// bind is an address to listen on; an empty host means all.
type bind struct {
	host string
	port int
}

// httpCheck: if not enabled, a check is a TCP connection.
type httpCheck struct {
	enabled              bool
	method, uri, version string
	headers              []string // "Name: value"
	minStatus, maxStatus int      // range of a healthy server's status
	sequence             []exchange
}

// server is a server or, with several slots, a server template.
type server struct {
	name  string
	host  string
	port  int
	first int // number of the first slot of a template
	slots int
	line  int
	options
}

func (s server) isTemplate() bool { return s.first > 0 }

type options struct {
	check, checkSSL, backup bool
	verify, caFile          string
	checkSNI                string
	inter                   time.Duration
	fastInter, downInter    time.Duration // 0: like inter
	fall, rise              int
	checkPort               int // 0: the server's
	proxyProtocol           int // version of the header sent to the server; 0: none
	checkProxy              bool
	resolvers               string
	initAddr                string
}

func newDefaults() proxy {
	return proxy{
		mode:           "tcp",
		balance:        "roundrobin",
		retries:        3,
		connectTimeout: 30 * time.Second,
		check:          httpCheck{method: "OPTIONS", uri: "/", version: "HTTP/1.0", minStatus: 200, maxStatus: 399},
		defaults:       options{inter: 2 * time.Second, fall: 3, rise: 2},
	}
}

// validate finds errors that depend on several lines.
func (c *configuration) validate() []error {
	var faults []error
	fault := func(line int, format string, args ...any) {
		faults = append(faults, wrapLine(line, fmt.Errorf(format, args...)))
	}
	names := map[string]bool{}
	for _, p := range c.proxies {
		if names[p.kind+p.name] {
			fault(p.line, "%s '%s' has the same name as another one", p.kind, p.name)
		}
		names[p.kind+p.name] = true
		if p.defaultBackend != "" && c.findBackend(p.defaultBackend) == nil {
			fault(p.line, "unable to find required default_backend: '%s'", p.defaultBackend)
		}
		for _, name := range p.choices.list() {
			if c.findBackend(name) == nil {
				fault(p.line, "unable to find required use_backend: '%s'", name)
			}
		}
		if p.monitorURI != "" && p.mode != "http" {
			fault(p.line, "monitor-uri needs 'mode http' in %s '%s'", p.kind, p.name)
		}
		for _, s := range p.servers {
			if _, known := c.resolvers[s.resolvers]; s.resolvers != "" && !known {
				fault(s.line, "server '%s': unable to find required resolvers '%s'", s.name, s.resolvers)
			}
			if s.checkSSL && s.verify != "none" && s.caFile == "" {
				fault(s.line, "server '%s': verify is enabled by default but no CA file specified", s.name)
			}
		}
	}
	return faults
}

func (c *configuration) findBackend(name string) *proxy {
	for _, p := range c.proxies {
		if p.isBackend() && p.name == name {
			return p
		}
	}
	return nil
}

func wrapLine(line int, err error) error { return fmt.Errorf("parsing [%s:%d] : %w", Path, line, err) }
