package wizard_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"exoshift/wizard"
)

func TestIsTypable_ValueCharacters(t *testing.T) {
	for key, c := range map[string]struct{ yes, no string }{
		"cluster.id":               {"c-demo-1", "C_. é"},
		"cluster.baseDomain":       {"a.example-1.net", "A_ /"},
		"sizing.workers.count":     {"0123456789", "-+ ex."},
		"network.podCIDR":          {"10.0.0.0/8", ", :a"},
		"network.customerNetworks": {"10.0.0.0/8, 2001:dB8::/32", "gx_"},
		"dns.acme":                 {"true", "yx1"},
		"openshift.version":        {"4.20.0-okd-scos.11", "V_ "},
		"sizing.workers.type":      {"standard.extra-large", "S_ "},
		"cluster.displayName":      {"Größe 7, 日本", "\t\u202e\u00a0"},
		"exoscale.apiKey":          {"file:/tmp/a b", "\x1b"},
		"openshift.proxy.noProxy":  {".a.net,10.0.0.0/8,::1,*", " _"},
		"syn.lieutenantURL":        {"https://A.b/c?d=%20_", " é"},
	} {
		for _, r := range c.yes {
			if !field(t, key).IsTypable(r) {
				t.Errorf("%s: %q cannot be typed", key, r)
			}
		}
		for _, r := range c.no {
			if field(t, key).IsTypable(r) {
				t.Errorf("%s: %q can be typed", key, r)
			}
		}
	}
}

func TestIsTypable_RefusesControlCharacters(t *testing.T) {
	for _, f := range wizard.Fields() {
		for _, r := range "\x00\n\r\t\x1b\x7f\u0085\u2028\u200b\u202e\ufeff" + string(utf8.RuneError) {
			if r != utf8.RuneError && f.IsTypable(r) {
				t.Errorf("%s: %q can be typed", f.Key, r)
			}
		}
	}
}

func TestIsTypable_EveryValidValue(t *testing.T) {
	for _, f := range wizard.Fields() {
		for _, value := range append(f.Choices, f.Example, f.Default(), f.Suggestion(valid())) {
			if i := strings.IndexFunc(value, func(r rune) bool { return !f.IsTypable(r) }); i >= 0 {
				t.Errorf("%s: %q cannot be typed at its byte %d", f.Key, value, i)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		spec := anySpec(t)
		for _, f := range wizard.Fields() {
			if f.Shape() == wizard.Table || f.Shape() == wizard.Text && len(f.Choices) == 0 {
				continue // for pasted text only
			}
			if value := f.Get(spec); strings.ContainsFunc(value, func(r rune) bool { return !f.IsTypable(r) }) {
				if f.Shape() != wizard.Reference {
					t.Fatalf("%s: %q cannot be typed", f.Key, value)
				}
			}
		}
	})
}
