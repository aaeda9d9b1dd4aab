// Package dns probes resolvers, and the name servers of zones.
package dns

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
	"exoshift/wizard/reach/probe/connection"
)

// ProbeZone finds the name servers of a zone and queries each of them for the zone's SOA record: a server without an
// authoritative answer is of no use.
func ProbeZone(ctx context.Context, a *connection.Attempt) error {
	a.TimePerCall()
	if proxy, err := a.FindProxy(); err == nil && proxy != nil {
		return connection.ErrNoDatagrams // its resolver may know internal names only, and the zone's own servers are not reachable
	}
	delegation, err := fetchDelegation(ctx, a)
	if err != nil {
		return err
	}
	servers := delegation.Servers[:min(len(delegation.Servers), connection.MaxAddresses)]
	if len(servers) == 0 {
		return checkUndelegated(ctx, a, delegation)
	}
	a.Layers.DNS = reach.LayerOK
	a.Record(reach.EvidenceAddresses, strings.Join(servers, ", "))
	a.Record(reach.EvidenceStatus, delegation.Note)
	return checkServers(a, servers, querySOAServers(ctx, a, servers, a.Target.Host))
}

func fetchDelegation(ctx context.Context, a *connection.Attempt) (network.Delegation, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Deps.Limits.DNS+a.Deps.Limits.HTTP)
	defer cancel()
	began := time.Now()
	found, err := network.NewNameServers(a.Deps.Network).FindDelegation(ctx, a.Target.Host)
	a.RecordDuration(reach.EvidenceDNSTime, began)
	switch {
	case fault.Is(err, fault.Invalid):
		return found, a.Fail(&a.Layers.DNS, reach.NXDomain, err)
	case err != nil && !connection.IsTimeout(err) && ctx.Err() == nil && !connection.IsNetwork(err):
		return found, a.Fail(&a.Layers.DNS, reach.ServFail, err)
	case err != nil:
		return found, a.Fail(&a.Layers.DNS, reach.DNSTimeout, err)
	}
	return found, nil
}

// checkUndelegated distinguishes a name inside the parent zone from one that does not exist.
func checkUndelegated(ctx context.Context, a *connection.Attempt, above network.Delegation) error {
	none := fmt.Errorf("the servers of %s have no NS records for %s", above.Parent, a.Target.Host)
	for _, answer := range querySOAServers(ctx, a, above.Asked, a.Target.Host) {
		if answer.err == nil && answer.reply.Code == "NOERROR" && answer.reply.Authoritative {
			a.Layers.DNS = reach.LayerOK
			a.Record(reach.EvidenceStatus, "it is part of the zone "+above.Parent)
			return nil
		}
	}
	return a.Fail(&a.Layers.DNS, reach.NXDomain, none)
}

func querySOAServers(ctx context.Context, a *connection.Attempt, servers []string, zone string) []dnsReply {
	answers := make([]dnsReply, len(servers))
	var asking sync.WaitGroup
	for i, server := range servers {
		asking.Go(func() { answers[i] = querySOA(ctx, a, server, zone) })
	}
	asking.Wait()
	return answers
}

func querySOA(ctx context.Context, a *connection.Attempt, server, zone string) dnsReply {
	question := network.Question{Name: zone, Type: "SOA"}
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(server, a.Target.Port)
	}
	var asking sync.WaitGroup
	var answer, byTCP dnsReply
	asking.Go(func() { answer = query(ctx, a, "udp", server, question) })
	asking.Go(func() { byTCP = query(ctx, a, "tcp", server, question) })
	asking.Wait()
	if answer.err != nil && byTCP.err == nil {
		answer = byTCP
	}
	if answer.err == nil && (answer.reply.Code != "NOERROR" || !answer.reply.Authoritative) {
		answer.err = errLame
	}
	return answer
}

var errLame = errors.New("it is not authoritative for the zone")

// As long as one server answers, names resolve, but slowly.
func checkServers(a *connection.Attempt, servers []string, answers []dnsReply) error {
	var broken []string
	var first error
	for i, answer := range answers {
		if answer.err == nil && !answer.reply.HasSOA {
			answer.err = errLame
		}
		if answer.err != nil {
			broken = append(broken, servers[i]+": "+connection.FormatError(answer.err))
			first = errors.Join(first, answer.err)
		}
	}
	if len(broken) < len(servers) {
		a.Layers.TCP, a.Layers.HTTP = reach.LayerOK, reach.LayerOK
	}
	if len(broken) == 0 {
		return nil
	}
	reason := errors.New(strings.Join(broken, "; "))
	layer, class := mapZoneError(a, first)
	if len(broken) == len(servers) {
		return a.Fail(layer, class, reason)
	}
	a.Record(reach.EvidenceError, reason.Error())
	a.Degrade(class)
	return nil
}

func mapZoneError(a *connection.Attempt, err error) (*reach.Layer, reach.Class) {
	switch {
	case errors.Is(err, errLame):
		a.Layers.TCP = reach.LayerOK
		return &a.Layers.HTTP, reach.ServFail
	case connection.IsTimeout(err):
		return &a.Layers.TCP, reach.UDPTimeout
	}
	return &a.Layers.TCP, connection.MapConnectError(err)
}
