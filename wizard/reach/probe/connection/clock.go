package connection

import (
	"net/http"
	"strconv"
	"time"
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
