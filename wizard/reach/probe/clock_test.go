package probe

import (
	"net/http"
	"testing"
	"time"

	"exoshift/wizard/reach"
)

func TestProbe_WrongClockFailsSignedRequests(t *testing.T) {
	for group, reached := range map[string]bool{"exoscale": false, "redhat": true} {
		t.Run(group, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.site(service, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Date", time.Now().Add(17*time.Minute).UTC().Format(http.TimeFormat))
				})
				found := l.probe(reach.Check{URL: "https://" + service, Group: group})
				if found.Class != reach.ClockSkew || found.IsReached() != reached {
					t.Errorf("reached: %v, %+v", found.IsReached(), found)
				}
			})
		})
	}
}
