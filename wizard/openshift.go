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

// validateSSHKey never repeats the value: a private key may have been pasted.
func validateSSHKey(value string) []Problem {
	const allowed = "one line as in authorized_keys, e.g. the content of ~/.ssh/id_ed25519.pub"
	if strings.Contains(value, "PRIVATE KEY") {
		return newProblem("this is a private key; remove it from the file, and take a new one if others may have seen it", allowed, "")
	}
	_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(value))
	switch {
	case err != nil:
		return newProblem("the value is no SSH public key", allowed, "")
	case len(rest) > 0 || strings.ContainsAny(strings.TrimSpace(value), "\n\r"):
		return newProblem("the value is more than one line", allowed, "")
	case len(options) > 0:
		return newProblem("the key has options before it", "the key alone", "")
	}
	return validatePrintable(strings.TrimSpace(value))
}

// newProxyRule never repeats the value: it may hold a password.
func newProxyRule(schemes ...string) rule {
	allowed := strings.Join(schemes, "://host:port or ") + "://host:port"
	return func(value string) []Problem {
		u, err := url.Parse(value)
		switch {
		case err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "":
			return newProblem("the value is no address of a proxy", allowed, "")
		case !slices.Contains(schemes, u.Scheme):
			return newProblem("the scheme of the proxy is not known", allowed, "")
		case u.User != nil:
			return newProblem("the address holds credentials, which would be kept in the open", allowed, "")
		}
		return validatePrintable(value)
	}
}

// The rules are those of openshift-install.
func validateNoProxy(value string) []Problem {
	if value == "*" {
		return nil
	}
	if n := 1 + strings.Count(value, ","); n > maxItems {
		return newTooManyProblem(n, maxItems)
	}
	var faults []Problem
	for part := range strings.SplitSeq(value, ",") {
		address, notAddress := netip.ParseAddr(part)
		_, notRange := netip.ParsePrefix(part)
		if (notAddress != nil || address.Zone() != "") && notRange != nil && !isDomain(strings.TrimPrefix(part, ".")) {
			faults = append(faults, newProblem(quote(part)+" is neither an address, a range nor a domain",
				"a list separated by commas, without spaces and wildcards", "")...)
		}
	}
	return faults
}

// noProxy needs a proxy, and the proxy is outside of the cluster.
func checkProxy(spec state.Spec) []Problem {
	proxy := spec.OpenShift.Proxy
	var faults []Problem
	if proxy.NoProxy != "" && proxy.HTTP == "" && proxy.HTTPS == "" {
		faults = withField("openshift.proxy.noProxy", newProblem("there is no proxy to go without",
			"only with openshift.proxy.http or openshift.proxy.https", ""))
	}
	faults = append(faults, checkProxyOutside(spec, "openshift.proxy.http", proxy.HTTP)...)
	return append(faults, checkProxyOutside(spec, "openshift.proxy.https", proxy.HTTPS)...)
}

func checkProxyOutside(spec state.Spec, key, value string) []Problem {
	u, err := url.Parse(value)
	if err != nil {
		return nil
	}
	address, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return nil
	}
	for _, s := range listSpans(spec) {
		if (s.field == podKey || s.field == serviceKey) && s.prefix.Contains(address) {
			return withField(key, newProblem(fmt.Sprintf("%s is inside of %s, which is %s", address, s.field, s.prefix),
				"a proxy outside of the cluster", ""))
		}
	}
	return nil
}
