package simcloud

import (
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud/vm"
	"exoshift/state"
)

// records returns the names of the zone's records without system records.
func (o *operator) records(zone string) []string {
	var names []string
	for _, z := range o.api.Zones() {
		for _, r := range z.Records {
			if z.Name == zone && r.Type != "NS" && r.Type != "SOA" {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

func TestFaults_VanishedNamesRestorable(t *testing.T) {
	for scenario, c := range map[string]struct {
		machine string
		left    int // of four records
	}{"api-name-missing": {"bootstrap", 2}, "routes-unreachable": {"worker-a1b2", 3}} {
		t.Run(scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{Scenario: scenario})
				defer o.close()
				zone, _, err := o.EnsureZone(t.Context(), "c-1.example.net")
				o.must(err)
				put := func() {
					for _, name := range []string{"api", "api-int", "ingress", "*.apps"} {
						_, err := o.EnsureRecord(t.Context(), zone.ID, state.Record{Name: name, Type: "A", Content: "198.19.0.1", TTL: 60})
						o.must(err)
					}
				}
				check := func(want int) {
					t.Helper()
					synctest.Wait()
					if got := o.records(zone.Name); len(got) != want {
						t.Errorf("records: %q, want %d", got, want)
					}
				}
				put()
				group := o.group("all")
				o.ubuntu("lb-0", group, nil)
				check(4)
				o.ubuntu(c.machine, group, nil)
				check(c.left)
				put()
				o.ubuntu(c.machine+"-2", group, nil)
				check(4)
			})
		})
	}
}

func TestFaults_LoadBalancersCloseWithBootstrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: "load-balancer-blocked"})
		defer o.close()
		group := state.SecurityGroup{Name: "c-1_load_balancers", Rules: []state.Rule{
			{Protocol: "tcp", From: 6443, To: 6443, CIDR: "0.0.0.0/0"}, {Protocol: "tcp", From: 443, To: 443, CIDR: "0.0.0.0/0"},
		}}
		id, _, err := o.EnsureSecurityGroup(t.Context(), group)
		o.must(err)
		o.ubuntu("bootstrap", id, nil)
		synctest.Wait()
		missing, err := o.ListMissingRules(t.Context(), group)
		o.must(err)
		if len(missing) != 1 || missing[0].From != 6443 {
			t.Errorf("missing rules: %v", missing)
		}
	})
}

func TestFaults_SuccessorsBoot(t *testing.T) {
	for scenario, silent := range map[string]map[string]bool{
		"bootstrap-silent": {"bootstrap": true, "master-0": false, "worker-1": false},
		"masters-silent":   {"bootstrap": false, "master-0": true, "master-2": true, "worker-1": false},
	} {
		t.Run(scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{Scenario: scenario})
				defer o.close()
				for name, want := range silent {
					first, second := vm.Instance{ID: "1/" + name, Name: name}, vm.Instance{ID: "2/" + name, Name: name}
					for range 2 {
						if got := o.faults.hasBootFault(first); got != want {
							t.Errorf("%s: broken is %v", name, got)
						}
					}
					if o.faults.hasBootFault(second) {
						t.Errorf("the second %s is broken, too", name)
					}
				}
			})
		})
	}
}
