package reach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
)

// Discovery holds the addresses that Lieutenant publishes; missing ones are empty.
type Discovery struct {
	OIDC  string // https URL of the openid-configuration of the single sign-on
	Vault string // https URL of Vault
}

// Bounds of a discovery.
const (
	discoveryTime = 5 * time.Second
	discoverySize = 64 << 10
)

// Discover fetches the addresses of the single sign-on and of Vault from a Lieutenant. They are only addresses to probe:
// https without credentials is accepted, nothing else.
func Discover(ctx context.Context, n network.Network, lieutenantURL string) (Discovery, error) {
	const op = "get the addresses of the single sign-on and Vault from Lieutenant"
	address, err := parseHTTPSURL(lieutenantURL)
	if err != nil {
		return Discovery{}, fault.New(fault.Invalid, op, fmt.Errorf("its own address: %w", err)).
			WithHint("use a URL like https://api.syn.example.net").WithField("syn.lieutenantURL")
	}
	ctx, cancel := context.WithTimeout(ctx, discoveryTime)
	defer cancel()
	content, err := fetchPage(ctx, n, strings.TrimRight(address, "/")+"/")
	if err != nil {
		return Discovery{}, fault.New(fault.Transient, op, err).WithHint("see the connectivity check of Lieutenant")
	}
	discovery, err := readDiscovery(content)
	if err != nil {
		return discovery, fault.New(fault.Invalid, op, err).WithHint("report the response of %s to the operator of Lieutenant", address)
	}
	return discovery, nil
}

// fetchPage follows no redirects: an API has none at its root, a login page has.
func fetchPage(ctx context.Context, n network.Network, address string) ([]byte, error) {
	client := n.NewAPIClient(network.Limits{Bytes: discoverySize, Time: discoveryTime})
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP status %d", response.StatusCode)
	}
	return io.ReadAll(response.Body)
}

// readDiscovery returns what is usable, and the rest as an error beside it.
func readDiscovery(content []byte) (Discovery, error) {
	var document struct {
		OIDC struct {
			DiscoveryURL string `json:"discoveryUrl"`
		} `json:"oidc"`
		Vault struct {
			Addr string `json:"addr"`
		} `json:"vault"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		return Discovery{}, errors.New("not a Lieutenant response")
	}
	var discovery Discovery
	var oidc, vault error
	if text := document.OIDC.DiscoveryURL; text != "" {
		discovery.OIDC, oidc = parseHTTPSURL(text)
	}
	if text := document.Vault.Addr; text != "" {
		discovery.Vault, vault = parseHTTPSURL(text)
	}
	if oidc != nil {
		oidc = fmt.Errorf("its single sign-on URL: %w", oidc)
	}
	if vault != nil {
		vault = fmt.Errorf("its Vault URL: %w", vault)
	}
	return discovery, errors.Join(oidc, vault)
}

// parseHTTPSURL accepts https without credentials only.
func parseHTTPSURL(text string) (string, error) {
	if scheme, _, _ := strings.Cut(text, "://"); !strings.EqualFold(scheme, "https") {
		return "", errors.New("not an https URL")
	}
	address, err := ParseEndpoint(text)
	if err != nil {
		return "", err
	}
	if u, err := url.Parse(address); err != nil || u.RawQuery != "" {
		return "", errors.New("not a plain URL")
	}
	return address, nil
}
