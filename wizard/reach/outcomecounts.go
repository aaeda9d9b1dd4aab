package reach

import (
	"net/netip"

	"golang.org/x/net/publicsuffix"
)

// outcomeCounts is how the checks of one source went.
type outcomeCounts struct {
	tried     map[Class]int // checks that could have failed in this way
	failed    map[Class]int
	connected bool            // at least one connection was made
	answered  map[string]bool // resolvers that answered at least one query
}

func countOutcomes(report Report) map[string]*outcomeCounts {
	all := map[string]*outcomeCounts{}
	layers := map[string][4]int{}
	for _, r := range report.Results {
		if all[r.Source] == nil {
			all[r.Source] = &outcomeCounts{tried: map[Class]int{}, failed: map[Class]int{}, answered: map[string]bool{}}
		}
		c, tried := all[r.Source], layers[r.Source]
		for i, layer := range []Layer{r.Layers.DNS, r.Layers.TCP, r.Layers.TLS, r.Layers.HTTP} {
			if layer == LayerOK || layer == LayerFail {
				tried[i]++
			}
		}
		layers[r.Source] = tried
		c.connected = c.connected || r.Layers.TCP == LayerOK
		if r.Layers.DNS == LayerOK {
			c.answered[r.Evidence[EvidenceResolver]] = true
		}
		if r.Verdict == Warn || r.Verdict == Fail {
			c.failed[r.Class]++
		}
	}
	for source, c := range all {
		if c.mapClass(TCPTimeout) == Prohibited {
			c.failed[Prohibited] += c.failed[TCPTimeout]
		}
		for class := range c.failed {
			c.tried[class] = layers[source][findLayer(class)]
		}
	}
	return all
}

// mapClass returns the class of the cause of a failure: routers limit how often they answer that a connection is prohibited, and
// to the other attempts of a run they are silent.
func (c *outcomeCounts) mapClass(class Class) Class {
	if class == TCPTimeout && c.failed[Prohibited] >= minSharedChecks {
		return Prohibited
	}
	return class
}

// findLayer returns the index of the layer that fails with a class.
func findLayer(class Class) int {
	switch class {
	case NXDomain, ServFail, DNSTimeout, DNSRefused, NoResolver, SplitView:
		return 0
	case Refused, TCPTimeout, NoRoute, Prohibited, NoIPv4, UDPTimeout, ProxyRefused, ProxyAuth, ProxyPassword, ProxyUnknown, ProxySilent, ProxyPort:
		return 1
	case Untrusted, Inspected, SharedIssuer, WrongHostname, Expired, TLSTimeout, MTU, TLSFailure, Reset:
		return 2
	}
	return 3
}

// isCommon reports whether most checks that could fail with a class did, or all ended before a connection.
func (c *outcomeCounts) isCommon(class Class) bool {
	return 2*c.failed[class] > c.tried[class] || findLayer(class) == 1 && !c.connected
}

func (c *outcomeCounts) isTotal(class Class) bool { return c.failed[class] >= c.tried[class] }

// findDomain returns the registered domain of a host, "" for an address.
func findDomain(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return ""
	}
	return domain
}
