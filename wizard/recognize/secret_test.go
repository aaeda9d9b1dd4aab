package recognize_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"exoshift/wizard/recognize"
)

// secretsByForm are made up, one of each form that is recognized.
func secretsByForm() map[string]string {
	return map[string]string{
		"a private key":         "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
		"an age key":            "AGE-SECRET-KEY-1" + strings.Repeat("Q9", 29),
		"the URL of a webhook":  "https://hooks.slack.com/services/T00000000/B00000000/xxxxxxxxxxxxxxxxxxxxxxxx",
		"a URL with a password": "https://you:s3cret@git.example.net/customer",
		"an API key":            "EXO0123456789abcdef01234567",
		"a Vault token":         "hvs.CAESIJ0123456789abcdef",
		"a token of GitLab":     "glpat-0123456789abcdefghij",
		"a token of GitHub":     "ghp_0123456789abcdefghijABCDEFGHIJ012345",
		"a token":               "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ5b3UifQ.c2ln",
		"a token of OpenShift":  "sha256~0123456789abcdefghijABCDEFGHIJ0123456789ab",
		"a pull secret":         `{"auths":{"quay.io":{"auth":"eW91OnNlY3JldA=="}}}`,
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

func TestSecret_InBase64AndOfOtherServices(t *testing.T) {
	for secret, what := range map[string]string{
		strings.Repeat("aB3_", 11):          "a secret", // the whole text
		"see " + strings.Repeat("aB3_", 11): "",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA PRIVATE KEY-----\nMIIE")):     "a private key",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN PRIVATE KEY-----\nMIIE")):         "a private key",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN EC PRIVATE KEY-----\nMIIE")):      "a private key",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl")): "a private key",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\nMIIE")):         "",
		base64.StdEncoding.EncodeToString([]byte(`{"auths":{"quay.io":{"auth":"eW91Om1l"}}}`)): "a pull secret",
		"age-secret-key-1" + strings.Repeat("q9", 29):                                          "an age key",
		"age1" + strings.Repeat("q9", 29):                                                      "", // public
		"https://discord.com/api/webhooks/1234567890/abcdefghijklmnopqrstuvwxyz":               "the URL of a webhook",
		"https://example.webhook.office.com/webhookb2/0123":                                    "the URL of a webhook",
		"https://chat.example.net/hooks/abcdefghijklmnopqrstuvwxyz":                            "the URL of a webhook",
		"https://git.example.net/webhooks/readme":                                              "",
		"https://you@git.example.net:8443/customer":                                            "",
		"ssh://git@git.example.net:22/customer":                                                "",
	} {
		if got := recognize.Secret(secret); got != what {
			t.Errorf("%q is found to be %q, want %q", secret, got, what)
		}
	}
}

func TestSecretAsName(t *testing.T) {
	for _, secret := range []string{"{", "a\nb", `a"b`, strings.Repeat("aB3_", 11), strings.Repeat("x", 256), strings.Repeat("/abc", 1100), "-----BEGIN CERTIFICATE-----", "s.abcdEFGHijklMNOPqrst0123"} {
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
