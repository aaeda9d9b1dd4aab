package reach

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
)

// MaxEndpoints is how many endpoints of their own operators may have.
const MaxEndpoints = 500

// Customer is the group of the operator's own endpoints.
const Customer = "customer"

// Duplicates are checked once.
func newCustomerChecks(endpoints []string) ([]Check, error) {
	if len(endpoints) > MaxEndpoints {
		return nil, fmt.Errorf("checks.endpoints has %d items; at most %d are checked", len(endpoints), MaxEndpoints)
	}
	var addresses []string
	seen := map[string]bool{}
	for i, endpoint := range endpoints {
		address, err := ParseEndpoint(endpoint)
		if err != nil {
			return nil, fmt.Errorf("checks.endpoints[%d]: %w", i, err)
		}
		if !seen[address] {
			addresses = append(addresses, address)
		}
		seen[address] = true
	}
	ids := generateCustomerIDs(addresses)
	checks := make([]Check, len(addresses))
	for i, address := range addresses {
		checks[i] = newCustomerCheck(ids[i], address)
	}
	return checks, nil
}

func newCustomerCheck(id, address string) Check {
	check := Check{
		ID: id, Group: Customer, URL: address, From: []string{"nodes"}, Phase: "bootstrap", Owner: "customer", Severity: Must,
		Reason: "Added in the answers: the cluster must reach it.",
	}
	if check.Title = check.Target(); check.Kind() == "closed" {
		check.Reason = "Added in the answers: it must not be reachable."
	}
	return check
}

// An ID depends on the address alone, so that a list may be reordered; only IDs that collide are longer.
func generateCustomerIDs(addresses []string) []string {
	count := map[string]int{}
	for _, address := range addresses {
		count[generateCustomerID(address, 3)]++
	}
	ids := make([]string, len(addresses))
	for i, address := range addresses {
		if ids[i] = generateCustomerID(address, 3); count[ids[i]] > 1 {
			ids[i] = generateCustomerID(address, 8)
		}
	}
	return ids
}

func generateCustomerID(address string, bytes int) string {
	sum := sha256.Sum256([]byte(address))
	return "NET-CUS-" + strings.ToUpper(hex.EncodeToString(sum[:bytes]))
}

// normalizeURL drops the default port and an empty path.
func normalizeURL(u *url.URL) string {
	if port := u.Port(); port != "" && port == getDefaultPort(u.Scheme) {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "/" && u.RawQuery == "" {
		u.Path, u.RawPath = "", ""
	}
	return u.String()
}
