package simcloud

import (
	"crypto/sha256"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// apiFault answers in the place of the API: it rejects the first call of every mutation, or is away for a while.
type apiFault struct {
	scenario.API
	clock  network.Clock
	events *store.Table[bool] // those that happened

	mu       sync.Mutex // guards the rest
	seen     map[[sha256.Size]byte]bool
	machines int // that were requested
	until    time.Time
}

func newAPIFault(injected scenario.API, clock network.Clock, events *store.Table[bool]) *apiFault {
	return &apiFault{API: injected, clock: clock, events: events, seen: map[[sha256.Size]byte]bool{}}
}

func (f *apiFault) wrap(next http.Handler) http.Handler {
	if f.RetryAfter == 0 && f.Away == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case f.Away > 0 && f.isAway(r):
			writeAPIError(w, http.StatusServiceUnavailable, "Service Unavailable")
		case f.RetryAfter > 0 && f.isFirstCall(r):
			w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds())))
			writeAPIError(w, http.StatusTooManyRequests, "Too Many Requests")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isFirstCall reads the body of a mutation and puts it back.
func (f *apiFault) isFirstCall(r *http.Request) bool {
	if r.Method == http.MethodGet {
		return false
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return false // the API reports it
	}
	r.Body = io.NopCloser(strings.NewReader(string(content)))
	call := sha256.Sum256([]byte(r.Method + " " + r.Host + r.URL.RequestURI() + "\n" + string(content)))
	f.mu.Lock()
	defer f.mu.Unlock()
	isFirst := !f.seen[call]
	f.seen[call] = true
	return isFirst
}

func (f *apiFault) isAway(r *http.Request) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	const event = "api-away"
	_, happened := f.events.Get(event)
	if !happened && r.Method == http.MethodPost && r.URL.Path == "/v2/instance" {
		if f.machines++; f.machines > f.AwayMachines && f.events.Put(event, true) == nil {
			f.until = f.clock.Now().Add(f.Away)
		}
	}
	return f.clock.Now().Before(f.until)
}

func writeAPIError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"message":"`+message+`"}`) // the client closed the connection
}
