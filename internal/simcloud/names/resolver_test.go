package names

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

func TestResolver_Lookup(t *testing.T) {
	for name, want := range map[string][]netip.Addr{
		"mirror.openshift.com":           {address("203.0.113.30")},
		"API.c-1.example.net.":           {address("198.19.0.1")},
		"api-int.c-1.example.net":        {address("198.19.0.1")},
		"apex.c-1.example.net":           {address("198.19.0.1")},
		"router.c-1.example.net":         {address("198.18.0.9"), address("198.18.0.8")},
		"console.apps.c-1.example.net":   {address("198.19.0.2")},
		"a.b.apps.c-1.example.net":       {address("198.19.0.2")},
		"out.c-1.example.net":            {address("203.0.113.30")},
		"nowhere.c-1.example.net":        nil,
		"void.c-1.example.net":           nil,
		"x.api.c-1.example.net":          nil,
		"apps.c-1.example.net":           nil, // exists only through the names below it
		"_acme.c-1.example.net":          nil,
		"nowhere.test":                   nil,
		"test":                           nil,
		"console.apps2.c-1.example.net.": nil,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := cluster().resolver().Lookup(t.Context(), name)
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
			if want == nil && !missing(err) {
				t.Errorf("error = %v, want not found", err)
			}
		})
	}
}

func missing(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsNotFound
}

func lame(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsTemporary && !e.IsNotFound
}

func TestResolver_RequiresExactDelegation(t *testing.T) {
	for name, test := range map[string]struct {
		delegated []Delegation
		judge     func(error) bool
	}{
		"none":             {nil, missing},
		"of another zone":  {[]Delegation{{"c-2.example.net", servers()}}, missing},
		"one server wrong": {[]Delegation{{"c-1.example.net", []string{"ns1.exoscale.com", "ns1.exoscale.org"}}}, lame},
		"one server less":  {[]Delegation{{"c-1.example.net", []string{"ns1.exoscale.com"}}}, lame},
		"exact":            {[]Delegation{{"c-1.example.net", servers()}}, func(err error) bool { return err == nil }},
	} {
		t.Run(name, func(t *testing.T) {
			world := cluster()
			world.delegated = test.delegated
			if _, err := world.resolver().Lookup(t.Context(), "api.c-1.example.net"); !test.judge(err) {
				t.Errorf("error = %v", err)
			}
		})
	}
	t.Run("to a zone that is gone", func(t *testing.T) {
		world := cluster()
		world.zones = nil
		if _, err := world.resolver().Lookup(t.Context(), "api.c-1.example.net"); !lame(err) {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("into a loop", func(t *testing.T) {
		if _, err := cluster().resolver().Lookup(t.Context(), "loop.c-1.example.net"); !lame(err) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestResolver_ParentZoneOnSameServer(t *testing.T) {
	world := cluster()
	world.delegated = []Delegation{{Zone: "example.net", Servers: servers()}}
	world.zones = append(world.zones, hold("example.net", Record{Name: "*.example.net", Type: "A", Content: "203.0.113.99"}))
	got, err := world.resolver().Lookup(t.Context(), "api.c-1.example.net")
	if err != nil || got[0] != address("203.0.113.99") {
		t.Errorf("without NS records: %v, %v, want the wildcard above", got, err)
	}
	above := &world.zones[1]
	for _, server := range servers() {
		above.Records = append(above.Records, Record{Name: "c-1.example.net", Type: "NS", Content: server, TTL: 60})
	}
	got, err = world.resolver().Lookup(t.Context(), "api.c-1.example.net")
	if err != nil || got[0] != address("198.19.0.1") {
		t.Errorf("with NS records: %v, %v", got, err)
	}
	if _, err := world.resolver().Lookup(t.Context(), "nowhere.c-1.example.net"); !missing(err) {
		t.Errorf("the wildcard above reaches into the zone: %v", err)
	}
}

// remembered returns how long a name's outdated response stays in the cache.
func remembered(t *testing.T, resolver *Resolver, name string, change func()) time.Duration {
	t.Helper()
	before, beforeErr := resolver.Lookup(t.Context(), name)
	change()
	for began := time.Now(); time.Since(began) < 2*time.Hour; time.Sleep(time.Second) {
		after, err := resolver.Lookup(t.Context(), name)
		if (err == nil) != (beforeErr == nil) || err == nil && after[0] != before[0] {
			return time.Since(began)
		}
	}
	return -1
}

func TestResolver_CachesForTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := cluster()
		got := remembered(t, world.resolver(), "api-int.c-1.example.net", func() { world.zones[0].Records[3].Content = "198.19.0.7" })
		if got != time.Minute {
			t.Errorf("remembered for %s", got)
		}
	})
}

func TestResolver_NegativeCacheTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := cluster()
		missing := Record{Name: "late.c-1.example.net", Type: "A", Content: "198.19.0.7", TTL: 60}
		got := remembered(t, world.resolver(), missing.Name, func() { world.zones[0].Records = append(world.zones[0].Records, missing) })
		if got != 5*time.Minute {
			t.Errorf("a name missing in Exoscale's zone is remembered for %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		world := cluster()
		done := world.delegated
		world.delegated = nil
		got := remembered(t, world.resolver(), "api.c-1.example.net", func() { world.delegated = done })
		if got != 15*time.Minute {
			t.Errorf("a name that was asked for before its delegation is remembered for %s", got)
		}
	})
}

func TestResolver_CachesAreSeparate(t *testing.T) {
	world := cluster()
	done := world.delegated
	world.delegated = nil
	hasty, patient := world.resolver(), world.resolver()
	_, _ = hasty.Lookup(t.Context(), "api.c-1.example.net")
	world.delegated = done
	if _, err := hasty.Lookup(t.Context(), "api.c-1.example.net"); !missing(err) {
		t.Errorf("hasty: %v", err)
	}
	if _, err := patient.Lookup(t.Context(), "api.c-1.example.net"); err != nil {
		t.Errorf("patient: %v", err)
	}
}

func TestResolver_CacheHitSendsNoQuery(t *testing.T) {
	world := cluster()
	resolver := world.resolver()
	for range 100 {
		_, _ = resolver.Lookup(t.Context(), "api.c-1.example.net")
		_, _ = resolver.Lookup(t.Context(), "nowhere.c-1.example.net")
	}
	if world.asked != 2 {
		t.Errorf("asked %d times", world.asked)
	}
}

func TestResolver_EvictsExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resolver := cluster().resolver()
		for round := range 3 {
			for i := range maxCachedResponses {
				_, _ = resolver.Lookup(t.Context(), strconv.Itoa(round*maxCachedResponses+i)+".apps.c-1.example.net")
			}
			time.Sleep(time.Hour)
		}
		if got := len(resolver.cache); got > maxCachedResponses+1 {
			t.Errorf("%d answers are kept", got)
		}
	})
}

