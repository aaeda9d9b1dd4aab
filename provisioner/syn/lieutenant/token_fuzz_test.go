package lieutenant

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"exoshift/internal/fault"
)

// FuzzOrigin parses the claims of an arbitrary token.
func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{`{"iss": "https://id.example.net", "sub": "a", "aud": "b"}`, `{"aud": ["b"]}`, `{"aud": ["b", 1]}`, `{"aud": null, "iss": 1}`, "null", "", "[]"} {
		f.Add("e30", []byte(seed))
	}
	f.Add("e30.e30.e30.e30", []byte("{}"))
	f.Fuzz(func(t *testing.T, head string, payload []byte) {
		token := head + "." + base64.RawURLEncoding.EncodeToString(payload) + ".c2ln"
		claims := parseClaims(token)
		if strings.Contains(head, ".") && (claims.Issuer != "" || claims.Subject != "" || claims.audience() != "") {
			t.Fatalf("%q is of %+v", token, claims)
		}
		for _, words := range []string{sanitize(claims.Issuer, token), sanitize(claims.Subject, token), sanitize(claims.audience(), token)} {
			if strings.ContainsFunc(words, func(r rune) bool { return !unicode.IsPrint(r) }) || strings.Contains(words, token) || len(words) > 4*maxReason+3 {
				t.Fatalf("%q is told as %q", payload, words)
			}
		}
	})
}

// FuzzInstallAddress checks that the token is sent to Lieutenant over TLS, and is in no error.
func FuzzInstallAddress(f *testing.F) {
	for _, seed := range []string{
		"https://api.example.net/install/steward.json?token=", "https://api.example.net:443/install?token=", "https://api.example.net:8443/?token=", "http://api.example.net/?token=", "https://a@api.example.net/?token=",
		"https://api.example.net.evil.net/?token=", "https://evil.net\\@api.example.net/?token=", "//api.example.net/?token=", "https://API.example.net/?token=", "https://\x7f/?token=", "?token=",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, installURL string) {
		const token = "very-secret-token"
		for _, given := range []string{installURL, installURL + token, "https://" + token + installURL + token} {
			address, err := parseInstallURL("https://api.example.net", given)
			if err != nil {
				words := err.Error() + fault.HintOf(err)
				asked, unread := url.Parse(given)
				secret := unread != nil || asked.Query().Get("token") == token
				if strings.ContainsFunc(words, unicode.IsControl) || secret && strings.Contains(words, token) {
					t.Fatalf("%q is told as %q", given, words)
				}
				continue
			}
			again, err := url.Parse(address.String())
			if err != nil || again.Scheme != "https" || again.Hostname() != "api.example.net" || again.Port() != "" && again.Port() != "443" || again.User != nil || again.Fragment != "" {
				t.Fatalf("the token goes to %s, %v", address, err)
			}
		}
	})
}
