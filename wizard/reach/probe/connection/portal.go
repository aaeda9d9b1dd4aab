package connection

import (
	"crypto/x509"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

const portalLimit = 3 * time.Second

// IsPortal reports whether a redirect is that of a captive portal or a blocking page. A captive portal or a blocking page redirects away from the service, to an address without a public name, or without
// TLS.
func IsPortal(from, to *url.URL) bool {
	if isSameDomain(from.Hostname(), to.Hostname()) {
		return false
	}
	return from.Scheme == "http" || to.Scheme == "http" || isInternalName(to.Hostname())
}

func isSameDomain(a, b string) bool { return getRegisteredDomain(a) == getRegisteredDomain(b) }

func getRegisteredDomain(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}

func isInternalName(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return isInternal(address)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	switch host[strings.LastIndex(host, ".")+1:] {
	case host, "arpa", "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "private":
		return true
	}
	return false
}

// A captive portal redirects to the host whose certificate was shown, to an internal one, or to one without TLS. Services
// redirect, too, but to TLS.
func isPortalRedirect(host string, to *url.URL, shown *x509.Certificate) bool {
	if isSameDomain(host, to.Hostname()) {
		return false
	}
	return to.Scheme == "http" || isInternalName(to.Hostname()) || shown != nil && shown.VerifyHostname(to.Hostname()) == nil
}