func TestResolver_NXDOMAINForEveryType(t *testing.T) {
	world := cluster()
	resolver := world.resolver()
	resolve(t, resolver, "late.c-1.example.net", dns.TypeTXT)
	world.zones[0].Records = append(world.zones[0].Records, Record{Name: "late.c-1.example.net", Type: "A", Content: "198.19.0.7"})
	if reply := resolve(t, resolver, "late.c-1.example.net", dns.TypeA); reply.Rcode != dns.RcodeNameError {
		t.Errorf("%s", reply)
	}
}

func resolve(t *testing.T, resolver *Resolver, name string, kind uint16) *dns.Msg {
	t.Helper()
	reply, err := resolver.Resolve(t.Context(), new(dns.Msg).SetQuestion(dns.Fqdn(name), kind))
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func texts(records []dns.RR) []string {
	var list []string
	for _, rr := range records {
		list = append(list, rr.String())
	}
	return list
}

func TestResolver_RemainingTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resolver := cluster().resolver()
		resolve(t, resolver, "api-int.c-1.example.net", dns.TypeA)
		resolve(t, resolver, "nowhere.c-1.example.net", dns.TypeA)
		time.Sleep(20 * time.Second)
		reply := resolve(t, resolver, "api-int.c-1.example.net", dns.TypeA)
		want := []string{
			"api-int.c-1.example.net.\t40\tIN\tCNAME\tapi.c-1.example.net.",
			"api.c-1.example.net.\t40\tIN\tA\t198.19.0.1",
		}
		if diff := cmp.Diff(want, texts(reply.Answer)); diff != "" || !reply.RecursionAvailable || reply.Authoritative {
			t.Errorf("(-want +got):\n%s\n%s", diff, reply)
		}
		reply = resolve(t, resolver, "nowhere.c-1.example.net", dns.TypeA)
		if len(reply.Ns) != 1 || reply.Ns[0].Header().Ttl != 280 {
			t.Errorf("%s", reply)
		}
	})
}

func TestResolver_ZoneNameServers(t *testing.T) {
	resolver := cluster().resolver()
	for name, want := range map[string][]string{
		"example.net":     {"example.net.\t3600\tIN\tNS\tns1.registry.example.", "example.net.\t3600\tIN\tNS\tns2.registry.example."},
		"net":             {"net.\t3600\tIN\tNS\tns1.registry.example.", "net.\t3600\tIN\tNS\tns2.registry.example."},
		"c-1.example.net": {"c-1.example.net.\t3600\tIN\tNS\tns1.exoscale.ch.", "c-1.example.net.\t3600\tIN\tNS\tns1.exoscale.com."},
	} {
		if diff := cmp.Diff(want, texts(resolve(t, resolver, name, dns.TypeNS).Answer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if reply := resolve(t, resolver, "old.c-1.example.net", dns.TypeNS); reply.Rcode != dns.RcodeServerFailure {
		t.Errorf("%s", reply)
	}
}
