package probe

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

const (
	// minReportedSkew is the skew from which on it is evidence: less may be the network, or the Date header's resolution
	// of a second.
	minReportedSkew = time.Minute
	// maxSkew is a difference of clocks that breaks something: signatures of requests, tokens, fresh certificates.
	maxSkew = 5 * time.Minute
	// signedGroup is the group of the services whose requests are signed with a timestamp: they refuse requests from a
	// machine whose clock is wrong.
	signedGroup = "exoscale"
	clockLimit  = 3 * time.Second
)

func isSkewed(skew time.Duration) bool { return skew.Abs() >= maxSkew }

func (a *attempt) recordSkew(skew time.Duration) {
	if skew.Abs() < minReportedSkew {
		return
	}
	sign := "+"
	if skew < 0 {
		sign = ""
	}
	a.record(reach.EvidenceSkew, sign+skew.Round(time.Second).String())
}

func (a *attempt) compareClocks(header http.Header) {
	server, told := parseServerTime(header)
	if !told {
		return
	}
	skew := a.prober.now().Sub(server)
	a.recordSkew(skew)
	if isSkewed(skew) {
		a.degrade(reach.ClockSkew)
	}
}

// parseServerTime adds the Age header of caches to the Date header.
func parseServerTime(header http.Header) (time.Time, bool) {
	made, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}, false
	}
	if age, err := strconv.ParseUint(header.Get("Age"), 10, 31); err == nil {
		made = made.Add(time.Duration(age) * time.Second)
	}
	return made, true
}

// The time comes over a connection of its own, whose certificates are verified as of another time: a host whose
// certificate is right but for the time may supply the time. Nothing else is sent there.
func (a *attempt) fetchServerTime(ctx context.Context, at time.Time) (time.Time, bool) {
	ctx, cancel := context.WithTimeout(ctx, clockLimit)
	defer cancel()
	again := a.prober.newAttempt(a.check, a.target, a.state)
	if err := again.connect(ctx); err != nil {
		return time.Time{}, false
	}
	client, err := again.performHandshake(ctx, func() time.Time { return at })
	if err != nil {
		return time.Time{}, false
	}
	again.keep(client)
	reply, err := again.send(ctx, call{url: a.target.url})
	if err != nil {
		return time.Time{}, false
	}
	return parseServerTime(reply.header)
}
