package probe

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

type target struct {
	url  *url.URL // as in the check, with the host in ASCII, the port, and no credentials
	host string   // name, or address without brackets
	port string
}

func (t target) address() string { return net.JoinHostPort(t.host, t.port) }

func (t target) parseIP() (netip.Addr, bool) {
	address, err := netip.ParseAddr(t.host)
	return address, err == nil
}

// Its errors do not repeat the address, as it may hold a password.
func parseTarget(text string, defaultPort func(scheme string) (port string, known bool)) (target, error) {
	if len(text) > maxURL {
		return target{}, fmt.Errorf("the address is longer than %d characters", maxURL)
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Opaque != "" {
		return target{}, errors.New("the address is not of the form https://host:port/path")
	}
	return newTarget(parsed, defaultPort)
}

func newTarget(parsed *url.URL, defaultPort func(scheme string) (port string, known bool)) (target, error) {
	usual, known := defaultPort(parsed.Scheme)
	if !known {
		return target{}, fmt.Errorf("%q is no kind of probe", reach.Sanitize(parsed.Scheme))
	}
	port := parsed.Port()
	if port == "" {
		port = usual
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return target{}, errors.New("the address needs a port from 1 to 65535")
	}
	host, err := normalizeHost(parsed.Hostname())
	if err != nil {
		return target{}, err
	}
	bare := *parsed
	bare.User, bare.Host = nil, net.JoinHostPort(host, port)
	return target{url: &bare, host: host, port: port}, nil
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
			return "", errors.New("the host is neither a name nor an address")
		}
	}
	return host, nil
}
