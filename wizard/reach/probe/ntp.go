package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/beevik/ntp"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// Some queries get lost, and some servers of a pool are down.
const maxTimeQueries = 3

// probeTime queries the servers of a pool until one returns the right time.
func probeTime(ctx context.Context, a *connection.Attempt) error {
	a.TimePerCall() // lost packets are no evidence of slowness
	servers, err := a.ResolveUDP(ctx)
	if err != nil {
		return err
	}
	began, before := time.Now(), a.Layers
	var first error
	var then reach.Layers
	for i := range maxTimeQueries {
		a.Layers = before
		server := servers[i%len(servers)]
		answer, err := queryTime(ctx, a, server)
		if err == nil {
			a.Record(reach.EvidenceAddress, server)
			a.RecordDuration(reach.EvidenceHTTPTime, began)
			return recordClock(a, answer)
		}
		if first == nil || connection.GetClass(first) == reach.UDPTimeout {
			first, then = err, a.Layers
		}
	}
	a.Layers = then
	return first
}

func queryTime(ctx context.Context, a *connection.Attempt, server string) (*ntp.Response, error) {
	timeout := a.Deps.Limits.TCP / maxTimeQueries
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := a.Deps.Network.Dial(ctx, "udp", server)
	if err != nil {
		return nil, a.NewUDPError(err)
	}
	a.RecordSource(conn)
	answer, err := queryNTP(ctx, conn, timeout, a.Deps.Now)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, a.NewUDPError(ctx.Err())
	case err != nil && connection.IsNetwork(err):
		return nil, a.NewUDPError(err)
	}
	a.Layers.TCP = reach.LayerOK
	if err != nil {
		return nil, a.Fail(&a.Layers.HTTP, reach.Malformed, err)
	}
	return answer, validateTime(a, answer)
}

func validateTime(a *connection.Attempt, answer *ntp.Response) error {
	class, degraded, err := checkTime(answer)
	if err == nil || degraded {
		return nil
	}
	if class == reach.ClockSkew {
		recordOffset(a, answer)
	}
	return a.Fail(&a.Layers.HTTP, class, err)
}

func recordClock(a *connection.Attempt, answer *ntp.Response) error {
	a.Layers.HTTP = reach.LayerOK
	recordOffset(a, answer)
	if class, degraded, err := checkTime(answer); degraded {
		a.Record(reach.EvidenceError, err.Error())
		a.Degrade(class)
	}
	return nil
}

// The evidence is e.g. "+3m12s", or "-1.204s" where fractions count.
func recordOffset(a *connection.Attempt, answer *ntp.Response) {
	ahead, precision, sign := -answer.ClockOffset, time.Second, "+"
	if ahead.Abs() < 10*time.Second {
		precision = time.Millisecond
	}
	if ahead < 0 {
		sign = ""
	}
	a.Record(reach.EvidenceSkew, sign+ahead.Round(precision).String())
}

const (
	// warnOffset is the skew up to which a clock is right: signatures and certificates allow more.
	warnOffset = time.Second
	// maxOffset is the skew from which on signed requests are refused.
	maxOffset = 5 * time.Minute
)

// queryNTP closes the connection, and ends with ctx at the latest.
func queryNTP(ctx context.Context, conn net.Conn, timeout time.Duration, now func() time.Time) (*ntp.Response, error) {
	defer closeOnCancel(ctx, conn)()
	return ntp.QueryWithOptions("server", ntp.QueryOptions{
		Timeout: timeout, Version: 4, GetSystemTime: now,
		Dialer: func(string, string) (net.Conn, error) { return conn, nil },
	})
}

// The class is "" if the answer can be used as it is.
func checkTime(answer *ntp.Response) (class reach.Class, degraded bool, err error) {
	skew := -answer.ClockOffset // ours against the server's
	switch invalid := answer.Validate(); {
	case answer.IsKissOfDeath():
		return reach.Unexpected, false, newKissOfDeathError(answer.KissCode)
	case answer.Leap == ntp.LeapNotInSync || answer.Stratum >= 16:
		return reach.Unexpected, false, errors.New("the time server is not synchronized")
	case invalid != nil:
		return reach.Unexpected, false, fmt.Errorf("invalid NTP response: %w", invalid)
	case skew.Abs() >= maxOffset:
		return reach.ClockSkew, false, fmt.Errorf("the clock of this machine is off by %s", skew.Round(time.Second))
	case skew.Abs() >= warnOffset:
		return reach.ClockSkew, true, fmt.Errorf("the clock of this machine is off by %s", skew.Round(time.Millisecond))
	}
	return "", false, nil
}

// RFC 5905, section 7.4.
func newKissOfDeathError(code string) error {
	switch code = strings.ToUpper(code); code {
	case "RATE":
		return errors.New("rate-limited by the time server (RATE)")
	case "DENY", "RSTR":
		return fmt.Errorf("the time server does not serve this client (%s)", code)
	}
	return fmt.Errorf("refused by the time server (%s)", reach.Sanitize(code))
}
