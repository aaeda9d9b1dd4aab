package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// probeZone finds the name servers of a zone and queries each of them for the zone's SOA record: a server without an
// authoritative answer is of no use.
func probeZone(ctx context.Context, a *attempt) error {
	a.state.timedPerCall = true
	if proxy, err := a.findProxy(); err == nil && proxy != nil {
		return errNoDatagrams // its resolver may know internal names only, and the zone's own servers are not reachable
	}
	delegation, err := fetchDelegation(ctx, a)
	if err != nil {
		return err
	}
	servers := delegation.Servers[:min(len(delegation.Servers), maxAddresses)]
	if len(servers) == 0 {
		return checkUndelegated(ctx, a, delegation)
	}
	a.layers.DNS = reach.LayerOK
	a.record(reach.EvidenceAddresses, strings.Join(servers, ", "))
	a.record(reach.EvidenceStatus, delegation.Note)
	return checkServers(a, servers, querySOAServers(ctx, a, servers, a.target.host))
}

func fetchDelegation(ctx context.Context, a *attempt) (network.Delegation, error) {
	ctx, cancel := context.WithTimeout(ctx, a.deps.Limits.DNS+a.deps.Limits.HTTP)
	defer cancel()
	began := time.Now()
	found, err := network.NewNameServers(a.deps.Network).FindDelegation(ctx, a.target.host)
	a.recordDuration(reach.EvidenceDNSTime, began)
	switch {
	case fault.Is(err, fault.Invalid):
		return found, a.fail(&a.layers.DNS, reach.NXDomain, err)
	case err != nil && !isTimeout(err) && ctx.Err() == nil && !isNetwork(err):
		return found, a.fail(&a.layers.DNS, reach.ServFail, err)
	case err != nil:
		return found, a.fail(&a.layers.DNS, reach.DNSTimeout, err)
	}
	return found, nil
}

// checkUndelegated distinguishes a name inside the parent zone from one that does not exist.
func checkUndelegated(ctx context.Context, a *attempt, above network.Delegation) error {
	none := fmt.Errorf("the servers of %s know no name servers for %s", above.Parent, a.target.host)
	for _, said := range querySOAServers(ctx, a, above.Asked, a.target.host) {
		if said.err == nil && said.reply.Code == "NOERROR" && said.reply.Authoritative {
			a.layers.DNS = reach.LayerOK
			a.record(reach.EvidenceStatus, "it is part of the zone "+above.Parent)
			return nil
		}
	}
	return a.fail(&a.layers.DNS, reach.NXDomain, none)
}

func querySOAServers(ctx context.Context, a *attempt, servers []string, zone string) []dnsReply {
	answers := make([]dnsReply, len(servers))
	var asking sync.WaitGroup
	for i, server := range servers {
		asking.Go(func() { answers[i] = querySOA(ctx, a, server, zone) })
	}
	asking.Wait()
	return answers
}

func querySOA(ctx context.Context, a *attempt, server, zone string) dnsReply {
	question := network.Question{Name: zone, Type: "SOA"}
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(server, a.target.port)
	}
	var asking sync.WaitGroup
	var said, byTCP dnsReply
	asking.Go(func() { said = query(ctx, a, "udp", server, question) })
	asking.Go(func() { byTCP = query(ctx, a, "tcp", server, question) })
	asking.Wait()
	if said.err != nil && byTCP.err == nil {
		said = byTCP
	}
	if said.err == nil && (said.reply.Code != "NOERROR" || !said.reply.Authoritative) {
		said.err = errLame
	}
	return said
}

var errLame = errors.New("it does not serve the zone")

// As long as one server answers, names resolve, but slowly.
func checkServers(a *attempt, servers []string, answers []dnsReply) error {
	var broken []string
	var first error
	for i, said := range answers {
		if said.err == nil && !said.reply.HasSOA {
			said.err = errLame
		}
		if said.err != nil {
			broken = append(broken, servers[i]+": "+formatError(said.err))
			first = errors.Join(first, said.err)
		}
	}
	if len(broken) < len(servers) {
		a.layers.TCP, a.layers.HTTP = reach.LayerOK, reach.LayerOK
	}
	if len(broken) == 0 {
		return nil
	}
	reason := errors.New(strings.Join(broken, "; "))
	layer, class := mapZoneError(a, first)
	if len(broken) == len(servers) {
		return a.fail(layer, class, reason)
	}
	a.record(reach.EvidenceError, reason.Error())
	a.degrade(class)
	return nil
}

func mapZoneError(a *attempt, err error) (*reach.Layer, reach.Class) {
	switch {
	case errors.Is(err, errLame):
		a.layers.TCP = reach.LayerOK
		return &a.layers.HTTP, reach.ServFail
	case isTimeout(err):
		return &a.layers.TCP, reach.UDPTimeout
	}
	return &a.layers.TCP, mapConnectError(err)
}
