package installer

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

type proxy struct {
	HTTP    string `json:"httpProxy,omitempty"`
	HTTPS   string `json:"httpsProxy,omitempty"`
	NoProxy string `json:"noProxy,omitempty"`
}

func (p proxy) check(found *validationErrors, networks networking) {
	if p.HTTP == "" && p.HTTPS == "" {
		found.addRequired("proxy", "must include httpProxy or httpsProxy")
	}
	checkProxy(found, "proxy.httpProxy", p.HTTP, networks, "http")
	checkProxy(found, "proxy.httpsProxy", p.HTTPS, networks, "http", "https")
	if p.NoProxy == "" || p.NoProxy == "*" {
		return
	}
	if strings.ContainsAny(p.NoProxy, " \t\n") {
		found.addInvalid("proxy.noProxy", p.NoProxy, "noProxy must not have spaces")
		return
	}
	for i, element := range strings.Split(p.NoProxy, ",") {
		_, noAddress := netip.ParseAddr(element)
		_, noRange := netip.ParsePrefix(element)
		if noAddress != nil && noRange != nil && !subdomain.MatchString(strings.TrimPrefix(element, ".")) {
			found.addInvalid("proxy.noProxy", p.NoProxy,
				"each element of noProxy must be a IP, CIDR or domain without wildcard characters, which is violated by element %d %q", i, element)
		}
	}
}

func checkProxy(found *validationErrors, field, address string, networks networking, schemes ...string) {
	if address == "" {
		return
	}
	parsed, err := url.ParseRequestURI(address)
	if err != nil || parsed.Hostname() == "" {
		found.addInvalid(field, address, "must be a URL with a scheme and a host")
		return
	}
	found.checkOneOf(field, parsed.Scheme, schemes...)
	ip, err := netip.ParseAddr(parsed.Hostname())
	if err != nil {
		return
	}
	for _, network := range networks.ClusterNetwork {
		if prefix, err := netip.ParsePrefix(network.CIDR); err == nil && prefix.Contains(ip) {
			found.addInvalid(field, address, "proxy value is part of the cluster networks")
		}
	}
	for _, network := range networks.ServiceNetwork {
		if prefix, err := netip.ParsePrefix(network); err == nil && prefix.Contains(ip) {
			found.addInvalid(field, address, "proxy value is part of the service networks")
		}
	}
}

// buildNoProxy returns the default exceptions from the proxy in addition to the configured ones.
func (c installConfig) buildNoProxy() string {
	if c.Proxy.NoProxy == "*" {
		return "*"
	}
	list := []string{"127.0.0.1", "localhost", ".svc", ".cluster.local", "api-int." + c.clusterDomain()}
	for _, network := range slices.Concat(c.Networking.MachineNetwork, c.Networking.ClusterNetwork) {
		list = append(list, network.CIDR)
	}
	list = append(list, c.Networking.ServiceNetwork...)
	if c.Proxy.NoProxy != "" {
		list = append(list, strings.Split(c.Proxy.NoProxy, ",")...)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ",")
}

func (c installConfig) buildProxySpec() object {
	spec := object{"trustedCA": object{"name": ""}}
	if c.TrustBundle != "" && (c.TrustPolicy == trustAlways || c.Proxy != nil) {
		spec["trustedCA"] = object{"name": userBundle}
	}
	if c.Proxy != nil {
		spec["httpProxy"], spec["httpsProxy"], spec["noProxy"] = c.Proxy.HTTP, c.Proxy.HTTPS, c.Proxy.NoProxy
	}
	return spec
}

func (c installConfig) buildProxyStatus() object {
	if c.Proxy == nil {
		return object{}
	}
	return object{"httpProxy": c.Proxy.HTTP, "httpsProxy": c.Proxy.HTTPS, "noProxy": c.buildNoProxy()}
}
