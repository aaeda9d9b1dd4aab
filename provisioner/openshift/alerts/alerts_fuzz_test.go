package alerts

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzDecodeAlerts decodes responses of Alertmanager with arbitrary alerts.
func FuzzDecodeAlerts(f *testing.F) {
	for _, seed := range []string{
		`[{"labels": {"alertname": "Watchdog", "severity": "none"}}, {"labels": {"alertname": "A\u001b[2J", "severity": "critical"}, "annotations": {"summary": "s", "description": "d"}, "startsAt": "2026-05-04T14:02:00Z"}]`,
		`[{"status": {"state": "suppressed", "silencedBy": ["x"]}}, null]`, "[" + strings.Repeat("{},", 600) + "{}]", "{}", "null", "", "<html>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		alerts, err := decodeAlerts(content)
		if len(alerts) > maxAlerts || err != nil && alerts != nil {
			t.Fatalf("%d alerts, %v", len(alerts), err)
		}
		for i, alert := range alerts {
			if strings.ContainsFunc(alert.Name+alert.Severity+alert.Namespace+alert.Summary, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("%+v is told", alert)
			}
			if i > 0 && computeUrgency(alerts[i-1]) > computeUrgency(alert) {
				t.Fatalf("%+v stands before %+v", alerts[i-1], alert)
			}
		}
	})
}
