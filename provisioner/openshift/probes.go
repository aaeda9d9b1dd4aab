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

// start probes the bootstrap machine on its own address.
func (s *bootstrapProbes) start(ctx context.Context, api *Client, bootstrap netip.Addr) {
	s.ssh.start(ctx, api.Network, probeTarget{target: buildTarget("tcp", bootstrap, sshPort, ""), explain: describeDirectError})
	trust := api.Trust.Clone()
	trust.ServerName = api.Address.Hostname()
	s.api.start(ctx, api.Network, probeTarget{target: buildTarget("https", bootstrap, apiPort, "/readyz"), trust: trust, explain: describeDirectError})
}

func buildTarget(scheme string, host netip.Addr, port int, path string) *url.URL {
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host.String(), strconv.Itoa(port)), Path: path}
}

// collect waits for the probes if patient: while the API does not answer, they are the only information.
func (s *bootstrapProbes) collect(ctx context.Context, patient bool) state.Probes {
	return state.Probes{SSH: s.ssh.report(ctx, patient), Direct: s.api.report(ctx, patient)}
}

// checkReady requests the API's readiness by its name.
func checkReady(ctx context.Context, api *Client) (state.Probe, error) {
	api.Count("get", "readyz")
	target := api.Address.JoinPath("readyz")
	if target.Port() == "" {
		target.Host = net.JoinHostPort(target.Hostname(), "443")
	}
	trust := api.Trust.Clone()
	if trust.ServerName == "" {
		trust.ServerName = target.Hostname()
	}
	seen, err := probeTarget{target: target, trust: trust, explain: describeConnectError}.run(ctx, api.Network)
	if err != nil {
		return seen, api.ToFault(ctx, "reach the API", err)
	}
	return seen, nil
}
