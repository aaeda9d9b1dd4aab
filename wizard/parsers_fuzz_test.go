package wizard

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/crypto/ssh"
)

// Canary is a credential that must never be repeated.
const Canary = "very-secret-value"

// Repeated returns the problem that holds a secret or terminal control characters.
func Repeated(faults []Problem, secret string) string {
	for _, fault := range faults {
		words := fault.Message + fault.Allowed + fault.Suggestion + fault.Hint
		if fault.Message == "" || strings.Contains(words, secret) || strings.ContainsFunc(words, unicode.IsControl) {
			return words
		}
	}
	return ""
}

// FuzzParseCIDR: openshift-install and the API of Exoscale read ranges by net.ParseCIDR.
func FuzzParseCIDR(f *testing.F) {
	for _, seed := range []string{"10.0.0.0/16", "10.0.0.1/16", "::/0", "2001:DB8::/32", "::ffff:10.0.0.0/112", "fe80::%eth0/64", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.0/33", "", "\x1b[2J/1", "1.2.3.4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for name, rule := range map[string]rule{"any": validateRange, "ipv4": validateIPv4Range, "services": validateServiceRange} {
			faults := rule(value)
			if words := Repeated(faults, Canary); words != "" {
				t.Fatalf("%s: %q is told as %q", name, value, words)
			}
			if faults != nil {
				for _, fault := range faults {
					if fault.Suggestion != "" && validateRange(fault.Suggestion) != nil {
						t.Fatalf("%s: %q leads to %q, which is refused", name, value, fault.Suggestion)
					}
				}
				continue
			}
			address, network, err := net.ParseCIDR(value)
			prefix, own := netip.ParsePrefix(value)
			if err != nil || own != nil || !address.Equal(network.IP) || network.String() != prefix.String() {
				t.Fatalf("%s: %q is %s for us and %s for others, %v, %v", name, value, prefix, network, own, err)
			}
			if name != "any" && network.IP.To4() == nil {
				t.Fatalf("%s: %q", name, value)
			}
		}
	})
}

// FuzzProxy fuzzes the proxy's URL and noProxy.
func FuzzProxy(f *testing.F) {
	for _, seed := range []string{
		"http://proxy.example.net:3128", "http://user:" + Canary + "@proxy:1", "https://[::1]:3128/", "http://p?x", "*", ".example.net,10.0.0.0/8,::1", "fe80::1%\x1b[2J",
		"fe80::1%eth0,a", "a, b", "http://\x7f", "ftp://a", ",", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, secret := range []string{Canary + value, value + Canary, "http://a:" + Canary + "@" + value} {
			if words := Repeated(newProxyRule("http", "https")(secret), Canary); words != "" {
				t.Fatalf("%q is told as %q", secret, words)
			}
		}
		faults := newProxyRule("http", "https")(value)
		if u, err := url.Parse(value); faults == nil && (err != nil || u.User != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/") {
			t.Fatalf("%q is no proxy", value)
		}
		faults = validateNoProxy(value)
		if words := Repeated(faults, "\n"); words != "" {
			t.Fatalf("%q is told as %q", value, words)
		}
		if faults == nil && value != "*" && strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == '%' }) {
			t.Fatalf("%q is reached without a proxy", value)
		}
	})
}

// FuzzAuthorizedKey: a private key may have been pasted, so a refused value is never repeated.
func FuzzAuthorizedKey(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKpMpSEws+01sdyRHhWJvZjZczk/4beFHZsFOSkRuIFh"
	for _, seed := range []string{key, key + " me\n", key + "\n" + key, `no-pty,command="a b" ` + key, "# " + key + "\n" + key, key + " \x1b[2J", "\n" + key, "-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "ssh-ed25519 AAAA", "", key + " \u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		faults := ValidateSSHKey(value)
		for _, private := range []string{Canary + value, value + Canary, value + "\n" + Canary} {
			if words := Repeated(ValidateSSHKey(private), Canary); words != "" {
				t.Fatalf("%q is told as %q", private, words)
			}
		}
		if faults != nil {
			return
		}
		known, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(strings.TrimSpace(value) + "\n" + key + "\n")) // as openshift-install gets it
		if err != nil || len(options) > 0 || strings.TrimSpace(string(rest)) != key {
			t.Fatalf("%q is more than a key: %v, %q, %q, %v", value, known, options, rest, err)
		}
	})
}
