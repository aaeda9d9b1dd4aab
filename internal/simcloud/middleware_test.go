package simcloud

import (
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/mirror"
)

func TestMiddleware_CloudRequestsOnly(t *testing.T) {
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

func TestMiddleware_AltersDownloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Mirror: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Host != "github.com" {
					next.ServeHTTP(w, r)
					return
				}
				_, _ = w.Write([]byte("<html>Please sign in</html>"))
			})
		}})
		defer o.close()
		if got := o.get("https://github.com/okd-project/okd/releases/download/4.20.0-okd-scos.1/sha256sum.txt"); !strings.HasPrefix(got, "<html>") {
			t.Errorf("spoiled: %s", got)
		}
		if got := o.get("https://mirror.openshift.com/pub/openshift-v4/x86_64/clients/ocp/stable-4.20/release.txt"); !strings.Contains(got, "4.20.5") {
			t.Errorf("not spoiled: %s", got)
		}
	})
}

func TestMirror_OKDRedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		if got := o.get("https://github.com/okd-project/okd/releases/download/4.20.0-okd-scos.1/sha256sum.txt"); !strings.Contains(got, "openshift-install-linux-4.20.0-okd-scos.1.tar.gz") {
			t.Errorf("sums: %s", got)
		}
		if got := o.get(mirror.ImageURL("4.19.0-okd-scos.1")); !strings.HasPrefix(got, "\x1f\x8b") {
			t.Errorf("no boot image of OKD 4.19: %.100s", got)
		}
	})
}

func TestLatency_DelaysAPIAnswers(t *testing.T) {
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

func TestQuotas_OverrideScenario(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: "quota", Quotas: map[string]int{"elastic-ip": 1, "instance": 3}})
		defer o.close()
		limits, err := o.ListQuotas(t.Context())
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
