package bootstraphost

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

const (
	gatewayPort = 19531
	// firstEntries is how many entries the first request reads, from the end of the journal; maxEntries bounds every request, and
	// the rest is read by the next.
	firstEntries = 200
	maxEntries   = 1000
	// maxJournal bounds, in bytes, what is read of a response.
	maxJournal = 4 << 20
)

func listUnits() []string {
	return []string{
		"release-image.service", "node-image-pull.service", "node-image-overlay.service", "bootkube.service",
		"approve-csr.service", "progress.service", "kubelet.service",
	}
}

// gateway reads the machine's journal from systemd-journal-gatewayd.
type gateway struct {
	net    network.Network
	client *http.Client
	cursor string // of the last entry that was read
}

func newGateway(net network.Network) *gateway { return &gateway{net: net} }

func (g *gateway) close() {
	if g.client != nil {
		g.client.CloseIdleConnections()
		g.client = nil
	}
}

func (g *gateway) readLines(ctx context.Context, address netip.Addr, who *identity) ([]state.JournalLine, error) {
	const op = "read the journal of the bootstrap machine"
	body, err := g.fetch(ctx, address, who)
	if err != nil {
		g.close()
		return nil, g.toFault(op, err)
	}
	defer func() { _ = body.Close() }()
	lines, err := g.parseEntries(body)
	if err != nil {
		return lines, fault.New(fault.Transient, op, err)
	}
	return lines, nil
}

func (g *gateway) toFault(op string, err error) error {
	var foreign *tls.CertificateVerificationError
	if errors.As(err, &foreign) {
		return fault.New(fault.Conflict, op, err).
			WithHint("check which machine has its address: another one, or one with other keys")
	}
	return fault.New(fault.Transient, op, err)
}

func (g *gateway) fetch(ctx context.Context, address netip.Addr, who *identity) (io.ReadCloser, error) {
	if g.client == nil {
		g.client = newClient(g.net, address, who)
	}
	query := url.Values{"_SYSTEMD_UNIT": listUnits()} // any of them
	target := url.URL{Scheme: "https", Host: netip.AddrPortFrom(address, gatewayPort).String(), Path: "/entries", RawQuery: query.Encode()}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Range", g.formatRange())
	response, err := g.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusPartialContent {
		_ = response.Body.Close()
		return nil, fmt.Errorf("its gateway answers %s", response.Status)
	}
	return response.Body, nil
}

// formatRange requests the end of the journal at first, later the entries from the cursor on: "entries=CURSOR:SKIP: COUNT", see
// systemd-journal-gatewayd(8). The cursor's own entry is repeated, because skipping it is not safe at the end of the journal.
func (g *gateway) formatRange() string {
	if g.cursor == "" {
		return fmt.Sprintf("entries=:-%d:%d", firstEntries, maxEntries)
	}
	return fmt.Sprintf("entries=%s:0:%d", g.cursor, maxEntries)
}

// parseEntries parses one JSON object per line, and returns the entries of an incomplete response.
func (g *gateway) parseEntries(body io.Reader) ([]state.JournalLine, error) {
	var lines []state.JournalLine
	scanner := bufio.NewScanner(io.LimitReader(body, maxJournal))
	scanner.Buffer(nil, maxJournal)
	for scanner.Scan() {
		read, ok := parseEntry(scanner.Bytes())
		if !ok || read.Cursor == g.cursor {
			continue
		}
		g.cursor = read.Cursor
		if line, worth := read.toLine(); worth {
			lines = append(lines, line)
		}
	}
	return lines, scanner.Err()
}

func newClient(network network.Network, address netip.Addr, who *identity) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return connect(ctx, network, address, gatewayPort)
		},
		TLSClientConfig: &tls.Config{
			RootCAs: who.server, ServerName: who.name, Certificates: []tls.Certificate{who.client}, MinVersion: tls.VersionTLS12,
		},
		MaxIdleConnsPerHost: 1,
	}}
}
