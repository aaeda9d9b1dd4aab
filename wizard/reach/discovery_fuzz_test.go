package reach

import (
	"net/url"
	"testing"
)

func FuzzReadDiscovery(f *testing.F) {
	for _, seed := range []string{
		`{"oidc": {"discoveryUrl": "https://sso.example.org/.well-known/openid-configuration"}, "vault": {"addr": "https://vault.example.org"}}`,
		`{"vault": {"addr": "https://user:pass@vault.example.org"}}`, `{"vault": {"addr": "HTTPS://[::1]:8200/?a"}}`, `{"oidc": null}`, "<html>", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		found, _ := readDiscovery(content)
		for _, address := range []string{found.OIDC, found.Vault} {
			if address == "" {
				continue
			}
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
				t.Fatalf("%q was taken from %q", address, content)
			}
			if again, err := parseHTTPSURL(address); err != nil || again != address {
				t.Fatalf("%q becomes %q, %v", address, again, err)
			}
		}
	})
}
