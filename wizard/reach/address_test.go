package reach

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestParseEndpoint_AcceptsCommonForms(t *testing.T) {
	for text, want := range map[string]string{
		"registry.example.net":                     "https://registry.example.net",
		"Registry.Example.NET.":                    "https://registry.example.net",
		" mail.example.net:25 ":                    "tcp://mail.example.net:25",
		"registry.example.net:443":                 "tcp://registry.example.net:443",
		"registry.example.net/v2/":                 "https://registry.example.net/v2/",
		"10.9.0.5":                                 "https://10.9.0.5",
		"10.9.0.5:5000":                            "tcp://10.9.0.5:5000",
		"2001:db8::1":                              "https://[2001:db8::1]",
		"[2001:DB8:0::1]:5000":                     "tcp://[2001:db8::1]:5000",
		"::ffff:10.9.0.5":                          "https://10.9.0.5",
		"HTTPS://example.net:443/":                 "https://example.net",
		"https://example.net:8443/a?b=c":           "https://example.net:8443/a?b=c",
		"http://example.net:80":                    "http://example.net",
		"ssh://git.example.net:22#SHA256:abc":      "ssh://git.example.net#SHA256:abc",
		"tcp://example.net:00443":                  "tcp://example.net:443",
		"https://bücher.example":                   "https://xn--bcher-kva.example",
		"zone://example.net":                       "zone://example.net",
		"dns://10.9.0.53/example.net":              "dns://10.9.0.53/example.net",
		"closed://api.example.net:22623":           "closed://api.example.net:22623",
		"registry://some_host.example.net:5000":    "registry://some_host.example.net:5000",
		"graph://updates.example.net/g?channel=x1": "graph://updates.example.net/g?channel=x1",
	} {
		got, err := ParseEndpoint(text)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
		if again, err := ParseEndpoint(got); err != nil || again != got {
			t.Errorf("%q is read as %q a second time, %v", got, again, err)
		}
	}
}

func TestParseEndpoint_RefusesUnsupported(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "is empty",
		"htps://example.net/a":               `unsupported scheme "htps"; allowed: one of https,`,
		"htp://example.net":                  "did you mean http://example.net?",
		"gopher://example.net":               `unsupported scheme "gopher"`,
		"https:example.net":                  "did you mean https://example.net?",
		"tcp://example.net":                  "the port is missing; allowed: tcp://host:port",
		"tcp://example.net:0":                `the port "0" is not valid; allowed: 1 to 65535`,
		"example.net:70000":                  `the port "70000" is not valid`,
		"example.net:https":                  `the port "https" is not valid`,
		"https://example.net:-1":             `the port "-1" is not valid`,
		"https://":                           "the host is missing",
		"https://a..b":                       "not a valid name or address",
		"https://-a.example.net":             "not a valid name or address",
		"https://*.example.net":              "wildcards are not supported",
		"https://256.1.1.1":                  "not an IPv4 address",
		"https://010.1.1.1":                  "not an IPv4 address",
		"https://1.2.3":                      "not an IPv4 address",
		"https://2001:db8::1":                "needs brackets",
		"https://[fe80::1%25eth0]":           "interface zone",
		"https://user:s3cret@example.net":    "contains credentials",
		"s3cret@example.net":                 "contains credentials",
		"https://s3cret@[::1":                "contains credentials",
		"https://example.net/#a":             `contains "#"`,
		"tcp://example.net:5000/v2":          "tcp does not support a path",
		"zone://example.net:53":              "a DNS zone has no port",
		"https://example.net/\x1b[2J":        "control characters",
		"https://example.net/a b":            "whitespace",
		"https://example.net/\u202egro":      "control characters",
		"https://example.net/\xff":           "control characters",
		"https://" + strings.Repeat("a", 64): "not a valid name or address",
		strings.Repeat("a.", 400) + "net":    "is 803 characters long",
		"javascript:alert(1)":                `the port "alert(1)" is not valid`,
	} {
		got, err := ParseEndpoint(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 250 {
			t.Errorf("%q: the error tells too much: %v", text, err)
		}
	}
}

func TestParseEndpoint_AnyInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`(https|tcp|ssh|zone|x)?:?/{0,2}[a-zA-Z0-9.:@\[\]%#?/*_-]{0,30}`)).Draw(t, "text")
		address, err := ParseEndpoint(text)
		var failure AddressError
		switch {
		case err != nil && !errors.As(err, &failure):
			t.Fatalf("%q: %v is another error", text, err)
		case err != nil:
			if shown := err.Error(); strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) || failure.Problem == "" {
				t.Fatalf("%q: %q", text, shown)
			}
		default:
			check := newCustomerCheck("A", address)
			if again, err := ParseEndpoint(address); err != nil || again != address || check.Kind() == "" || strings.Contains(check.Target(), "@") {
				t.Fatalf("%q: %q is then %q, %v", text, address, again, err)
			}
		}
	})
}

func TestTarget_HidesPassword(t *testing.T) {
	for url, want := range map[string]string{
		"https://user:secret@quay.io": "quay.io:443", "ssh://git@git.vshn.net": "git.vshn.net:22", "zone://example.net": "example.net",
		"https://user:secret@quay.io:99999999/%zz": "unreadable address", "registry://[2001:db8::1]": "[2001:db8::1]:443",
	} {
		if got := (Check{URL: url}).Target(); got != want {
			t.Errorf("%s: %s", url, got)
		}
	}
}
