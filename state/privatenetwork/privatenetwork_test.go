package privatenetwork

import "testing"

func TestNew_RangeOfAddresses(t *testing.T) {
	for cidr, want := range map[string]struct {
		start, end, netmask string
		room                int
	}{
		"172.18.200.0/24": {"172.18.200.64", "172.18.200.254", "255.255.255.0", 191},
		"10.9.0.16/28":    {"10.9.0.20", "10.9.0.30", "255.255.255.240", 11},
		"10.9.0.0/16":     {"10.9.64.0", "10.9.255.254", "255.255.0.0", 49151},
	} {
		network, err := New(cidr)
		if err != nil || network.Start.String() != want.start || network.End.String() != want.end || network.Netmask() != want.netmask || network.Room() != want.room {
			t.Errorf("%s: %s to %s, %s, room for %d: %v", cidr, network.Start, network.End, network.Netmask(), network.Room(), err)
		}
	}
	for _, cidr := range []string{"", "10.9.0.0", "10.9.0.1/24", "10.0.0.0/15", "10.9.0.0/29", "fd00::/64"} {
		if _, err := New(cidr); err == nil {
			t.Errorf("%q is accepted", cidr)
		}
	}
}
