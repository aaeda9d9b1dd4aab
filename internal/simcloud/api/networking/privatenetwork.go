package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
)

// privateNetwork is only stored; no traffic of the simulation uses one yet.
type privateNetwork struct {
	row
	Wire  wireNetwork
	Ports []networkPort
}

// networkPort is an instance's interface on a network.
type networkPort struct{ Instance, IP, MAC string }

type wireNetwork struct {
	ID          string              `json:"id"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Netmask     string              `json:"netmask,omitempty"`
	StartIP     string              `json:"start-ip,omitempty"`
	EndIP       string              `json:"end-ip,omitempty"`
	VNI         int                 `json:"vni"`
	Labels      map[string]string   `json:"labels"`
	Leases      []wireLease         `json:"leases,omitempty"`
	Options     *wireNetworkOptions `json:"options,omitempty"`
}

type wireLease struct {
	IP       string `json:"ip"`
	Instance string `json:"instance-id"`
}

const networkNoun = "private-network"

func (a *API) registerNetworkRoutes(register func(string, handler)) {
	register("GET /private-network", a.listNetworks)
	register("POST /private-network", a.createNetwork)
	register("GET /private-network/{id}", func(c *call) (any, error) {
		network, err := a.tables.networks.get(c.zone, c.id())
		return network.view(), err
	})
	register("PUT /private-network/{id}", a.updateNetwork)
	register("DELETE /private-network/{id}", a.deleteNetwork)
	register("PUT /private-network/{id}/:attach", a.attachNetwork)
	register("PUT /private-network/{id}/:detach", a.detachNetwork)
	register("PUT /private-network/{id}/:update-ip", a.updateLease)
	register("DELETE /private-network/{id}/{field}", a.resetNetworkField)
}

func (n privateNetwork) view() wireNetwork {
	for _, port := range n.Ports {
		if port.IP != "" {
			n.Wire.Leases = append(n.Wire.Leases, wireLease{IP: port.IP, Instance: port.Instance})
		}
	}
	return n.Wire
}

func (a *API) listNetworks(c *call) (any, error) {
	list := []wireNetwork{}
	for _, network := range a.tables.networks.list(c.zone) {
		list = append(list, network.view())
	}
	return map[string]any{"private-networks": list}, nil
}

func (a *API) createNetwork(c *call) (any, error) {
	body := wireNetwork{Labels: map[string]string{}}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if c.zone == "" {
		return nil, newNotFound("zone", c.request.Host)
	}
	if err := check(checkNetwork(body), a.checkQuota(networkNoun, 1)); err != nil {
		return nil, err
	}
	head, err := a.newRow(c.zone)
	if err != nil {
		return nil, err
	}
	body.ID, body.VNI, body.Leases = head.ID, 1000+head.Order, nil
	return a.putNetwork(privateNetwork{row: head, Wire: body})
}

func (a *API) putNetwork(network privateNetwork) (any, error) {
	if err := a.tables.networks.put(network); err != nil {
		return nil, err
	}
	return a.startOperation(network.row, networkNoun)
}

func checkNetwork(n wireNetwork) error {
	if err := check(checkLength("name", n.Name, 1, 255), checkDescription(&n.Description)); err != nil {
		return err
	}
	if n.StartIP == "" && n.EndIP == "" && n.Netmask == "" {
		return nil // not managed
	}
	first, err := netip.ParseAddr(n.StartIP)
	if err != nil {
		return newInvalidError("start-ip: %v", err)
	}
	if _, err := netip.ParseAddr(n.Netmask); err != nil {
		return newInvalidError("netmask: %v", err)
	}
	last, err := netip.ParseAddr(n.EndIP)
	if err != nil {
		return newInvalidError("end-ip: %v", err)
	}
	if last.Less(first) {
		return newInvalidError("start-ip must not be greater than end-ip")
	}
	return nil
}

func (a *API) updateNetwork(c *call) (any, error) {
	network, err := a.tables.networks.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	body := network.Wire
	body.Labels, body.Options = nil, nil // the decoder must not write to memory that is shared with the stored network
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := checkNetwork(body); err != nil {
		return nil, err
	}
	if body.Labels == nil {
		body.Labels = network.Wire.Labels
	}
	if body.Options == nil {
		body.Options = network.Wire.Options
	}
	body.ID, body.VNI, body.Leases = network.ID, network.Wire.VNI, nil
	network.Wire = body
	return a.putNetwork(network)
}

func (a *API) deleteNetwork(c *call) (any, error) {
	network, err := a.tables.networks.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	if len(network.Ports) > 0 {
		return nil, newAPIError(http.StatusConflict, "Private network %s is attached to an instance", network.Wire.Name)
	}
	if err := a.tables.networks.delete(network.ID); err != nil {
		return nil, err
	}
	return a.startOperation(network.row, networkNoun)
}

func (a *API) attachNetwork(c *call) (any, error) {
	network, i, err := a.findNetworkAndInstance(c)
	if err != nil {
		return nil, err
	}
	var body struct {
		IP string `json:"ip"`
	}
	if err := check(c.decode(&body), network.checkLease(i.ID, body.IP)); err != nil {
		return nil, err
	}
	return a.putNetwork(network.with(i, body.IP))
}

// with returns the network with an added interface.
func (n privateNetwork) with(i instance, address string) privateNetwork {
	mac := fmt.Sprintf("06:01:%02x:%02x:%02x:%02x", byte(n.Order>>8), byte(n.Order), byte(i.Order>>8), byte(i.Order))
	n.Ports = append(n.filterPorts(i.ID), networkPort{Instance: i.ID, IP: address, MAC: mac})
	return n
}

func (a *API) detachNetwork(c *call) (any, error) {
	network, i, err := a.findNetworkAndInstance(c)
	if err != nil {
		return nil, err
	}
	network.Ports = network.filterPorts(i.ID)
	return a.putNetwork(network)
}

func (a *API) findNetworkAndInstance(c *call) (privateNetwork, instance, error) {
	network, err := a.tables.networks.get(c.zone, c.id())
	if err != nil {
		return privateNetwork{}, instance{}, err
	}
	i, err := a.findAttachedInstance(c)
	return network, i, err
}

func (n privateNetwork) filterPorts(instance string) []networkPort {
	return slices.DeleteFunc(slices.Clone(n.Ports), func(p networkPort) bool { return p.Instance == instance })
}

func (a *API) collectInterfaces() map[string][]wireInterface {
	byInstance := map[string][]wireInterface{}
	for _, network := range a.tables.networks.listAll() {
		for _, port := range network.Ports {
			byInstance[port.Instance] = append(byInstance[port.Instance], wireInterface{ID: network.ID, MAC: port.MAC})
		}
	}
	return byInstance
}

func (a *API) detachNetworks(instance string) error {
	for _, network := range a.tables.networks.listAll() {
		if kept := network.filterPorts(instance); len(kept) < len(network.Ports) {
			network.Ports = kept
			if err := a.tables.networks.put(network); err != nil {
				return err
			}
		}
	}
	return nil
}
