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
)

const (
	// warnOffset is the skew up to which a clock is right: signatures and certificates allow more.
	warnOffset = time.Second
	// maxOffset is the skew from which on signed requests are refused.
	maxOffset = 5 * time.Minute
)

// queryNTP closes the connection, and ends with ctx at the latest.
func queryNTP(ctx context.Context, conn net.Conn, patience time.Duration, now func() time.Time) (*ntp.Response, error) {
	defer closeOnCancel(ctx, conn)()
	return ntp.QueryWithOptions("server", ntp.QueryOptions{
		Timeout: patience, Version: 4, GetSystemTime: now,
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
		return reach.Unexpected, false, errors.New("the time server does not know the time itself yet")
	case invalid != nil:
		return reach.Unexpected, false, fmt.Errorf("the time server's answer cannot be used: %w", invalid)
	case skew.Abs() >= maxOffset:
		return reach.ClockSkew, false, fmt.Errorf("the clock of this machine is wrong by %s", skew.Round(time.Second))
	case skew.Abs() >= warnOffset:
		return reach.ClockSkew, true, fmt.Errorf("the clock of this machine is wrong by %s", skew.Round(time.Millisecond))
	}
	return "", false, nil
}

// RFC 5905, section 7.4.
func newKissOfDeathError(code string) error {
	switch code = strings.ToUpper(code); code {
	case "RATE":
		return errors.New("the time server wants to be asked less often (RATE)")
	case "DENY", "RSTR":
		return fmt.Errorf("the time server does not serve this address (%s)", code)
	}
	return fmt.Errorf("the time server refuses to answer (%s)", reach.Sanitize(code))
}
