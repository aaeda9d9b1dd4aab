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
	status, text, err := h.fetch(ctx, balancer, "/address")
	if err != nil {
		return netip.Addr{}, fault.New(fault.Transient, op, err)
	}
	if status != http.StatusOK {
		text = ""
	}
	address, err := parseAddress(text)
	if err != nil {
		return netip.Addr{}, fault.New(fault.NotFound, op, err).
			WithHint("no action: only access to the bootstrap machine is missing")
	}
	return address, nil
}

// CheckMonitor returns nil if the monitor port behind an address, a load balancer's or an elastic IP's, answers that HAProxy is
// ready. An answer that is lost on the way is fault.Timeout, any other failure fault.Transient.
func (h *Host) CheckMonitor(ctx context.Context, address string) error {
	op := fmt.Sprintf("ask http://%s:%d/healthz", address, healthPort)
	asked, cancel := context.WithTimeout(ctx, collectTimeout)
	defer cancel()
	status, _, err := h.fetch(asked, address, "/healthz")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("it responds with status %d", status)
	}
	return toPortFault(op, err)
}

// CheckPort returns nil if a TCP port is open. Its errors are those of CheckMonitor.
func (h *Host) CheckPort(ctx context.Context, address string, port int) error {
	op := fmt.Sprintf("connect to %s:%d", address, port)
	target, err := netip.ParseAddr(address)
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	conn, err := connect(ctx, h.net, target, uint16(port)) //nolint:gosec // a port
	if err != nil {
		return toPortFault(op, err)
	}
	_ = conn.Close()
	return nil
}

func toPortFault(op string, err error) error {
	var late interface{ Timeout() bool }
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return fault.Newf(fault.Timeout, op, "no answer in time")
	}
	return fault.New(fault.Transient, op, err)
}

func (h *Host) fetch(ctx context.Context, balancer, path string) (status int, body string, err error) {
	target, err := netip.ParseAddr(balancer)
	if err != nil {
		return 0, "", err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return connect(ctx, h.net, target, healthPort)
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+netip.AddrPortFrom(target, healthPort).String()+path, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	const longest = 64
	content, err := io.ReadAll(io.LimitReader(response.Body, longest))
	return response.StatusCode, string(content), err
}

func parseAddress(text string) (netip.Addr, error) {
	if text == "" {
		return netip.Addr{}, errors.New("the response has no address")
	}
	address, err := netip.ParseAddr(strings.TrimSpace(text))
	address = address.Unmap()
	if err != nil || !address.IsGlobalUnicast() || address.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("its response %q is not a public address", text)
	}
	return address, nil
}
