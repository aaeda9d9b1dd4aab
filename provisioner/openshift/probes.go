package openshift

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strconv"

	"exoshift/state"
)

const (
	sshPort = 22
	apiPort = 6443
)

type bootstrapProbes struct{ ssh, api backgroundProbe }

func (s *bootstrapProbes) close() {
	s.ssh.close()
	s.api.close()
}

// startProbes probes the bootstrap machine on its own address, unless there is none or the bootstrap is over.
func (c *Cluster) startProbes(ctx context.Context, api *api, bootstrap netip.Addr) (sent bool) {
	if !bootstrap.IsValid() || c.has(state.PhaseMemberRemoved) {
		return false
	}
	c.probes.ssh.start(ctx, c.net, probeTarget{target: buildTarget("tcp", bootstrap, sshPort, ""), explain: describeDirectError})
	trust := api.trust.Clone()
	trust.ServerName = api.address.Hostname()
	c.probes.api.start(ctx, c.net, probeTarget{target: buildTarget("https", bootstrap, apiPort, "/readyz"), trust: trust, explain: describeDirectError})
	return true
}

func buildTarget(scheme string, host netip.Addr, port int, path string) *url.URL {
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host.String(), strconv.Itoa(port)), Path: path}
}

// collectProbes waits for the probes if patient: while the API does not answer, they are the only information.
func (c *Cluster) collectProbes(ctx context.Context, patient bool) state.Probes {
	return state.Probes{
		SSH:    c.probes.ssh.report(ctx, patient),
		Direct: c.probes.api.report(ctx, patient),
	}
}

// checkReady requests the API's readiness by its name.
func (a *api) checkReady(ctx context.Context, c *Cluster) (state.Probe, error) {
	a.counter.count("get", "readyz")
	target := a.address.JoinPath("readyz")
	if target.Port() == "" {
		target.Host = net.JoinHostPort(target.Hostname(), "443")
	}
	trust := a.trust.Clone()
	if trust.ServerName == "" {
		trust.ServerName = target.Hostname()
	}
	seen, err := probeTarget{target: target, trust: trust, explain: describeConnectError}.run(ctx, c.net)
	if err != nil {
		return seen, a.toFault(ctx, "reach the API", err)
	}
	return seen, nil
}
