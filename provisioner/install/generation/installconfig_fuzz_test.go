package generation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// FuzzInstallConfig: parsed by the library that openshift-install uses, the configuration equals the answers.
func FuzzInstallConfig(f *testing.F) {
	for _, seed := range []string{
		`{"auths":{"quay.io":{"auth":"dTpw"}}}`, "a: b", "- x", "# c", "yes", "0x10", "1e3", "~", "'", "\"\\", "a\nb\n", "\n a", " a ", "\ttab", "a #b", "%x", "@a", "`", "&a", "*a", "!!str", "? a", "---", "2026-05-04", "\u0085\u2028\ufeff", "\x00\x1b", "é", "",
	} {
		f.Add(seed, seed, seed, seed)
	}
	f.Fuzz(func(t *testing.T, pullSecret, sshKey, noProxy, bundle string) {
		for _, text := range []string{pullSecret, sshKey, noProxy, bundle} {
			// An answer is text, and the wizard refuses control characters; JSON of a pull secret has none but white
			// space. The library refuses them, too, but for U+0085, which it parses as a line break.
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
				return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' || r == '\ufffe' || r == '\uffff'
			}) {
				return
			}
		}
		s := spec()
		s.OpenShift.Proxy.HTTP, s.OpenShift.Proxy.NoProxy = "http://proxy:3128", noProxy
		s.OpenShift.TrustBundle = filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(s.OpenShift.TrustBundle, []byte(bundle), 0o600); err != nil {
			t.Fatal(err)
		}
		rendered, err := buildInstallConfig(s, sshKey, pullSecret)
		if err != nil {
			t.Fatalf("%q: %v", []string{pullSecret, sshKey, noProxy, bundle}, err)
		}
		var got config
		if err := yaml.UnmarshalStrict(rendered, &got); err != nil {
			t.Fatalf("%v in\n%s", err, rendered)
		}
		want := strings.TrimSpace(strings.TrimPrefix(bundle, "\ufeff")) + "\n"
		if got.PullSecret != pullSecret || got.SSHKey != sshKey || got.Proxy["noProxy"] != JoinNoProxy(s) && noProxy != "*" || got.TrustBundle != want || got.BaseDomain != s.Cluster.BaseDomain {
			t.Fatalf("%q, %q, %q, %q are read of\n%s", got.PullSecret, got.SSHKey, got.Proxy["noProxy"], got.TrustBundle, rendered)
		}
	})
}
