package local

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"exoshift/state"
	"exoshift/wizard"
)

// canary is a credential that must never be repeated.
const canary = "very-secret-value"

// repeated returns the problem that holds a secret or terminal control characters.
func repeated(faults []wizard.Problem, secret string) string {
	for _, fault := range faults {
		words := fault.Message + fault.Allowed + fault.Suggestion + fault.Hint
		if fault.Message == "" || strings.Contains(words, secret) || strings.ContainsFunc(words, unicode.IsControl) {
			return words
		}
	}
	return ""
}

func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzExoConfig reads the TOML that the program exo writes.
func FuzzExoConfig(f *testing.F) {
	for _, seed := range []string{
		"", "defaultAccount = 'work'\n[[accounts]]\nname = 'work'\nkey = 'EXO1'\nsecret = 'a'\n", "[[accounts]]\nname = \"work\"\nsecretCommand = ['pass', 'x']\n",
		"[[accounts]]\nNAME = 'work'\nSecretCommand = 'x'\nsecret = 1\n", "accounts = 1\n", "[accounts]\nname = 'work'\n", "x = [[[[[[", "a.b.c = {d = [1, '", "\xff", "\"\"\"",
	} {
		f.Add(seed, "work")
	}
	f.Fuzz(func(t *testing.T, content, name string) {
		content += "\n[[accounts]]\nname = 'other'\nsecret = '" + canary + "'"
		path := file(t, "exoscale.toml", []byte(content))
		lookup := func(variable string) (string, bool) { return path, variable == "EXOSCALE_CONFIG" }
		value, faults := readExoSecret(name, exoAccount.apiSecret, lookup)
		if words := repeated(faults, canary); words != "" {
			t.Fatalf("%q is told as %q", content, words)
		}
		if (value == "") != (faults != nil) {
			t.Fatalf("%q and %v of %q", value, faults, content)
		}
		if value != strings.TrimSpace(value) {
			t.Fatalf("%q", value)
		}
	})
}

// FuzzTrustBundle: what is accepted is what the cluster's own programs find in the file.
func FuzzTrustBundle(f *testing.F) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour), IsCA: true}
	content, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		f.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content}))
	for _, seed := range []string{
		"", certificate, certificate + "\n\n" + certificate, "\ufeff" + strings.ReplaceAll(certificate, "\n", "\r\n"), "# mine\n" + certificate,
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Headers: map[string]string{"Friendly": "name"}, Bytes: content})),
		"-----BEGIN PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", strings.Replace(certificate, "-----END", "-----BEGIN", 1),
		strings.Replace(certificate, "CERTIFICATE", "\x1b[2J", 2), certificate[:len(certificate)/2] + certificate,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		certificates, faults := readBundle(file(t, "bundle.pem", content))
		if words := repeated(faults, canary); words != "" || (faults == nil) != (len(certificates) > 0) {
			t.Fatalf("%d certificates, and %q", len(certificates), words)
		}
		if faults != nil {
			return
		}
		ours, theirs := x509.NewCertPool(), x509.NewCertPool()
		for _, each := range certificates {
			ours.AddCert(each.Certificate)
		}
		given := strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff")) + "\n" // as it is in install-config.yaml
		if !theirs.AppendCertsFromPEM([]byte(given)) || !ours.Equal(theirs) || strings.Contains(string(content), "PRIVATE KEY") {
			t.Fatalf("of %q the cluster reads something else", content)
		}
	})
}

func FuzzPullSecret(f *testing.F) {
	for _, seed := range []string{
		`{"auths": {"quay.io": {"auth": "dTpw"}, "registry.redhat.io": {"auth": "dTpw"}}}`, `{"auths": {"quay.io": {"auth": "` + canary + `"}}}`, `{"auths": {"a": null}}`,
		`{"auths": {"\u001b[2J": {}}}`, `{"auths": {"quay.io": {"auth": 1}}}`, `{"auths": {}}`, "null", "", `{"auths": {"a": {"auth": "Og=="}}}`, canary,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, distribution := range []string{wizard.OKD, "ocp"} {
			faults := pullSecretOf(distribution)(text)
			secret, problem := readPullSecret(text)
			if words := repeated(faults, "\n"); words != "" || problem != "" && faults == nil {
				t.Fatalf("%q is told as %q", text, words)
			}
			if words := repeated(faults, canary); words != "" && !strings.Contains(strings.Join(slices.Collect(maps.Keys(secret.Auths)), " "), canary) {
				t.Fatalf("%q is told as %q", text, words)
			}
			if n := len(secret.Auths); faults == nil && (n == 0 || distribution != wizard.OKD && n < 2) {
				t.Fatalf("%q has %d registries alone", text, n)
			}
			_ = checkPullSecret(state.Spec{OpenShift: state.OpenShiftSpec{Distribution: distribution}}, text)
		}
	})
}
