package contract_test

import (
	"context"
	"net/http"
	"time"

	"exoshift/state"
)

func (w *world) address() state.ElasticIP {
	return state.ElasticIP{
		Name: w.name("api"), Labels: w.labels(), ReverseDNS: "api." + w.domain(),
		Healthcheck: state.Healthcheck{
			Mode: "https", Port: 6443, Path: "/readyz", Interval: 10 * time.Second, Timeout: 2 * time.Second,
			StrikesOK: 2, StrikesFail: 3,
		},
	}
}

func elasticIP(_ context.Context, w *world) subject {
	wanted := w.address()
	addresses := &things{world: w, kind: state.KindElasticIP, name: wanted.Name}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsureElasticIP(ctx, wanted)
			return action, err
		},
		count: addresses.count, remove: addresses.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/elastic-ip", map[string]any{
				"description": wanted.Name,
				"labels":      map[string]string{"exoshift-name": wanted.Name, "exoshift-cluster": w.run},
			})
		},
	}
}

// attachment is about an elastic IP in the hands of an instance. It ends with the address.
func attachment(ctx context.Context, w *world) subject {
	machine, _, err := w.cloud.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
	w.check(err)
	addresses := &things{world: w, kind: state.KindElasticIP, name: w.address().Name}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			address, _, err := w.cloud.EnsureElasticIP(ctx, w.address())
			if err != nil {
				return "", err
			}
			return w.cloud.EnsureAttached(ctx, address.ID, machine.ID)
		},
		count: func(ctx context.Context) int {
			var live struct {
				Addresses []any `json:"elastic-ips"`
			}
			w.check(w.send(ctx, http.MethodGet, "/instance/"+machine.ID, nil, &live))
			return len(live.Addresses)
		},
		remove: addresses.remove,
	}
}
