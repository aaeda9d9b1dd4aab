package network

import (
	"context"
	"slices"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

// ledger is a zone's records of one name, by their targets.
type ledger struct {
	Cloud
	leads []string
}

func (l *ledger) DeleteRecords(_ context.Context, _, _, _ string, useless func(string) bool) (state.Action, error) {
	l.leads = slices.DeleteFunc(l.leads, useless)
	return state.Deleted, nil
}

func (l *ledger) EnsureRecord(_ context.Context, _ string, r state.Record) (state.Action, error) {
	if !slices.Contains(l.leads, r.Content) && r.Type == "CNAME" {
		l.leads = append(l.leads, r.Content)
	}
	return state.Created, nil
}

func TestEnsureAlias_HasSingleTarget(t *testing.T) {
	t.Parallel()
	zone := &ledger{leads: []string{"old.example.net", "other.example.net."}}
	dns := NewDNS(state.Spec{}, zone, nil)
	for range 2 {
		if err := dns.EnsureAlias(t.Context(), func(provisioner.Event) {}, "_acme-challenge.api", "new.example.net"); err != nil || !slices.Equal(zone.leads, []string{"new.example.net"}) {
			t.Errorf("it leads to %q: %v", zone.leads, err)
		}
	}
}
