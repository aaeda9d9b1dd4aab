package openshift_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"

	"github.com/google/go-cmp/cmp"
)

const alertsHost = "alertmanager-main-openshift-monitoring.apps.c1.example.net"

// alerted is a cluster whose routers serve the alerts with answer; published: it publishes their CA.
func alerted(t *testing.T, published bool, answer http.HandlerFunc) *rehearsal {
	t.Helper()
	r := rehearse(t)
	routers := authority(t)
	r.names[alertsHost] = netip.MustParseAddr("192.0.2.80")
	host, err := r.zone.AddHost(r.names[alertsHost])
	if err != nil {
		t.Fatal(err)
	}
	r.listen(t, host, 443, r.certificate(t, routers, alertsHost), answer)
	r.put(t, "serviceaccounts", "openshift-monitoring", named("prometheus-k8s"))
	r.put(t, "routes.route.openshift.io", "openshift-monitoring", object(t, "alertmanager-main",
		`{"status": {"ingress": [{"host": "`+alertsHost+`", "conditions": [{"type": "Admitted", "status": "True"}]}]}}`))
	if published {
		r.put(t, "configmaps", "openshift-config-managed", with(named("default-ingress-cert"), "data", map[string]any{"ca-bundle.crt": string(routers.CertPEM())}))
	}
	return r
}

func TestListAlerts_ExpectedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := alerted(t, true, func(w http.ResponseWriter, q *http.Request) {
			if got := q.Header.Get("Authorization"); got != "Bearer token of openshift-monitoring/prometheus-k8s" || q.URL.Path != "/api/v2/alerts" {
				t.Errorf("%s with %q", q.URL, got)
			}
			_, _ = io.WriteString(w, `[
				{"labels": {"alertname": "Watchdog", "severity": "none"}, "startsAt": "2026-01-02T03:04:05Z", "status": {"state": "active"}},
				{"labels": {"alertname": "UpdateAvailable", "severity": "info"}, "annotations": {"summary": "newer", "description": "much newer"}, "status": {"state": "active"}},
				{"labels": {"alertname": "Quiet", "severity": "critical"}, "status": {"state": "suppressed", "silencedBy": ["a"]}},
				{"labels": {"alertname": "Small", "severity": "info", "namespace": "a"}, "annotations": {"description": "a\u001b[2Jb"}, "status": {"state": "active"}},
				{"labels": {"alertname": "Big", "severity": "critical"}, "annotations": {"summary": "Big.", "description": "Of a/b."}, "status": {"state": "suppressed", "inhibitedBy": ["a"]}}]`)
		})
		alerts, err := r.ListAlerts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, alert := range alerts {
			got = append(got, fmt.Sprintf("%s %s %q %t %t", alert.Name, alert.Severity, alert.Summary, alert.Silenced, alert.Known != ""))
		}
		want := []string{`Big critical "Big. Of a/b." false false`, `Small info "ab" false false`, `Quiet critical "" true false`,
			`UpdateAvailable info "newer" false true`, `Watchdog none "" false true`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if since := alerts[4].Since.UTC().Format("2006-01-02 15:04"); since != "2026-01-02 03:04" {
			t.Errorf("since %s", since)
		}
	})
}

func TestListAlerts_RefusesForeignAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := alerted(t, false, func(http.ResponseWriter, *http.Request) {
			t.Error("the token was shown to somebody who is not trusted")
		})
		if _, err := r.ListAlerts(t.Context()); !fault.Is(err, fault.Transient) || !strings.Contains(err.Error(), "TLS") {
			t.Errorf("got %v", err)
		}
	})
}

func TestListAlerts_FailureReason(t *testing.T) {
	for name, test := range map[string]struct {
		code int
		body string
		kind fault.Kind
	}{
		"it does not run":    {http.StatusServiceUnavailable, "<html>very-secret", fault.Transient},
		"it refuses":         {http.StatusForbidden, "very-secret", fault.Denied},
		"it leads elsewhere": {http.StatusFound, "", fault.Internal},
		"it is another":      {http.StatusOK, "<html>very-secret", fault.Internal},
		"it has none":        {http.StatusOK, "[]", -1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := alerted(t, true, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Location", "https://"+apiName+":6443/")
					w.WriteHeader(test.code)
					_, _ = io.WriteString(w, test.body)
				})
				alerts, err := r.ListAlerts(t.Context())
				if test.kind < 0 {
					if err != nil || len(alerts) != 0 {
						t.Errorf("%v, %v", alerts, err)
					}
					return
				}
				if !fault.Is(err, test.kind) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "token of") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestListAlerts_WaitsForAlertmanager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		for _, prepare := range []func(){
			func() {},
			func() {
				r.put(t, "routes.route.openshift.io", "openshift-monitoring", object(t, "alertmanager-main", `{"status": {"ingress": [{"host": "a.example",
					"conditions": [{"type": "Admitted", "status": "True"}]}]}}`))
			},
			func() { r.put(t, "serviceaccounts", "openshift-monitoring", named("prometheus-k8s")) },
		} {
			prepare()
			if alerts, err := r.ListAlerts(t.Context()); !fault.Is(err, fault.Transient) {
				t.Errorf("%v, %v", alerts, err)
			}
		}
	})
}
