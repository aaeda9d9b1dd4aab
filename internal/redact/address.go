package redact

import (
	"net/netip"
	"slices"
	"strings"
)

const reverse = ".in-addr.arpa"

// matchPublicIPv4 returns a public address in its usual order, also if it is reversed as for a DNS PTR record. Four-part
// versions have the same form and are replaced, too.
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

// isPublic excludes private ranges, which are the same everywhere, and special-purpose ranges.
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
