package bootstraphost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"exoshift/internal/fault"
)

// healthPort is where load balancers answer in plain HTTP; see haproxy.cfg.
const healthPort = 8404

// DiscoverAddress returns this machine's address as the load balancer with that address sees it. A load balancer that answers
// without the address, because it was created by an older version, is fault.NotFound; one that does not answer (yet) is
// fault.Transient. The response is not authenticated: its use has to be safe even if it was tampered with.
func (h *Host) DiscoverAddress(ctx context.Context, balancer string) (netip.Addr, error) {
	op := "ask load balancer " + balancer + " for our own address"
	ctx, cancel := context.WithTimeout(ctx, collectTimeout)
	defer cancel()
	said, err := h.fetchAddress(ctx, balancer)
	if err != nil {
		return netip.Addr{}, fault.New(fault.Transient, op, err)
	}
	address, err := parseAddress(said)
	if err != nil {
		return netip.Addr{}, fault.New(fault.NotFound, op, err).
			WithHint("nothing has to be done: the bootstrap machine is not looked into")
	}
	return address, nil
}

func (h *Host) fetchAddress(ctx context.Context, balancer string) (string, error) {
	target, err := netip.ParseAddr(balancer)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return connect(ctx, h.net, target, healthPort)
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+netip.AddrPortFrom(target, healthPort).String()+"/address", nil)
	if err != nil {
		return "", err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", nil
	}
	const longest = 64
	body, err := io.ReadAll(io.LimitReader(response.Body, longest))
	return string(body), err
}

func parseAddress(said string) (netip.Addr, error) {
	if said == "" {
		return netip.Addr{}, errors.New("it does not tell")
	}
	address, err := netip.ParseAddr(strings.TrimSpace(said))
	address = address.Unmap()
	if err != nil || !address.IsGlobalUnicast() || address.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("it tells %q, which is no address of the internet", said)
	}
	return address, nil
}
