package provisioner_test

import (
	"testing"

	"exoshift/provisioner"
)

func TestLastStates_ReportsChanges(t *testing.T) {
	var states provisioner.LastStates
	for n, c := range []struct {
		thing, state string
		isNew        bool
	}{
		{"etcd", "", false}, {"etcd", "1 member", true}, {"etcd", "1 member", false}, {"node", "1 member", true}, {"etcd", "2 members", true}, {"etcd", "1 member", true},
	} {
		if got := states.Update(c.thing, c.state); got != c.isNew {
			t.Errorf("%d: %s is %q: new %t", n, c.thing, c.state, got)
		}
	}
	if got := states.Get("etcd"); got != "1 member" {
		t.Errorf("last state %q", got)
	}
}
