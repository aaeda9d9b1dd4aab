package connection

import (
	"net/netip"
	"strings"
	"testing"
)

func TestIsInternal_Addresses(t *testing.T) {
	for address, inner := range map[string]bool{
		"10.0.0.1": true, "172.16.0.1": true, "172.32.0.1": false, "192.168.1.1": true, "100.64.0.1": true, "100.128.0.1": false,
		"127.0.0.1": true, "0.0.0.0": true, "169.254.1.1": true, "224.0.0.1": true, "1.1.1.1": false, "203.0.113.1": false, "198.19.0.1": false,
		"fd00::1": true, "::1": true, "::ffff:10.0.0.1": true, "2001:db8::1": false,
	} {
		if got := isInternal(netip.MustParseAddr(address)); got != inner {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestIsInternalName_Domains(t *testing.T) {
	for host, inner := range map[string]bool{
		"localhost": true, "portal": true, "portal.lan": true, "host.corp.": true, "x.internal": true, "1.0.0.10.in-addr.arpa": true,
		"10.0.0.1": true, "192.0.2.1": false, "quay.io": false, "lan.example.com": false,
	} {
		if isInternalName(host) != inner {
			t.Errorf("%s: %v", host, !inner)
		}
	}
	for pair, same := range map[string]bool{
		"www.example.com example.com": true, "a.example.com b.example.com": true, "example.com example.org": false,
		"a.co.uk b.co.uk": false, "x x": true, "10.0.0.1 10.0.0.2": false, "Example.com. www.example.com": true,
	} {
		if a, b, _ := strings.Cut(pair, " "); isSameDomain(a, b) != same {
			t.Errorf("%s: %v", pair, !same)
		}
	}
}
