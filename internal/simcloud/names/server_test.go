package names

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

// said is the compared part of a response.
type said struct {
	Code      string
	Authority bool
	Answer    []string
	Ns        []string
}

const soa = "c-1.example.net.\t300\tIN\tSOA\tns1.exoscale.com. hostmaster.exoscale.com. 1 86400 7200 604800 300"

func TestExoscaleServer_OwnZonesOnly(t *testing.T) {
	for _, test := range []struct {
		name string
		kind uint16
		want said
	}{
		{"console.apps.c-1.example.net.", dns.TypeA, said{"NOERROR", true, []string{
			"console.apps.c-1.example.net.\t60\tIN\tCNAME\tingress.c-1.example.net.",
			"ingress.c-1.example.net.\t60\tIN\tA\t198.19.0.2"}, nil}},
		{"c-1.example.net.", dns.TypeNS, said{"NOERROR", true, []string{
			"c-1.example.net.\t3600\tIN\tNS\tns1.exoscale.ch.", "c-1.example.net.\t3600\tIN\tNS\tns1.exoscale.com."}, nil}},
		{"_acme.c-1.example.net.", dns.TypeTXT, said{"NOERROR", true, []string{"_acme.c-1.example.net.\t60\tIN\tTXT\t\"v=1; a b\""}, nil}},
		{"api.c-1.example.net.", dns.TypeTXT, said{"NOERROR", true, nil, []string{soa}}},
		{"nowhere.c-1.example.net.", dns.TypeA, said{"NXDOMAIN", true, nil, []string{soa}}},
		{"www.old.c-1.example.net.", dns.TypeA, said{"NOERROR", false, nil, []string{"old.c-1.example.net.\t60\tIN\tNS\tns1.elsewhere.test."}}},
		{"example.net.", dns.TypeNS, said{"REFUSED", false, nil, nil}},
		{"nowhere.test.", dns.TypeA, said{"REFUSED", false, nil, nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			world := cluster()
			world.delegated = nil // none of the servers' zones
			if diff := cmp.Diff(test.want, answerOf(world.directory().ExoscaleServer(), test.name, test.kind)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func answerOf(server Server, name string, kind uint16) said {
	reply := server.Answer(new(dns.Msg).SetQuestion(name, kind))
	return said{dns.RcodeToString[reply.Rcode], reply.Authoritative, texts(reply.Answer), texts(reply.Ns)}
}

func TestRegistryServer_Referrals(t *testing.T) {
	registry := cluster().directory().RegistryServer()
	referral := said{"NOERROR", false, nil, []string{
		"c-1.example.net.\t3600\tIN\tNS\tns1.exoscale.com.", "c-1.example.net.\t3600\tIN\tNS\tNS1.exoscale.ch."}}
	above := []string{"example.net.\t900\tIN\tSOA\tns1.registry.example. hostmaster.registry.example. 1 7200 900 1209600 900"}
	for name, want := range map[string]said{
		"api.c-1.example.net.": referral,
		"c-1.example.net.":     referral,
		"c-2.example.net.":     {"NXDOMAIN", true, nil, above},
		"example.net.":         {"NOERROR", true, []string{"example.net.\t3600\tIN\tNS\tns1.registry.example.", "example.net.\t3600\tIN\tNS\tns2.registry.example."}, nil},
		".":                    {"REFUSED", false, nil, nil},
	} {
		if diff := cmp.Diff(want, answerOf(registry, name, dns.TypeNS)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRegistryServer_WholeDomainDelegated(t *testing.T) {
	world := cluster()
	world.delegated = append(world.delegated, Delegation{Zone: "example.net", Servers: []string{"ns1.exoscale.com"}})
	got := answerOf(world.directory().RegistryServer(), "c-1.example.net.", dns.TypeNS)
	if diff := cmp.Diff(said{"NOERROR", false, nil, []string{"example.net.\t3600\tIN\tNS\tns1.exoscale.com."}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestServer_ParentZoneAnswersNS(t *testing.T) {
	world := cluster()
	world.zones = append(world.zones, hold("example.net", Record{Name: "c-1.example.net", Type: "NS", Content: "ns1.exoscale.com"}))
	server := world.directory().ExoscaleServer()
	want := said{"NOERROR", false, nil, []string{"c-1.example.net.\t60\tIN\tNS\tns1.exoscale.com."}}
	if diff := cmp.Diff(want, answerOf(server, "c-1.example.net.", dns.TypeNS)); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if got := answerOf(server, "api.c-1.example.net.", dns.TypeA); len(got.Answer) != 1 || !got.Authority {
		t.Errorf("address: %+v", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
