package environment

import (
	"net"
	"strings"
	"testing"

	"exoshift/internal/network"
)

// A machine of a simulated zone that does not answer is not asked for on the real network.
func TestHost_DialsNothingBesideAStandingZone(t *testing.T) {
	t.Setenv(ClockVariable, "60")
	host := &Host{clock: &network.Clock{}}
	n, err := host.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	here, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = here.Close() }()
	for what, dial := range map[string]dial{"Dial": n.Dial, "DialSmall": n.DialSmall} {
		if dial == nil { // not on this platform
			continue
		}
		for _, address := range []string{"198.18.0.1:8404", "[2001:db8::1]:443", "example.net:443"} {
			if _, err := dial(t.Context(), "tcp", address); err == nil || !strings.Contains(err.Error(), "only the proxy of the simulated zone") {
				t.Errorf("%s %s: %v", what, address, err)
			}
		}
		conn, err := dial(t.Context(), "tcp", here.Addr().String())
		if err != nil {
			t.Errorf("%s on loopback: %v", what, err)
			continue
		}
		_ = conn.Close()
	}
}
