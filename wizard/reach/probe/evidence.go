package probe

import (
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

func (a *attempt) record(key, value string) {
	if value = reach.Sanitize(value); value != "" {
		a.evidence[key] = value
	}
}

func (a *attempt) recordDuration(key string, since time.Time) {
	a.evidence[key] = strconv.FormatInt(time.Since(since).Milliseconds(), 10)
}
