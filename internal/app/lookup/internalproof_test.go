package lookup

import (
	"net"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/wizard"
)

func TestInternalElasticIP_SuggestedIfProven(t *testing.T) {
	proof := internalProof(func(zone string) (string, bool) { return "conformance of 2026-05-04", zone == "ch-gva-2" })
	spec := state.Default()
	for _, c := range []struct {
		zone, strategy string
		relevant       bool
	}{{"ch-gva-2", "haproxy-pair", true}, {"de-fra-1", "haproxy-pair", false}, {"ch-gva-2", "dns-round-robin", false}} {
		spec.Exoscale.Zone, spec.LoadBalancer.Strategy = c.zone, c.strategy
		if got := proof.isRecorded(spec); got != c.relevant {
			t.Errorf("%s, %s: proven is %t", c.zone, c.strategy, got)
		}
	}
	spec.Exoscale.Zone = "ch-gva-2"
	reply, err := proof.lookup(t.Context(), spec, wizard.Secrets{})
	if err != nil || !strings.Contains(reply.Summary, "conformance of 2026-05-04") {
		t.Fatalf("%+v, %v", reply, err)
	}
	first := reply.Choices[wizard.InternalKey][0]
	if first.Value != state.InternalElasticIP || !strings.Contains(first.Note, "conformance of 2026-05-04") {
		t.Errorf("proposed is %+v", first)
	}
	for _, choice := range reply.Choices[wizard.InternalKey] {
		for _, field := range wizard.Fields() {
			if field.Key == wizard.InternalKey && field.Set(&spec, choice.Value) != nil {
				t.Errorf("%s cannot be answered", choice.Value)
			}
		}
	}
}

func TestIsKnownMissing_NotWhereNamesAreNotResolved(t *testing.T) {
	unresolved := fault.New(fault.Invalid, "look for zone", &net.DNSError{Err: "no such host", IsNotFound: true})
	refused := fault.Newf(fault.Invalid, "look for zone", "there is the zone does not exist")
	for _, c := range []struct {
		zone string
		err  error
		want bool
	}{
		{"", unresolved, false}, {"", refused, false}, {"ch-gva-2", unresolved, false}, {"ch-gva-2", refused, true}, {"ch-gva-9", unresolved, true},
	} {
		if got := isKnownMissing(c.err, c.zone); got != c.want {
			t.Errorf("zone %q, %v: %t", c.zone, c.err, got)
		}
	}
}
