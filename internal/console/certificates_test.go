package console

import (
	"testing"
	"time"

	"exoshift/state"
)

func TestFormatCertificates_UntilInstalled(t *testing.T) {
	now := time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC)
	for want, facts := range map[string]state.Facts{
		"": {},
		"23h41m left, until 2026-05-05 13:41 UTC": {IgnitionExpires: now.Add(23*time.Hour + 41*time.Minute)},
		"ended at 2026-05-04 13:59 UTC":           {IgnitionExpires: now.Add(-time.Minute)},
	} {
		if got := formatCertificates(facts, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		facts.BootstrapRemoved = now
		if got := formatCertificates(facts, now); got != "" {
			t.Errorf("afterwards: %q", got)
		}
	}
}
