package probe

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

const (
	// minReportedSkew is a difference of clocks from which on it is evidence: less may be the network, or the Date header,
	// which knows seconds only.
	minReportedSkew = time.Minute
	// maxSkew is a difference of clocks that breaks something: signatures of requests, tokens, fresh certificates.
	maxSkew = 5 * time.Minute
	// signedGroup is the group of the services whose requests are signed with the time of day: they refuse those of a
	// wrong clock, however well they are reached.
	signedGroup = "exoscale"
	// clockLimit is how long a server may take to tell the time.
	clockLimit = 3 * time.Second
)

func isSkewed(skew time.Duration) bool { return skew.Abs() >= maxSkew }

// recordSkew keeps this machine's clock against the server's; positive: it is ahead.
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

// compareClocks notes a skew that an answer shows.
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

// parseServerTime returns what time it is at a server: when the answer was made, and how long caches kept it since.
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

// fetchServerTime asks the host for the time, by a connection of its own on which certificates are judged as of another time:
// who proves to be the host but for the time may be asked for the time. Nothing else is said there.
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
