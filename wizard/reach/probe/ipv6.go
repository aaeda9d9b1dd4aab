package probe

import (
	"context"
	"net"
	"time"

	"exoshift/wizard/reach"
)

// Nothing depends on IPv6: nodes use IPv4.
const ipv6Limit = time.Second

func (a *attempt) getFamilyKey() string {
	if len(a.addresses) > 0 && a.addresses[0].Is6() {
		return reach.EvidenceIPv6
	}
	return reach.EvidenceIPv4
}

func (a *attempt) isIPv6Only(ctx context.Context) bool {
	lookup := a.prober.network.Direct().LookupIPv6
	if lookup == nil {
		return false
	}
	found, err := lookup(ctx, a.target.host)
	return err == nil && len(found) > 0
}

// watchIPv6 runs beside the probe, for a check whose host is a name. It reports once the probe's other work has ended.
func (a *attempt) watchIPv6(ctx context.Context) {
	lookup := a.prober.network.Direct().LookupIPv6
	if _, literal := a.target.parseIP(); literal || lookup == nil || a.state.ipv6 != nil || a.target.host != a.state.host {
		return
	}
	seen := make(chan string, 1)
	a.state.ipv6 = seen
	a.state.background.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, ipv6Limit)
		defer cancel()
		seen <- a.checkIPv6(ctx, lookup)
	})
}

func (a *attempt) recordIPv6() {
	if a.state.ipv6 != nil {
		a.record(reach.EvidenceIPv6, <-a.state.ipv6)
	}
}

func (a *attempt) checkIPv6(ctx context.Context, lookup lookup) string {
	found, err := lookup(ctx, a.target.host)
	if err != nil || len(found) == 0 {
		return ""
	}
	conn, err := a.prober.network.Dial(ctx, "tcp", net.JoinHostPort(found[0].String(), a.target.port))
	if err != nil {
		return formatError(err)
	}
	_ = conn.Close()
	return "ok"
}
