package recognize_test

import (
	"strings"
	"testing"

	"exoshift/wizard/recognize"
)

// secretsByForm are made up, one of each form that is recognized.
func secretsByForm() map[string]string {
	return map[string]string{
		"a private key":        "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
		"an API key":           "EXO0123456789abcdef01234567",
		"a Vault token":        "hvs.CAESIJ0123456789abcdef",
		"a token of GitLab":    "glpat-0123456789abcdefghij",
		"a token of GitHub":    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
		"a token":              "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ5b3UifQ.c2ln",
		"a token of OpenShift": "sha256~0123456789abcdefghijABCDEFGHIJ0123456789ab",
		"a pull secret":        `{"auths":{"quay.io":{"auth":"eW91OnNlY3JldA=="}}}`,
	}
}

func TestSecret(t *testing.T) {
	for what, secret := range secretsByForm() {
		if got := recognize.Secret("see " + secret + " there"); got != what {
			t.Errorf("%s is found to be %q", what, got)
		}
	}
	for _, harmless := range []string{
		"", "c-demo-1", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0123456789abcdefABCDEFabcdefABCDEFabcdefAB you@example.net",
		"EXOSCALE_API_KEY", "https://vault.example.net", "4.20.5", "/srv/you/glpat", "sha256:0123456789abcdef0123456789abcdef",
	} {
		if got := recognize.Secret(harmless); got != "" {
			t.Errorf("%q is found to be %q", harmless, got)
		}
	}
}

func TestSecretAsName(t *testing.T) {
	for _, secret := range []string{"{", "a\nb", `a"b`, strings.Repeat("aB3_", 11), strings.Repeat("x", 256), strings.Repeat("/abc", 1100), "-----BEGIN CERTIFICATE-----"} {
		if recognize.SecretAsName(secret) == "" {
			t.Errorf("%q is taken for a name", secret)
		}
	}
	for _, name := range []string{"EXOSCALE_API_KEY", "/srv/you/My Secrets/pull-secret.txt", "work", "~/x", strings.Repeat("/abc", 1000)} {
		if what := recognize.SecretAsName(name); what != "" {
			t.Errorf("%q is taken for %s", name, what)
		}
	}
}
