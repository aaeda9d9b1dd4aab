package connection

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"exoshift/wizard/reach"
)

const maxURL = 2048

// The underscore is no part of host names, but is in use.
const labelCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// Target is what an attempt connects to.
type Target struct {
	URL  *url.URL // as in the check, with the host in ASCII, the port, and no credentials
	Host string   // name, or address without brackets
	Port string
}

// Address returns "host:port".
func (t Target) Address() string { return net.JoinHostPort(t.Host, t.Port) }

func (t Target) parseIP() (netip.Addr, bool) {
	address, err := netip.ParseAddr(t.Host)
	return address, err == nil
}

// ParseTarget parses the URL of a check. Its errors do not repeat the address, as it may hold a password.
func ParseTarget(text string, defaultPort func(scheme string) (port string, known bool)) (Target, error) {
	if len(text) > maxURL {
		return Target{}, fmt.Errorf("the address is longer than %d characters", maxURL)
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Opaque != "" {
		return Target{}, errors.New("the address is not of the form https://host:port/path")
	}
	return newTarget(parsed, defaultPort)
}

func newTarget(parsed *url.URL, defaultPort func(scheme string) (port string, known bool)) (Target, error) {
	usual, known := defaultPort(parsed.Scheme)
	if !known {
		return Target{}, fmt.Errorf("%q is not a probe type", reach.Sanitize(parsed.Scheme))
	}
	port := parsed.Port()
	if port == "" {
		port = usual
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return Target{}, errors.New("the address needs a port from 1 to 65535")
	}
	host, err := normalizeHost(parsed.Hostname())
	if err != nil {
		return Target{}, err
	}
	bare := *parsed
	bare.User, bare.Host = nil, net.JoinHostPort(host, port)
	return Target{URL: &bare, Host: host, Port: port}, nil
}

func normalizeHost(host string) (string, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().WithZone("").String(), nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if len(host) > 253 {
		return "", errors.New("the name of the host is too long")
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, labelCharacters) != "" {
			return "", errors.New("the host is not a valid name or address")
		}
	}
	return host, nil
}
