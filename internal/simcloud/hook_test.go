package simcloud

import (
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestMiddlewareSeesEveryRequestToTheCloudAndNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen atomic.Pointer[string]
		o := open(t, Options{Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.Store(new(r.Host))
				next.ServeHTTP(w, r)
			})
		}})
		defer o.close()
		for _, host := range []string{"api-ch-gva-2.exoscale.com", "sos-ch-gva-2.exo.io", "mirror.openshift.com"} {
			seen.Store(new(""))
			o.get("https://" + host + "/v2/zone")
			if got, want := *seen.Load(), strings.TrimPrefix(host, "mirror.openshift.com"); got != want {
				t.Errorf("%s: the middleware saw %q", host, got)
			}
		}
	})
}

func TestLatencyDelaysEachAnswerOfTheAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Latency: 700 * time.Millisecond})
		defer o.close()
		began := time.Now()
		o.get("https://api-ch-gva-2.exoscale.com/v2/zone")
		if took := time.Since(began); took != 700*time.Millisecond {
			t.Errorf("the answer took %s", took)
		}
	})
}

func TestQuotasOverrideThoseOfTheScenario(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: quota, Quotas: map[string]int{"elastic-ip": 1, "instance": 3}})
		defer o.close()
		limits, err := o.Quotas(t.Context())
		o.must(err)
		want := map[string]int{"elastic-ip": 1, "instance": 3}
		got := map[string]int{}
		for _, limit := range limits {
			if _, ok := want[limit.Resource]; ok {
				got[limit.Resource] = limit.Limit
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("limits %v, not %v", got, want)
		}
	})
}
