package machines

import (
	"context"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// pair is what answers from load balancers, by address.
type pair struct {
	monitor map[string]fault.Kind // of the failure; an address that is missing answers
	closed  map[string]bool       // on its other ports
}

func (p pair) CheckMonitor(_ context.Context, address string) error {
	if kind, fails := p.monitor[address]; fails {
		return fault.Newf(kind, "ask "+address, "no")
	}
	return nil
}

func (p pair) CheckPort(_ context.Context, address string, _ int) error {
	if p.closed[address] {
		return fault.Newf(fault.Transient, "connect to "+address, "refused")
	}
	return nil
}

func TestGate_RequiresEveryLoadBalancerAndAddress(t *testing.T) {
	const first, second, elastic = "192.0.2.1", "192.0.2.2", "" // elastic IPs are reserved by another group
	s := spec()
	m := New(Deps{Spec: s, ElasticIPs: network.NewElasticIPs(s, nil, nil)})
	m.Record(state.Instance{Name: "lb-0", Address: first})
	m.Record(state.Instance{Name: "lb-1", Address: second})
	for name, c := range map[string]struct {
		pair
		want string
	}{
		"all answer":             {pair{}, ""},
		"one is silent":          {pair{monitor: map[string]fault.Kind{second: fault.Transient}}, "HAProxy does not answer on lb-1 (192.0.2.2)"},
		"the API's port is shut": {pair{closed: map[string]bool{first: true}}, "HAProxy does not answer on lb-0 (192.0.2.1)"},
		"our firewall keeps the monitor's answer back": {pair{monitor: map[string]fault.Kind{first: fault.Timeout, second: fault.Timeout, elastic: fault.Timeout}}, ""},
		"nothing comes through":                        {pair{monitor: map[string]fault.Kind{first: fault.Timeout}, closed: map[string]bool{first: true}}, "HAProxy does not answer on lb-0"},
		"an elastic IP leads nowhere":                  {pair{monitor: map[string]fault.Kind{elastic: fault.Transient}}, "the elastic IP of the API"},
	} {
		err := Gate{Spec: s, Balancers: c.pair, Machines: m}.check(t.Context())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, not %q", name, err, c.want)
		}
	}
}
