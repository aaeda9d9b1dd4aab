package probe

import (
	"context"
	"io"
	"net"
	"testing"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// The service is silent to Dial; DialSmall leads to another one.
func TestProbe_LargePackets(t *testing.T) {
	silent := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	for name, test := range map[string]struct {
		small    func(l *lab) // serves the address of small packets; nil: small packets are not possible
		thorough bool
		class    reach.Class
	}{
		"small ones pass":                      {func(l *lab) { l.web("203.0.113.2:443", l.authority.issue(l.t, service), says(200, nil, "")) }, true, reach.MTU},
		"small ones pass, beside other probes": {func(l *lab) { l.web("203.0.113.2:443", l.authority.issue(l.t, service), says(200, nil, "")) }, false, reach.TLSTimeout},
		"small ones bring an unknown authority": {func(l *lab) {
			l.web("203.0.113.2:443", newAuthority(l.t, "Corp").issue(l.t, service), says(200, nil, ""))
		}, true, reach.MTU},
		"small ones are lost, too": {func(l *lab) { l.accept("203.0.113.2:443", silent) }, true, reach.TLSTimeout},
		"small ones are refused":   {func(*lab) {}, true, reach.TLSTimeout},
		"no small ones":            {nil, true, reach.TLSTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.accept("203.0.113.1:443", silent)
				if test.small != nil {
					test.small(l)
					dial := l.network.Dial
					l.network.DialSmall = func(ctx context.Context, network, _ string) (net.Conn, error) {
						return dial(ctx, network, "203.0.113.2:443")
					}
				}
				p, err := New(l.network, reach.Task{}, connection.DefaultLimits())
				must(t, err)
				probe := p.Probe
				if test.thorough {
					probe = p.Repeat
				}
				expect(t, probe(t.Context(), reach.Check{URL: "https://" + service}), test.class, "ok ok fail none", false)
			})
		})
	}
}
