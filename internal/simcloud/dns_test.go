package simcloud

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
	"exoshift/state"
)

const domain = "c-1.example.net"

func exoscaleServers() []string {
	return []string{"ns1.exoscale.ch", "ns1.exoscale.com", "ns1.exoscale.io", "ns1.exoscale.net"}
}

// zoneOf makes a DNS zone with a record.
func (o *operator) zoneOf(name string) state.Zone {
	o.t.Helper()
	zone, _, err := o.EnsureZone(o.t.Context(), name)
	o.must(err)
	_, err = o.EnsureRecord(o.t.Context(), zone.ID, state.Record{Name: "api", Type: "A", Content: "198.19.0.1", TTL: 60})
	o.must(err)
	synctest.Wait() // until the registrar has recorded the zone
	return zone
}

func (o *operator) delegation(of string) network.Delegation {
	o.t.Helper()
	found, err := network.NewNameServers(o.Network()).FindDelegation(o.t.Context(), of)
	o.must(err)
	return found
}

func misspelt() []string {
	return []string{"ns1.exoscale.ch", "ns1.exoscale.com", "ns1.exoscale.io", "ns1.exoscale.org"}
}

func TestRegistrar_DelegatesNewZone(t *testing.T) {
	for name, test := range map[string]struct {
		after   time.Duration
		servers []string
	}{
		"happy":            {30 * time.Second, exoscaleServers()},
		"late-dns":         {20 * time.Minute, exoscaleServers()},
		"no-delegation":    {24 * time.Hour, nil},
		"wrong-delegation": {30 * time.Second, misspelt()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chosen, err := scenario.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				human, err := newRegistrar(store.NewMemory(), network.Clock{}, chosen.Fault.Delegation)
				if err != nil {
					t.Fatal(err)
				}
				zone := names.Zone{Name: domain}
				for _, server := range exoscaleServers() {
					zone.Records = append(zone.Records, names.Record{Name: domain, Type: "NS", Content: server})
				}
				if err := human.recordZones([]names.Zone{zone}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(test.after - time.Second)
				if got := human.listDelegations(); len(got) != 0 {
					t.Errorf("delegated early: %v", got)
				}
				time.Sleep(time.Second)
				var want []names.Delegation
				if test.servers != nil {
					want = []names.Delegation{{Zone: domain, Servers: test.servers}}
				}
				if diff := cmp.Diff(want, human.listDelegations()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestDNS_RequiresCorrectDelegation(t *testing.T) {
	for scenario, servers := range map[string][]string{"happy": exoscaleServers(), "no-delegation": nil, "wrong-delegation": misspelt()} {
		t.Run(scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{Scenario: scenario})
				defer o.close()
				o.zoneOf(domain)
				time.Sleep(time.Hour)
				want := network.Delegation{
					Parent: "example.net", Asked: []string{"ns1.registry.example", "ns2.registry.example"}, Servers: servers,
				}
				if diff := cmp.Diff(want, o.delegation(domain)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if _, err := o.Network().Lookup(t.Context(), "api."+domain); (scenario == "happy") != (err == nil) {
					t.Errorf("lookup: %v", err)
				}
			})
		})
	}
}

func TestDNS_ServersAnswerBeforeDelegation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: "no-delegation"})
		defer o.close()
		for _, server := range o.zoneOf(domain).NameServers {
			got, err := network.NewNameServers(o.Network()).QueryAddresses(t.Context(), server, "api."+domain)
			if err != nil || len(got) != 1 || got[0].String() != "198.19.0.1" {
				t.Errorf("%s: %v, %v", server, got, err)
			}
		}
	})
}

func TestRegistrar_RemovesDelegation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		zone := o.zoneOf(domain)
		time.Sleep(time.Minute)
		_, err := o.Delete(t.Context(), state.Object{Kind: state.KindZone, ID: zone.ID, Name: zone.Name})
		o.must(err)
		synctest.Wait()
		if got := o.delegation(domain); len(got.Servers) != 0 {
			t.Errorf("still delegated: %+v", got)
		}
	})
}

func TestDNS_DelegationByParentRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		above := o.zoneOf("example.net")
		o.zoneOf(domain)
		time.Sleep(time.Hour)
		want := network.Delegation{Parent: "example.net", Asked: exoscaleServers()}
		if diff := cmp.Diff(want, o.delegation(domain)); diff != "" {
			t.Errorf("before (-want +got):\n%s", diff)
		}
		for _, server := range exoscaleServers() {
			_, err := o.EnsureRecord(t.Context(), above.ID, state.Record{Name: "c-1", Type: "NS", Content: server, TTL: 3600})
			o.must(err)
		}
		want.Servers = exoscaleServers()
		if diff := cmp.Diff(want, o.delegation(domain)); diff != "" {
			t.Errorf("after (-want +got):\n%s", diff)
		}
		if _, err := o.Network().Lookup(t.Context(), "api."+domain); err != nil {
			t.Error(err)
		}
	})
}

func TestDNS_DelegationsPersist(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Dir: dir, Speed: 10, Scenario: "late-dns"})
		o.zoneOf(domain)
		o.must(o.Network().Clock.Sleep(t.Context(), 10*time.Minute))
		o.close()
		o = open(t, Options{Dir: dir, Speed: 10, Scenario: "late-dns"})
		defer o.close()
		if got := o.delegation(domain); len(got.Servers) != 0 {
			t.Errorf("delegated early: %+v", got)
		}
		for range 20 {
			o.must(o.Network().Clock.Sleep(t.Context(), time.Minute))
			if len(o.delegation(domain).Servers) > 0 {
				return
			}
		}
		t.Errorf("the human forgot it: %+v", o.delegation(domain))
	})
}

func TestDNS_NegativeCachePerResolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{Scenario: "late-dns"})
		defer o.close()
		o.zoneOf(domain)
		machines := o.platform.Network(nil)
		time.Sleep(15 * time.Minute)
		if _, err := o.Network().Lookup(t.Context(), "api."+domain); err == nil {
			t.Fatal("resolved before the delegation")
		}
		time.Sleep(6 * time.Minute)
		if _, err := machines.Lookup(t.Context(), "api."+domain); err != nil {
			t.Errorf("the machines' resolver was not asked, and says %v", err)
		}
		if _, err := o.Network().Lookup(t.Context(), "api."+domain); err == nil {
			t.Error("the operator's resolver forgot its answer")
		}
		if _, err := o.Network().Dial(t.Context(), "tcp", "api."+domain+":443"); err == nil {
			t.Error("a connection was made to a name that does not resolve")
		}
		time.Sleep(9 * time.Minute)
		if _, err := o.Network().Lookup(t.Context(), "api."+domain); err != nil {
			t.Errorf("a quarter of an hour later: %v", err)
		}
	})
}

func TestDNS_ResolverOverHTTPS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		o.zoneOf(domain)
		time.Sleep(time.Minute)
		world := o.Network()
		client := world.NewClient()
		defer client.CloseIdleConnections()
		world.Resolver = network.NewHTTPSResolver(client, network.PublicResolver())
		found, err := network.NewNameServers(world).FindDelegation(t.Context(), domain)
		if err != nil || !slices.Equal(found.Servers, exoscaleServers()) {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
