package probe

import (
	"strconv"
	"time"

	"exoshift/wizard/reach"
)

// note keeps a piece of evidence, cleaned; nothing is kept of nothing.
func (a *attempt) note(key, value string) {
	if value = reach.Clean(value); value != "" {
		a.evidence[key] = value
	}
}

// noteTime keeps how long something took.
func (a *attempt) noteTime(key string, since time.Time) {
	a.evidence[key] = strconv.FormatInt(time.Since(since).Milliseconds(), 10)
}
