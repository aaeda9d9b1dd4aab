package simcloud

import (
	"net/http"
	"time"
)

// hook puts the options' middleware before a handler that clients of the cloud talk to.
func (z *Zone) hook(handler http.Handler) http.Handler {
	if z.options.Middleware == nil {
		return handler
	}
	return z.options.Middleware(handler)
}

// late lets every request wait before it is looked at.
func late(handler http.Handler, latency time.Duration) http.Handler {
	if latency <= 0 {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timer := time.NewTimer(latency)
		defer timer.Stop()
		select {
		case <-timer.C:
			handler.ServeHTTP(w, r)
		case <-r.Context().Done(): // the client has gone
		}
	})
}
