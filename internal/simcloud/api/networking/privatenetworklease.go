package networking

import (
	"net/http"
	"net/netip"
	"slices"

	"exoshift/internal/simcloud/api/rest"
)

// wireNetworkOptions are DHCP options.
type wireNetworkOptions struct {
	Routers []string `json:"routers,omitempty"`
	DNS     []string `json:"dns-servers,omitempty"`
	NTP     []string `json:"ntp-servers,omitempty"`
	Search  []string `json:"domain-search,omitempty"`
}

// updateLease sets or removes the fixed address of an attached instance.
func (s *PrivateNetworks) updateLease(req *rest.Request) (any, error) {
	network, i, err := s.findWithInstance(req)
	if err != nil {
		return nil, err
	}
	var body struct {
		IP string `json:"ip"`
	}
	if err := rest.FirstError(req.Decode(&body), network.checkLease(i.ID, body.IP)); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(network.Ports, func(p networkPort) bool { return p.Instance == i.ID }) {
		return nil, rest.Errorf(http.StatusConflict, "Private network %s is not attached to instance %s", network.Wire.Name, i.Name)
	}
	return s.table.Save(network.with(i, body.IP))
}

// checkLease refuses an address outside of the network or of another instance, which is our reading.
func (n privateNetwork) checkLease(instanceID, address string) error {
	if address == "" {
		return nil
	}
	wanted, err := netip.ParseAddr(address)
	switch {
	case err != nil:
		return rest.Invalidf("ip: %v", err)
	case n.Wire.StartIP == "":
		return rest.Invalidf("private network %s is not a managed one and gives no addresses", n.Wire.Name)
	case !n.contains(wanted):
		return rest.Invalidf("ip: %s is not in the range of private network %s", address, n.Wire.Name)
	}
	if slices.ContainsFunc(n.Ports, func(p networkPort) bool { return p.IP == address && p.Instance != instanceID }) {
		return rest.Errorf(http.StatusConflict, "IP %s is leased already", address)
	}
	return nil
}

// contains: leases may be outside of the DHCP range, but not of the subnet.
func (n privateNetwork) contains(address netip.Addr) bool {
	first, _ := netip.ParseAddr(n.Wire.StartIP) // both were validated at creation
	mask, _ := netip.ParseAddr(n.Wire.Netmask)
	if !first.Is4() || !mask.Is4() || !address.Is4() {
		return false
	}
	base, given, bits := first.As4(), address.As4(), mask.As4()
	for k := range bits {
		if base[k]&bits[k] != given[k]&bits[k] {
			return false
		}
	}
	return true
}

// resetField: labels are the only field that can be reset.
func (s *PrivateNetworks) resetField(req *rest.Request) (any, error) {
	network, err := s.table.Get(req.Zone, req.ID())
	if err := rest.FirstError(err, rest.CheckOneOf("field", req.Field(), "labels")); err != nil {
		return nil, err
	}
	network.Wire.Labels = map[string]string{}
	return s.table.Save(network)
}
