// Package privatenetwork ensures the private network of a cluster, and the interfaces of machines on it.
package privatenetwork

import (
	"context"
	"net/http"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
	"exoshift/state/privatenetwork"
)

const (
	path          = "/private-network"
	kindInterface = "private-network-interface" // in the journal
)

// Networks are private networks.
type Networks struct{ api *api.Client }

// New returns the private networks of a zone.
func New(client *api.Client) *Networks { return &Networks{client} }

// network is a private network in the API. egoscale does not know its options.
type network struct {
	ID          string            `json:"id,omitempty"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Netmask     string            `json:"netmask"`
	StartIP     string            `json:"start-ip"`
	EndIP       string            `json:"end-ip"`
	Labels      map[string]string `json:"labels,omitempty"`
	Options     *struct {
		Routers []string `json:"routers"`
	} `json:"options,omitempty"`
}

// EnsurePrivateNetwork creates a network. One of the cluster with the same name has to have the same range, and no router, which would take
// the default route of the nodes away from their public interface.
func (n *Networks) EnsurePrivateNetwork(ctx context.Context, wanted privatenetwork.Network) (privatenetwork.Network, state.Action, error) {
	body := network{Name: wanted.Name, Description: wanted.Description, Netmask: wanted.Netmask(),
		StartIP: wanted.Start.String(), EndIP: wanted.End.String(), Labels: wanted.Labels}
	live, action, err := api.Ensure(ctx, n.api, api.Object[network]{
		Kind: state.KindPrivateNetwork, Name: wanted.Name,
		Find: func(ctx context.Context) ([]*network, error) {
			var answer struct {
				Networks []*network `json:"private-networks"`
			}
			err := n.api.Get(ctx, "list private networks", path, &answer)
			return slices.DeleteFunc(answer.Networks, func(live *network) bool {
				return live.Name != wanted.Name || live.Labels[state.LabelCluster] != wanted.Labels[state.LabelCluster]
			}), err
		},
		Create: func(ctx context.Context) (*network, error) {
			created := body
			var err error
			created.ID, err = n.api.ExecuteChange(ctx, "create private-network "+wanted.Name, http.MethodPost, path, body)
			return &created, err
		},
		ID: func(live *network) string { return live.ID },
	})
	if err != nil {
		return wanted, action, err
	}
	if wanted.ID = live.ID; n.api.IsPreviewID(live.ID) {
		return wanted, action, nil
	}
	return wanted, action, live.check(body)
}

func (n network) check(wanted network) error {
	op := "ensure private-network " + n.Name
	switch {
	case n.Netmask != wanted.Netmask || n.StartIP != wanted.StartIP || n.EndIP != wanted.EndIP:
		return fault.Newf(fault.Conflict, op, "it gives out %s to %s with the netmask %s, and the answers want %s to %s with %s", n.StartIP, n.EndIP, n.Netmask,
			wanted.StartIP, wanted.EndIP, wanted.Netmask).
			WithHint("restore network.privateNetwork in the answers: the range of a network that is in use cannot be changed").WithField("network.privateNetwork")
	case n.Options != nil && len(n.Options.Routers) > 0:
		return fault.Newf(fault.Conflict, op, "its DHCP names the router %s: nodes would leave their public interface for it, and take their addresses from this network", n.Options.Routers[0]).
			WithHint("remove the option `routers` of private network %s (%s), then run again", n.Name, n.ID)
	}
	return nil
}

// EnsureInNetwork gives a machine an interface on a network.
func (n *Networks) EnsureInNetwork(ctx context.Context, wanted privatenetwork.Network, instance state.Instance) (action state.Action, err error) {
	if n.api.IsPreviewID(wanted.ID) || n.api.IsPreviewID(instance.ID) {
		return state.Created, nil
	}
	op := "attach private-network " + wanted.Name + " to " + instance.Name
	err = api.Repeat(ctx, n.api, op, func(ctx context.Context) error {
		var live struct {
			Networks []api.Reference `json:"private-networks"`
		}
		if err := n.api.Get(ctx, "read instance "+instance.Name, "/instance/"+instance.ID, &live); err != nil {
			return err
		}
		name := wanted.Name + " on " + instance.Name
		if slices.ContainsFunc(live.Networks, func(network api.Reference) bool { return network.ID == wanted.ID }) {
			action, err = n.api.RecordAdoption(kindInterface, name, wanted.ID)
			return err
		}
		action = state.Created
		return n.api.ApplyChange(ctx, state.Created, kindInterface, name, func(ctx context.Context) (string, error) {
			return wanted.ID, n.api.Put(ctx, op, path+"/"+wanted.ID+":attach", map[string]api.Reference{"instance": {ID: instance.ID}})
		})
	})
	return action, err
}
