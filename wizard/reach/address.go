package reach

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"exoshift/internal/text/similar"
)

// In bytes.
const maxEndpointLength = 512

// AddressError is the error about an endpoint that an operator wrote. It never repeats credentials.
type AddressError struct {
	Problem    string
	Allowed    string // what is allowed; may be empty
	Suggestion string // what was probably meant; may be empty
}

func (e AddressError) Error() string {
	text := e.Problem
	if e.Allowed != "" {
		text += "; allowed: " + e.Allowed
	}
	if e.Suggestion != "" {
		text += "; did you mean " + e.Suggestion + "?"
	}
	return text
}

// ParseEndpoint reads an endpoint as operators write it, and returns the URL that is probed. Its scheme is the kind of
// the probe; without one, "host:port" is probed by tcp and "host" by https. Errors are AddressErrors.
func ParseEndpoint(text string) (address string, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", AddressError{Problem: "is empty", Allowed: endpointForms}
	case len(text) > maxEndpointLength:
		return "", AddressError{Problem: fmt.Sprintf("is %d characters long", len(text)), Allowed: fmt.Sprintf("at most %d", maxEndpointLength)}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }):
		return "", AddressError{Problem: "contains whitespace or control characters", Allowed: endpointForms}
	}
	scheme, rest, err := splitScheme(text)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(scheme + "://" + rest)
	switch {
	case strings.Contains(getAuthority(rest), "@"):
		return "", AddressError{Problem: "contains credentials, which would be stored in plain text", Allowed: endpointForms}
	case err != nil:
		return "", newParseError(rest)
	}
	if err := checkParts(u); err != nil {
		return "", err
	}
	if u.Host, err = parseHostPort(u); err != nil {
		return "", err
	}
	return normalizeURL(u), nil
}

const endpointForms = "e.g. https://registry.example.net/v2/, tcp://10.9.0.5:5000, host or host:port"

func listSchemes() []string {
	return []string{
		"https", "http", "tcp", "tls", "registry", "release", "acme", "graph", "vault", "lieutenant", "oidc", "s3", "ssh", "ntp",
		"dns", "zone", "closed", "proxy",
	}
}

// An endpoint without a scheme gets one.
func splitScheme(text string) (scheme, rest string, err error) {
	scheme, rest, whole := strings.Cut(text, "://")
	if whole && !strings.ContainsAny(scheme, "/?#@") {
		scheme = strings.ToLower(scheme)
		if slices.Contains(listSchemes(), scheme) {
			return scheme, rest, nil
		}
		return "", "", newSchemeError(scheme, rest)
	}
	if address, err := netip.ParseAddr(text); err == nil && address.Is6() {
		return "https", "[" + text + "]", nil
	}
	authority, _, _ := strings.Cut(text, "/")
	host, port, err := net.SplitHostPort(authority)
	switch {
	case err == nil && slices.Contains(listSchemes(), strings.ToLower(host)) && strings.Trim(port, "0123456789") != "":
		return "", "", AddressError{Problem: "has no \"//\" after the scheme", Allowed: endpointForms, Suggestion: replaceScheme(host, port)}
	case err == nil:
		return "tcp", text, nil
	}
	return "https", text, nil
}

// replaceScheme returns "" if the endpoint does not parse with that scheme.
func replaceScheme(scheme, rest string) string {
	if address, err := ParseEndpoint(scheme + "://" + rest); err == nil {
		return address
	}
	return ""
}

func newSchemeError(scheme, rest string) error {
	failure := AddressError{Problem: fmt.Sprintf("unsupported scheme %q", truncateText(scheme)), Allowed: "one of " + strings.Join(listSchemes(), ", ")}
	if meant := similar.FindNearest(truncateText(scheme), listSchemes()); meant != "" {
		failure.Suggestion = replaceScheme(meant, rest)
	}
	return failure
}

func truncateText(text string) string { return text[:min(len(text), 20)] }

func getAuthority(rest string) string { return rest[:min(len(rest), indexOr(rest, "/?#"))] }

func indexOr(text, letters string) int {
	if i := strings.IndexAny(text, letters); i >= 0 {
		return i
	}
	return len(text)
}

func newParseError(rest string) error {
	authority := getAuthority(rest)
	if _, port, err := net.SplitHostPort(authority); err == nil && strings.Trim(port, "0123456789") != "" {
		return newPortError(port)
	}
	if strings.Count(authority, ":") > 1 && !strings.HasPrefix(authority, "[") {
		return AddressError{Problem: "the IPv6 address needs brackets", Allowed: "e.g. tcp://[2001:db8::1]:5000"}
	}
	return AddressError{Problem: "cannot be parsed", Allowed: endpointForms}
}

func newPortError(port string) error {
	return AddressError{Problem: fmt.Sprintf("the port %q is not valid", truncateText(port)), Allowed: "1 to 65535"}
}

// checkParts refuses parts of a URL that the kind of the probe does not use.
func checkParts(u *url.URL) error {
	portOnly := slices.Contains([]string{"tcp", "tls", "ssh", "ntp", "closed", "zone"}, u.Scheme)
	switch {
	case portOnly && (strings.Trim(u.Path, "/") != "" || u.RawQuery != ""):
		return AddressError{Problem: fmt.Sprintf("%s does not support a path", u.Scheme), Allowed: u.Scheme + "://host" + map[bool]string{true: ":port"}[u.Scheme != "zone"]}
	case u.Fragment != "" && u.Scheme != "ssh":
		return AddressError{Problem: "contains \"#\", which only ssh supports", Allowed: endpointForms}
	case u.Port() == "" && slices.Contains([]string{"tcp", "closed", "proxy"}, u.Scheme):
		return AddressError{Problem: "the port is missing", Allowed: u.Scheme + "://host:port"}
	case u.Port() != "" && u.Scheme == "zone":
		return AddressError{Problem: "a DNS zone has no port", Allowed: "zone://example.net"}
	}
	return nil
}

func parseHostPort(u *url.URL) (string, error) {
	host, err := normalizeHost(u.Hostname())
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		return formatHost(host), nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return "", newPortError(port)
	}
	return net.JoinHostPort(host, strconv.FormatUint(number, 10)), nil
}

func formatHost(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func normalizeHost(host string) (string, error) {
	problem := func(format string, args ...any) error {
		return AddressError{Problem: fmt.Sprintf(format, args...), Allowed: "a host name or IP address, e.g. registry.example.net or 10.9.0.5"}
	}
	if address, err := netip.ParseAddr(host); err == nil {
		if address.Zone() != "" {
			return "", problem("the address contains an interface zone")
		}
		return address.Unmap().String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	last := name[strings.LastIndex(name, ".")+1:]
	switch {
	case name == "":
		return "", problem("the host is missing")
	case strings.Contains(name, "*"):
		return "", AddressError{Problem: "wildcards are not supported", Allowed: "a specific name below it"}
	case len(name) > 253 || !isHostName(name):
		return "", problem("the host is not a valid name or address")
	case strings.Trim(last, "0123456789") == "":
		return "", problem("the host is not an IPv4 address")
	}
	return name, nil
}

// The underscore is no part of host names, but is in use.
func isHostName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" ||
			strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}
