package install

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
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

// ledger notes the records that are made.
type ledger struct {
	Cloud
	made []string
}

func (*ledger) DeleteRecords(context.Context, string, string, string, func(string) bool) (state.Action, error) {
	return state.Found, nil
}

func (l *ledger) EnsureRecord(_ context.Context, _ string, r state.Record) (state.Action, error) {
	l.made = append(l.made, r.Name+" "+r.Type+" "+r.Content)
	return state.Created, nil
}

func TestTheAccountAtACMEIsWaitedForAsLongAsApplicationsComeOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := connectedTo(t, &SynWorld{Cluster: crawling{began: time.Now()}}, Options{})
		records := &ledger{}
		i.world.Cloud = records
		if err := i.acme()(t.Context(), unheard); err != nil || len(records.made) != 2 {
			t.Errorf("made %q: %v", records.made, err)
		}
	})
}
