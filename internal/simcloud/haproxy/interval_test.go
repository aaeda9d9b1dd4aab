package haproxy

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A server that is up or down is checked at its own interval, and faster while it changes from one to the other.
func TestServer_CheckIntervalByState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTestbed(t)
		var mu sync.Mutex
		var at []time.Duration
		status, began := http.StatusOK, time.Now()
		b.web(b.host("198.18.0.4"), 6443, "etcd-0", true, func() int {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began))
			return status
		})
		b.point("etcd-0.test", "198.18.0.4")
		defer b.start(strings.Replace(config, "inter 5s", "inter 10s fastinter 2s downinter 5s", 1))()
		intervals := func() (between []time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			for i := range at[1:] {
				between = append(between, (at[i+1] - at[i]).Round(time.Second))
			}
			return between
		}
		change := func(to int) {
			mu.Lock()
			defer mu.Unlock()
			status, at = to, at[len(at)-1:]
		}
		time.Sleep(time.Minute)
		change(http.StatusInternalServerError)
		time.Sleep(30 * time.Second)
		const s = time.Second
		if want, got := []time.Duration{10 * s, 2 * s, 2 * s, 5 * s}, intervals(); !slices.Equal(got[:min(4, len(got))], want) {
			t.Errorf("a server that begins to fail is checked after %v, want %v", got, want)
		}
		change(http.StatusOK)
		time.Sleep(30 * time.Second)
		if want, got := []time.Duration{5 * s, 2 * s, 10 * s}, intervals(); !slices.Equal(got[:min(3, len(got))], want) {
			t.Errorf("a server that works again is checked after %v, want %v", got, want)
		}
	})
}
