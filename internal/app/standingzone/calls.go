// Package standingzone serves a simulated zone behind a local proxy, for any program that speaks to Exoscale.
package standingzone

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// callRecorder writes a line of JSON for each call of a zone's API: when it was answered, what was requested, and the status.
type callRecorder struct {
	mu sync.Mutex // guards w
	w  io.Writer
}

type recordedCall struct {
	Time   time.Time `json:"time"` // by the wall clock
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Status int       `json:"status"`
}

// record wraps the API; calls of other services are left out.
func (c *callRecorder) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Host, "api") {
			next.ServeHTTP(w, r)
			return
		}
		answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(answer, r)
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = json.NewEncoder(c.w).Encode(recordedCall{time.Now(), r.Method, r.URL.RequestURI(), answer.status}) // the zone goes on without
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
