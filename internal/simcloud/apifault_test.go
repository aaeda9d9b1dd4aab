package simcloud

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

func TestAPIFault_FirstMatchingRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events, err := store.Load[bool](store.NewMemory(), "zone/event")
		if err != nil {
			t.Fatal(err)
		}
		injected := scenario.API{RetryAfter: 5 * time.Second, Away: time.Minute, AwayMachines: 1}
		served := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
		f := newAPIFault(injected, network.Clock{}, events).wrap(served)
		for i, c := range []struct {
			call, body string
			want       int
			after      time.Duration
		}{
			{"GET /v2/zone", "", 200, 0},
			{"POST /v2/instance", "a", 429, 0}, {"POST /v2/instance", "b", 503, 0}, // the second machine
			{"GET /v2/zone", "", 503, 59 * time.Second}, {"POST /v2/instance", "a", 200, 2 * time.Second},
			{"POST /v2/instance", "b", 429, 0}, {"POST /v2/instance", "b", 200, 0}, {"POST /v2/instance", "b", 200, 0},
		} {
			time.Sleep(c.after)
			method, path, _ := strings.Cut(c.call, " ")
			answer := httptest.NewRecorder()
			f.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader(c.body)))
			if answer.Code != c.want || (c.want == 429) != (answer.Header().Get("Retry-After") == "5") {
				t.Errorf("%d: %s %s: %d, Retry-After %q, want %d", i, c.call, c.body, answer.Code, answer.Header().Get("Retry-After"), c.want)
			}
		}
	})
}
