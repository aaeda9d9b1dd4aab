package wizard

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/state"
)

// sshKey never repeats the value: a private key may have been pasted.
func sshKey(value string) []Fault {
	const allowed = "one line as in authorized_keys, e.g. the content of ~/.ssh/id_ed25519.pub"
	if strings.Contains(value, "PRIVATE KEY") {
		return wrong("this is a private key; remove it from the file, and take a new one if others may have seen it", allowed, "")
	}
	_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(value))
	switch {
	case err != nil:
		return wrong("the value is no SSH public key", allowed, "")
	case len(rest) > 0 || strings.ContainsAny(strings.TrimSpace(value), "\n\r"):
		return wrong("the value is more than one line", allowed, "")
	case len(options) > 0:
		return wrong("the key has options before it", "the key alone", "")
	}
	return printable(strings.TrimSpace(value))
}

// proxyURL never repeats the value: it may hold a password.
func proxyURL(schemes ...string) rule {
	allowed := strings.Join(schemes, "://host:port or ") + "://host:port"
	return func(value string) []Fault {
		u, err := url.Parse(value)
		switch {
		case err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "":
			return wrong("the value is no address of a proxy", allowed, "")
		case !slices.Contains(schemes, u.Scheme):
			return wrong("the scheme of the proxy is not known", allowed, "")
		case u.User != nil:
			return wrong("the address holds credentials, which would be kept in the open", allowed, "")
		}
		return printable(value)
	}
}

// noProxy wants what openshift-install accepts.
func noProxy(value string) []Fault {
	if value == "*" {
		return nil
	}
	if n := 1 + strings.Count(value, ","); n > maxItems {
		return tooMany(n, maxItems)
	}
	var faults []Fault
	for part := range strings.SplitSeq(value, ",") {
		address, notAddress := netip.ParseAddr(part)
		_, notRange := netip.ParsePrefix(part)
		if (notAddress != nil || address.Zone() != "") && notRange != nil && !isDomain(strings.TrimPrefix(part, ".")) {
			faults = append(faults, wrong(quote(part)+" is neither an address, a range nor a domain",
				"a list separated by commas, without spaces and wildcards", "")...)
		}
	}
	return faults
}

// proxyRules hold across the proxy's fields: noProxy alone means nothing, and the proxy is outside of the cluster.
func proxyRules(spec state.Spec) []Fault {
	proxy := spec.OpenShift.Proxy
	var faults []Fault
	if proxy.NoProxy != "" && proxy.HTTP == "" && proxy.HTTPS == "" {
		faults = of("openshift.proxy.noProxy", wrong("there is no proxy to go without",
			"only with openshift.proxy.http or openshift.proxy.https", ""))
	}
	faults = append(faults, proxyInside(spec, "openshift.proxy.http", proxy.HTTP)...)
	return append(faults, proxyInside(spec, "openshift.proxy.https", proxy.HTTPS)...)
}

func proxyInside(spec state.Spec, key, value string) []Fault {
	u, err := url.Parse(value)
	if err != nil {
		return nil
	}
	address, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil
	}
	for _, s := range spans(spec) {
		if (s.field == podKey || s.field == serviceKey) && s.prefix.Contains(address) {
			return of(key, wrong(fmt.Sprintf("%s is inside of %s, which is %s", address, s.field, s.prefix),
				"a proxy outside of the cluster", ""))
		}
	}
	return nil
}
