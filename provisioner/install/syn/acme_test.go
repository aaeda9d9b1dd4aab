package syn

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// crawling is a cluster that gets an application every ten minutes, and after most of an hour its account at acme-dns.
type crawling struct {
	GitOps
	began time.Time
}

func (c crawling) Synthesis(context.Context) (state.Synthesis, error) {
	var seen state.Synthesis
	for n := range int(time.Since(c.began) / (10 * time.Minute)) {
		seen.Applications = append(seen.Applications, state.ApplicationStatus{Name: fmt.Sprint("a", n), Sync: "Synced", Health: "Healthy"})
	}
	return seen, nil
}

func (c crawling) ACMERegistration(context.Context) (state.ACMERegistration, error) {
	if time.Since(c.began) < 50*time.Minute {
		return state.ACMERegistration{}, fault.Newf(fault.Transient, "read", "it does not exist yet")
	}
	return state.ACMERegistration{FullDomain: "x.acme-dns.example.net"}, nil
}

func TestTheAccountAtACMEIsWaitedForAsLongAsApplicationsComeOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connectedTo(t, &World{Cluster: crawling{began: time.Now()}}, Installation{})
		var made []string
		c.Alias = func(_ context.Context, _ provisioner.Report, name, to string) error {
			made = append(made, name+" "+to)
			return nil
		}
		if err := c.acme()(t.Context(), unheard); err != nil || len(made) != 2 {
			t.Errorf("made %q: %v", made, err)
		}
	})
}
