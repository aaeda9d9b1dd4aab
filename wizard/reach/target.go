package reach

import (
	"net"
	"net/url"
	"strings"
)

// Kind returns the kind of a check's probe, e.g. "https"; "" if its URL does not parse.
func (c Check) Kind() string {
	address, err := url.Parse(c.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(address.Scheme)
}

// unreadable replaces the target of a URL that does not parse. The URL itself may hold a password.
const unreadable = "unreadable address"

// Target returns the target of the connection
func (c Check) Target() string {
	address, err := url.Parse(c.URL)
	if err != nil || address.Hostname() == "" {
		return unreadable
	}
	port := address.Port()
	if port == "" {
		port = getDefaultPort(c.Kind())
	}
	if port == "" {
		return address.Hostname()
	}
	return net.JoinHostPort(address.Hostname(), port)
}

// getDefaultPort returns "" for a kind without ports.
func getDefaultPort(kind string) string {
	switch kind {
	case "http":
		return "80"
	case "ssh":
		return "22"
	case "ntp":
		return "123"
	case "dns":
		return "53"
	case "tcp", "closed", "proxy", "zone":
		return ""
	}
	return "443"
}

// Transport returns the protocol that a check's port belongs to: tcp, udp, or "udp+tcp" where both are used.
func (c Check) Transport() string {
	switch c.Kind() {
	case "ntp":
		return "udp"
	case "dns", "zone":
		return "udp+tcp"
	}
	return "tcp"
}

func parseHost(target string) string {
	if host, _, err := net.SplitHostPort(target); err == nil {
		return host
	}
	return target
}

// Page is the documentation page of a check; "" for those that the operator added.
func (c Check) Page() string {
	if c.ID == "" || c.Group == Customer {
		return ""
	}
	return "docs/reference/endpoints.md#" + strings.ToLower(c.ID)
}

func parsePort(target string) string {
	_, port, err := net.SplitHostPort(target)
	if err != nil {
		return ""
	}
	return port
}
