package lieutenant_test

import (
	"net"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

const (
	zoneAPI    = "https://api.syn.vshn.net"
	zoneTenant = "t-quiet-harbour-4711"
)

func inZone(t *testing.T, test func(t *testing.T, zone *simcloud.Zone)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		zone, err := simcloud.Open(t.Context(), simcloud.Options{Zone: "ch-gva-2", Key: "EXOkey", Secret: "very-secret-value"})
		must(t, err)
		defer func() { must(t, zone.Close()) }()
		test(t, zone)
	})
}

func sources(zone *simcloud.Zone) signin.Options {
	return signin.Options{
		Network: zone.Network(), API: zoneAPI, Services: lieutenant.New(zone.Network(), zoneAPI, nil).Discover,
		Listen: func() (net.Listener, error) { return zone.Listen(18000) },
	}
}

func TestZone_RegistersCluster(t *testing.T) {
	inZone(t, func(t *testing.T, zone *simcloud.Zone) {
		client := lieutenant.New(zone.Network(), zoneAPI+"/", signin.New(sources(zone)))
		if _, err := client.ListTenants(t.Context()); !fault.Is(err, fault.Denied) {
			t.Errorf("nobody has signed in: %v", err)
		}
		must(t, client.SignIn(t.Context(), zone.SignIn))
		tenants, err := client.ListTenants(t.Context())
		must(t, err)
		if len(tenants) < 2 {
			t.Errorf("tenants %v", tenants)
		}
		tenant, err := client.GetTenant(t.Context(), zoneTenant)
		must(t, err)
		if tenant.DisplayName != "Harbour Ltd" || tenant.Config.URL == "" {
			t.Errorf("%+v", tenant)
		}
		facts := map[string]string{"distribution": "openshift4", "cloud": "exoscale", "region": "ch-gva-2"}
		wanted := state.SynCluster{ID: "c-demo-1", Tenant: zoneTenant, DisplayName: "Demo", Facts: facts}
		made, action, err := client.EnsureCluster(t.Context(), wanted)
		must(t, err)
		if action != state.Created || made.Catalog.URL == "" || made.Facts["cloud"] != "exoscale" {
			t.Errorf("%s %+v", action, made)
		}
		if _, action, err = client.EnsureCluster(t.Context(), wanted); action != state.Found || err != nil {
			t.Errorf("again: %s, %v", action, err)
		}
		wanted.Tenant = "t-other-hill-0815"
		_, _, err = client.EnsureCluster(t.Context(), wanted)
		checkFault(t, "of another tenant", err, fault.Conflict, "t-other-hill-0815", zoneTenant)
		handOver(t, client)
	})
}

func handOver(t *testing.T, client *lieutenant.Client) {
	t.Helper()
	action, err := client.EnsureDynamicFacts(t.Context(), "c-demo-1", map[string]any{"openshiftVersion": map[string]any{"Major": "4", "Minor": "21"}})
	if action != state.Updated || err != nil {
		t.Errorf("%s, %v", action, err)
	}
	found, err := client.GetCluster(t.Context(), "c-demo-1")
	must(t, err)
	manifest, err := client.FetchInstallManifest(t.Context(), found.InstallURL)
	if len(manifest) == 0 || err != nil {
		t.Errorf("no manifest: %v", err)
	}
	_, err = client.FetchInstallManifest(t.Context(), found.InstallURL)
	checkFault(t, "the second time", err, fault.Conflict, "used or", "reset")
	if action, err := client.DeleteCluster(t.Context(), "c-demo-1"); action != state.Deleted || err != nil {
		t.Errorf("%s, %v", action, err)
	}
	if _, err := client.GetCluster(t.Context(), "c-demo-1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("it still exists: %v", err)
	}
}

func TestZone_GivenTokenAndDevice(t *testing.T) {
	inZone(t, func(t *testing.T, zone *simcloud.Zone) {
		given := sources(zone)
		given.Given = zone.Credentials().APIToken
		elsewhere := sources(zone)
		elsewhere.Listen = nil
		for name, options := range map[string]signin.Options{"by token": given, "from elsewhere": elsewhere} {
			client := lieutenant.New(zone.Network(), zoneAPI, signin.New(options))
			must(t, client.SignIn(t.Context(), zone.SignIn))
			if _, err := client.GetTenant(t.Context(), zoneTenant); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		given.Given = "nonsense"
		client := lieutenant.New(zone.Network(), zoneAPI, signin.New(given))
		_, err := client.GetTenant(t.Context(), zoneTenant)
		checkFault(t, "nonsense", err, fault.Denied, zoneAPI)
	})
}

func TestZone_RenewsTokenAfterHour(t *testing.T) {
	inZone(t, func(t *testing.T, zone *simcloud.Zone) {
		client := lieutenant.New(zone.Network(), zoneAPI, signin.New(sources(zone)))
		must(t, client.SignIn(t.Context(), zone.SignIn))
		for range 3 {
			must(t, zone.Network().Clock.Sleep(t.Context(), 1200e9))
			if _, err := client.GetTenant(t.Context(), zoneTenant); err != nil {
				t.Error(err)
			}
		}
	})
}
