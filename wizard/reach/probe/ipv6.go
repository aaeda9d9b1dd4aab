package probe

import (
	"context"
	"net"
	"time"

	"exoshift/wizard/reach"
)

// asideLimit is how long IPv6 may take. Nothing depends on it: nodes speak IPv4.
const asideLimit = time.Second

// family returns the evidence's key of the addresses that decide.
func (a *attempt) family() string {
	if len(a.addresses) > 0 && a.addresses[0].Is6() {
		return reach.EvidenceIPv6
	}
	return reach.EvidenceIPv4
}

// onlyIPv6 tells whether a name without IPv4 addresses has some of IPv6.
func (a *attempt) onlyIPv6(ctx context.Context) bool {
	lookup := a.prober.network.Direct().LookupIPv6
	if lookup == nil {
		return false
	}
	found, err := lookup(ctx, a.target.host)
	return err == nil && len(found) > 0
}

// watchIPv6 finds out, beside the probe, how the check's own host is reached by IPv6 if it is given by name. It says so
// once the probe's other work has ended.
func (a *attempt) watchIPv6(ctx context.Context) {
	lookup := a.prober.network.Direct().LookupIPv6
	if _, literal := a.target.literal(); literal || lookup == nil || a.probe.ipv6 != nil || a.target.host != a.probe.host {
		return
	}
	seen := make(chan string, 1)
	a.probe.ipv6 = seen
	a.probe.others.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, asideLimit)
		defer cancel()
		seen <- a.byIPv6(ctx, lookup)
	})
}

// noteIPv6 waits for what was seen beside the probe.
func (a *attempt) noteIPv6() {
	if a.probe.ipv6 != nil {
		a.note(reach.EvidenceIPv6, <-a.probe.ipv6)
	}
}

// byIPv6 returns how the first IPv6 address answers, "" if there is none.
func (a *attempt) byIPv6(ctx context.Context, lookup lookup) string {
	found, err := lookup(ctx, a.target.host)
	if err != nil || len(found) == 0 {
		return ""
	}
	conn, err := a.prober.network.Dial(ctx, "tcp", net.JoinHostPort(found[0].String(), a.target.port))
	if err != nil {
		return explain(err)
	}
	_ = conn.Close()
	return "ok"
}
