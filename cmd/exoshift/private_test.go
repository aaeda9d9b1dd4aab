package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
)

// A bucket opened by a foreign policy would disclose the cluster's keys.
func TestPreflight_PublicBootstrapConfigRemoved(t *testing.T) {
	long(t)
	t.Parallel()
	open := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stranger := r.Header.Get("Authorization") == "" && r.URL.RawQuery == ""
			if stranger && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/bootstrap.ign") {
				_, _ = w.Write([]byte(`{"ignition":{"version":"3.2.0"}}`))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	virtuallyIn(t, circumstances{middleware: open}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		_, err := finish(t, s)
		if exit.Code(err) != exit.Infra || !strings.Contains(err.Error(), "without a signature") || !strings.Contains(fault.HintOf(err), "c-demo-1-bootstrap") {
			t.Errorf("%v\n%s", err, fault.HintOf(err))
		}
		if there := belongings(t, s); slices.Contains(there, "bucket c-demo-1-bootstrap") || slices.Contains(there, "instance bootstrap") {
			t.Errorf("still there: %v", there)
		}
	})
}
