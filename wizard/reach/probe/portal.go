package probe

import (
	"context"
	"crypto/x509"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"exoshift/wizard/reach"
)

const portalLimit = 3 * time.Second

// A captive portal or a blocking page redirects away from the service, to an address without a public name, or without
// TLS.
func isPortal(from, to *url.URL) bool {
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

// detectPortal sends plain HTTP to the host and returns reach.Captive if a login page answers, or else class. Shown is
// the certificate that the host presented, if it did.
func (a *attempt) detectPortal(ctx context.Context, class reach.Class, shown *x509.Certificate) reach.Class {
	if a.evidence[reach.EvidenceProxy] != "" || a.isPlainHTTP() {
		return class
	}
	ctx, cancel := context.WithTimeout(ctx, portalLimit)
	defer cancel()
	page := &url.URL{Scheme: "http", Host: a.target.host, Path: "/"}
	bare, err := a.next(page)
	if err != nil {
		return class
	}
	bare.addresses = a.addresses
	r, err := bare.get(ctx, call{url: bare.target.url})
	if getClass(err) == reach.Captive {
		return reach.Captive
	}
	to, redirected := parseRedirect(bare.target.url, r)
	if err == nil && redirected && isPortalRedirect(a.target.host, to, shown) {
		a.record(reach.EvidenceStatus, r.line+" to "+to.Host)
		return reach.Captive
	}
	return class
}

// Captive portals often redirect plain HTTP only, and close every other port.
func (a *attempt) handleClosedPort(ctx context.Context, err error) error {
	class := getClass(err)
	if class != reach.Refused && class != reach.TCPTimeout && class != reach.Reset || a.target.port != "443" {
		return err
	}
	if portal := a.detectPortal(ctx, class, nil); portal != class {
		return a.fail(&a.layers.TCP, portal, errors.New("a web page of the network answers, and nothing else"))
	}
	return err
}

// A captive portal redirects to the host whose certificate was shown, to an internal one, or to one without TLS. Services
// redirect, too, but to TLS.
func isPortalRedirect(host string, to *url.URL, shown *x509.Certificate) bool {
	if isSameDomain(host, to.Hostname()) {
		return false
	}
	return to.Scheme == "http" || isInternalName(to.Hostname()) || shown != nil && shown.VerifyHostname(to.Hostname()) == nil
}
