package probe

import (
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

// record keeps a piece of evidence, cleaned; nothing is kept of nothing.
func (a *attempt) record(key, value string) {
	if value = reach.Sanitize(value); value != "" {
		a.evidence[key] = value
	}
}

// recordDuration keeps how long something took.
func (a *attempt) recordDuration(key string, since time.Time) {
	a.evidence[key] = strconv.FormatInt(time.Since(since).Milliseconds(), 10)
}
