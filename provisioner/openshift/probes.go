package openshift

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strconv"

	"exoshift/state"
)

// Ports of the bootstrap machine.
const (
	sshPort = 22
	apiPort = 6443
)

// sentries probe the bootstrap machine itself.
type sentries struct{ ssh, api sentry }

func (s *sentries) close() {
	s.ssh.close()
	s.api.close()
}

// sendSentries lets the bootstrap machine be probed on its own address. Without one, or once the bootstrap is over, it is
// not.
func (c *Cluster) sendSentries(ctx context.Context, api *api, bootstrap netip.Addr) (sent bool) {
	if !bootstrap.IsValid() || c.has(state.PhaseMemberRemoved) {
		return false
	}
	c.sentries.ssh.send(ctx, c.net, way{target: target("tcp", bootstrap, sshPort, ""), explain: direct})
	trust := api.trust.Clone()
	trust.ServerName = api.address.Hostname()
	c.sentries.api.send(ctx, c.net, way{target: target("https", bootstrap, apiPort, "/readyz"), trust: trust, explain: direct})
	return true
}

func target(scheme string, host netip.Addr, port int, path string) *url.URL {
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host.String(), strconv.Itoa(port)), Path: path}
}

// gatherSentries returns what the sentries saw. While the API does not answer, theirs is all there is to see, and worth
// waiting for.
func (c *Cluster) gatherSentries(ctx context.Context, patient bool) state.Probes {
	return state.Probes{
		SSH:    c.sentries.ssh.report(ctx, patient),
		Direct: c.sentries.api.report(ctx, patient),
	}
}

// probe asks whether the API is ready, by its name.
func (a *api) probe(ctx context.Context, c *Cluster) (state.Probe, error) {
	a.tally.count("get", "readyz")
	target := a.address.JoinPath("readyz")
	if target.Port() == "" {
		target.Host = net.JoinHostPort(target.Hostname(), "443")
	}
	trust := a.trust.Clone()
	if trust.ServerName == "" {
		trust.ServerName = target.Hostname()
	}
	seen, err := way{target: target, trust: trust, explain: unanswered}.probe(ctx, c.net)
	if err != nil {
		return seen, a.explain(ctx, "reach the API", err)
	}
	return seen, nil
}
