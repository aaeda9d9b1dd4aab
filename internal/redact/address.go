package redact

import (
	"net/netip"
	"slices"
	"strings"
)

// reverse ends the names by which addresses are looked up.
const reverse = ".in-addr.arpa"

// matchPublicIPv4 returns an address that is somebody's, in its usual order also if it was turned around for DNS. Versions
// of four numbers look the same, and are replaced, too.
func matchPublicIPv4(text string) (string, bool) {
	if backwards, is := strings.CutSuffix(text, reverse); is {
		numbers := strings.Split(backwards, ".")
		slices.Reverse(numbers)
		text = strings.Join(numbers, ".")
	}
	address, err := netip.ParseAddr(text)
	return text, err == nil && isPublic(address)
}

func matchPublicIPv6(text string) (string, bool) {
	address, err := netip.ParseAddr(strings.TrimSuffix(text, "."))
	if err != nil {
		return "", false
	}
	return address.String(), isPublic(address)
}

// isPublic tells whether an address is somebody's: those of private networks are the same everywhere, and the ranges
// without a meaning on the internet are no addresses of anybody.
func isPublic(address netip.Addr) bool {
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, nobodys := range []string{"0.0.0.0/8", "100.64.0.0/10", "240.0.0.0/4"} {
		if netip.MustParsePrefix(nobodys).Contains(address) {
			return false
		}
	}
	return true
}
