package dns

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

type dnsReply struct {
	reply network.Response
	err   error
}

func (h dnsReply) String() string {
	if h.err != nil {
		return connection.FormatError(h.err)
	}
	return h.reply.Code
}

// ProbeResolver has a resolver look up a name. The name is the path of the address. It queries by UDP and by TCP: short answers need the one, long ones the other.
func ProbeResolver(ctx context.Context, a *connection.Attempt) error {
	servers, err := a.ResolveUDP(ctx)
	if err != nil {
		return err
	}
	question := network.Question{Name: strings.Trim(a.Target.URL.Path, "/"), Type: "A", Recursive: true}
	if question.Name == "" {
		question.Name, question.Type = ".", "NS" // every resolver knows the root servers
	}
	began := time.Now()
	var asking sync.WaitGroup
	var byUDP, byTCP dnsReply
	asking.Go(func() { byUDP = query(ctx, a, "udp", servers[0], question) })
	asking.Go(func() { byTCP = query(ctx, a, "tcp", servers[0], question) })
	asking.Wait()
	a.RecordDuration(reach.EvidenceHTTPTime, began)
	a.Record(reach.EvidenceAddress, servers[0])
	a.Record(reach.EvidenceResolver, a.Target.Host)
	a.Record(reach.EvidenceStatus, fmt.Sprintf("UDP: %s; TCP: %s", byUDP, byTCP))
	return checkResolver(a, byUDP, byTCP, question)
}

// A UDP query that seems lost is sent again.
func query(ctx context.Context, a *connection.Attempt, transport, server string, question network.Question) dnsReply {
	const questions = 2
	var last dnsReply
	for range questions {
		last = queryOnce(ctx, a, transport, server, question, a.Deps.Limits.DNS/questions)
		if last.err == nil || !connection.IsTimeout(last.err) {
			break
		}
	}
	return last
}

func queryOnce(ctx context.Context, a *connection.Attempt, transport, server string, question network.Question, timeout time.Duration) dnsReply {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := a.Deps.Network.Dial(ctx, transport, server)
	if err != nil {
		return dnsReply{err: err}
	}
	reply, err := network.Query(ctx, conn, question)
	return dnsReply{reply, err}
}

// Without TCP only long answers are missing, which is a degradation.
func checkResolver(a *connection.Attempt, byUDP, byTCP dnsReply, question network.Question) error {
	if byUDP.err != nil {
		return newQueryError(a, byUDP.err)
	}
	a.Layers.TCP = reach.LayerOK
	if class, err := checkReply(byUDP.reply, question); err != nil {
		return a.Fail(&a.Layers.HTTP, class, err)
	}
	a.Layers.HTTP = reach.LayerOK
	if byTCP.err != nil {
		a.Record(reach.EvidenceError, "by TCP: "+connection.FormatError(byTCP.err))
		a.Degrade(connection.MapConnectError(byTCP.err))
	}
	return nil
}

func newQueryError(a *connection.Attempt, err error) error {
	if connection.IsTimeout(err) || connection.IsNetwork(err) {
		return a.NewUDPError(err)
	}
	a.Layers.TCP = reach.LayerOK
	return a.Fail(&a.Layers.HTTP, reach.Malformed, err)
}

func checkReply(reply network.Response, question network.Question) (reach.Class, error) {
	switch {
	case reply.Code == "NXDOMAIN":
		return reach.NXDomain, fmt.Errorf("it returned NXDOMAIN for %s", question.Name)
	case reply.Code == "REFUSED", reply.Code == "NOERROR" && !reply.Recursive:
		return reach.DNSRefused, errors.New("it does not resolve names for this client")
	case reply.Code != "NOERROR":
		return reach.ServFail, fmt.Errorf("it returned %s", reply.Code)
	case len(reply.Addresses) == 0 && len(reply.Servers) == 0 && !reply.Truncated:
		return reach.Missing, fmt.Errorf("it has no address for %s", question.Name)
	}
	return "", nil
}
