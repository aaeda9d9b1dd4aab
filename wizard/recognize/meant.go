package recognize

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// Domain returns the domain of a URL, an address with a port or a wildcard, or "" if that is not valid.
func Domain(value string, valid func(string) bool) string {
	value = strings.ToLower(strings.TrimSpace(value))
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		value = u.Hostname()
	} else if host, _, found := strings.Cut(value, "/"); found {
		value = host
	}
	value, _, _ = strings.Cut(value, ":")
	if value = strings.Trim(strings.TrimPrefix(value, "*"), ". "); !valid(value) {
		return ""
	}
	return value
}

// Number returns the prefix length of an address range, or the only number in a text, or "".
func Number(value string, valid func(string) bool) string {
	candidates := wholeNumber.FindAllString(value, -1)
	if prefix, err := netip.ParsePrefix(strings.TrimSpace(value)); err == nil {
		_, bits, _ := strings.Cut(prefix.String(), "/")
		candidates = []string{bits}
	}
	if len(candidates) != 1 || !valid(candidates[0]) {
		return ""
	}
	return candidates[0]
}

var wholeNumber = regexp.MustCompile(`\d+`)

// Range returns an address range that was given with spaces, or in place of one of its addresses, or "".
func Range(value string) string {
	compact := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, value)
	prefix, err := netip.ParsePrefix(compact)
	if err != nil || compact == value || prefix.Addr().Is4In6() { // such a range is refused as well
		return ""
	}
	return prefix.Masked().String()
}
