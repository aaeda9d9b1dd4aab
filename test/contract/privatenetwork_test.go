package contract_test

import (
	"context"

	"exoshift/state"
	"exoshift/state/privatenetwork"
)

func privateNetwork(_ context.Context, w *world) subject {
	wanted, err := privatenetwork.New("172.18.200.0/24")
	w.check(err)
	wanted.Name, wanted.Description, wanted.Labels = w.name("private"), "private network of a contract", w.labels()
	networks := &things{world: w, kind: state.KindPrivateNetwork, name: wanted.Name}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsurePrivateNetwork(ctx, wanted)
			return action, err
		},
		count: networks.count, remove: networks.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/private-network", map[string]any{"name": wanted.Name, "labels": wanted.Labels, "netmask": wanted.Netmask(),
				"start-ip": wanted.Start.String(), "end-ip": wanted.End.String()})
		},
	}
}
