package api

import (
	"context"
	"time"
)

// waitLatency returns false if the request was canceled.
func (a *API) waitLatency(ctx context.Context) bool {
	if a.config.Latency <= 0 {
		return true
	}
	timer := time.NewTimer(a.config.Latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
