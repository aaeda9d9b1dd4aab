package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

type dnsReply struct {
	reply network.Response
	err   error
}

func (h dnsReply) String() string {
	if h.err != nil {
		return formatError(h.err)
	}
	return h.reply.Code
}

// The name is the path of the address. It queries by UDP and by TCP: short answers need the one, long ones the other.
func probeResolver(ctx context.Context, a *attempt) error {
	servers, err := a.resolveUDP(ctx)
	if err != nil {
		return err
	}
	question := network.Question{Name: strings.Trim(a.target.url.Path, "/"), Type: "A", Recursive: true}
	if question.Name == "" {
		question.Name, question.Type = ".", "NS" // every resolver knows the root servers
	}
	began := time.Now()
	var asking sync.WaitGroup
	var byUDP, byTCP dnsReply
	asking.Go(func() { byUDP = query(ctx, a, "udp", servers[0], question) })
	asking.Go(func() { byTCP = query(ctx, a, "tcp", servers[0], question) })
	asking.Wait()
	a.recordDuration(reach.EvidenceHTTPTime, began)
	a.record(reach.EvidenceAddress, servers[0])
	a.record(reach.EvidenceStatus, fmt.Sprintf("UDP: %s; TCP: %s", byUDP, byTCP))
	return checkResolver(a, byUDP, byTCP, question)
}

// A UDP query that seems lost is sent again.
func query(ctx context.Context, a *attempt, transport, server string, question network.Question) dnsReply {
	const questions = 2
	var last dnsReply
	for range questions {
		last = queryOnce(ctx, a, transport, server, question, a.deps.Limits.DNS/questions)
		if last.err == nil || !isTimeout(last.err) {
			break
		}
	}
	return last
}

func queryOnce(ctx context.Context, a *attempt, transport, server string, question network.Question, patience time.Duration) dnsReply {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := a.deps.Network.Dial(ctx, transport, server)
	if err != nil {
		return dnsReply{err: err}
	}
	reply, err := network.Query(ctx, conn, question)
	return dnsReply{reply, err}
}

// Without TCP only long answers are missing, which is a degradation.
func checkResolver(a *attempt, byUDP, byTCP dnsReply, question network.Question) error {
	if byUDP.err != nil {
		return newQueryError(a, byUDP.err)
	}
	a.layers.TCP = reach.LayerOK
	if class, err := checkReply(byUDP.reply, question); err != nil {
		return a.fail(&a.layers.HTTP, class, err)
	}
	a.layers.HTTP = reach.LayerOK
	if byTCP.err != nil {
		a.record(reach.EvidenceError, "by TCP: "+formatError(byTCP.err))
		a.degrade(mapConnectError(byTCP.err))
	}
	return nil
}

func newQueryError(a *attempt, err error) error {
	if isTimeout(err) || isNetwork(err) {
		return a.newUDPError(err)
	}
	a.layers.TCP = reach.LayerOK
	return a.fail(&a.layers.HTTP, reach.Malformed, err)
}

func checkReply(reply network.Response, question network.Question) (reach.Class, error) {
	switch {
	case reply.Code == "NXDOMAIN":
		return reach.NXDomain, fmt.Errorf("it says that %s does not exist", question.Name)
	case reply.Code == "REFUSED", reply.Code == "NOERROR" && !reply.Recursive:
		return reach.ServFail, errors.New("it does not look up names for this address")
	case reply.Code != "NOERROR":
		return reach.ServFail, fmt.Errorf("it answers %s", reply.Code)
	case len(reply.Addresses) == 0 && len(reply.Servers) == 0 && !reply.Truncated:
		return reach.Missing, fmt.Errorf("it knows no address of %s", question.Name)
	}
	return "", nil
}
