package wizard_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"exoshift/wizard"
	"exoshift/wizard/local"
)

// authority returns a certificate that is valid for a day from that time.
func authority(t *testing.T, name string, from time.Time) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: from.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return block("CERTIFICATE", der)
}

func block(kind string, content []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
}

// bundledCertificate returns the problems and warnings of a trust bundle, each without its path.
func bundledCertificate(t *testing.T, content string) (faults, warnings string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	spec := valid()
	spec.OpenShift.TrustBundle = path
	clean := func(faults []wizard.Problem) string {
		for _, f := range faults {
			if f.Field != "openshift.trustBundle" || !strings.HasPrefix(f.Message, path) {
				t.Errorf("want the field and the path, got %s", f)
			}
		}
		return strings.ReplaceAll(problems(faults), path, "")
	}
	return clean(local.CheckPaths(spec)), clean(local.CheckWarnings(spec, wizard.Secrets{}))
}

func TestTrustBundle_CertificatesOnly(t *testing.T) {
	ca := authority(t, "Demo CA", time.Now().Add(-time.Hour))
	at := func(n int) string { return strconv.Itoa(strings.Count(ca, "\n") + n) } // the nth line after a certificate
	der, _ := pem.Decode([]byte(ca))
	secret := block("PRIVATE KEY", []byte("s3cret"))
	for name, c := range map[string]struct{ content, want string }{
		"one":                       {ca, ""},
		"the same twice":            {ca + ca, ""},
		"white space around":        {"\n\n" + ca + "\n \n" + ca + "\n\n  ", ""},
		"lines of Windows":          {strings.ReplaceAll(ca, "\n", "\r\n"), ""},
		"no newline at the end":     {strings.TrimSpace(ca), ""},
		"nothing":                   {"", " is empty"},
		"white space":               {" \n", " is empty"},
		"text":                      {"s3cret", ", line 1: not a PEM certificate"},
		"text before":               {"# Demo CA\n" + ca, ", line 1: not a PEM certificate"},
		"text after":                {ca + "\n\ns3cret\n" + ca, ", line " + at(3) + ": not a PEM certificate"},
		"binary":                    {string(der.Bytes), ", line 1: not a PEM certificate"},
		"broken off":                {ca + ca[:len(ca)/2], ", line " + at(1) + ": not a PEM certificate"},
		"broken off before another": {ca + ca[:len(ca)/2] + "\n" + ca, ", line " + at(1) + ": not a PEM certificate"},
		"indented":                  {strings.ReplaceAll(ca, "-----BEGIN", "  -----BEGIN") + ca, ", line 1: not a PEM certificate"},
		"a private key":             {ca + secret, " contains a private key; remove it, and replace the key if it may have leaked"},
		"a damaged private key":     {ca + secret[:len(secret)/2], " contains a private key; remove it, and replace the key if it may have leaked"},
		"a public key":              {ca + block("PUBLIC KEY", []byte("s3cret")), ", line " + at(1) + `: a PEM block of type "PUBLIC KEY"`},
		"two things wrong":          {block("X509 CRL", nil) + block("CERTIFICATE", nil), `, line 1: a PEM block of type "X509 CRL"; , line 3: the certificate is invalid: x509: malformed certificate`},
		"large":                     {strings.Repeat("\n", 1<<20) + ca, " is larger than 1 MiB"},
		"a byte order mark":         {"\ufeff" + ca, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := bundledCertificate(t, c.content); got != c.want {
				t.Errorf("want %q\ngot  %q", c.want, got)
			}
		})
	}
}

func TestTrustBundle_Unreadable(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir + "/none": "cannot be read: stat " + dir + "/none: no such file or directory",
		"~/ca.pem":    "cannot be read: stat ~/ca.pem: no such file or directory  allowed: the full path: ~ is not expanded",
		dir:           dir + " is a directory, not a regular file",
	} {
		spec := valid()
		spec.OpenShift.TrustBundle = path
		if got := lines(local.CheckPaths(spec)); !strings.HasPrefix(got, "openshift.trustBundle  "+want) {
			t.Errorf("want %s\ngot  %s", want, got)
		}
		if warnings := local.CheckWarnings(spec, wizard.Secrets{}); len(warnings) > 0 {
			t.Errorf("a fault is no warning, too:\n%s", lines(warnings))
		}
	}
}

func TestTrustBundle_UnacceptedCertificatesWarn(t *testing.T) {
	now := time.Now()
	old, young := now.AddDate(0, 0, -10), now.AddDate(0, 0, 10)
	good := authority(t, "Good CA", now.Add(-time.Hour))
	faults, warnings := bundledCertificate(t, good+authority(t, "Old CA", old)+authority(t, "Young CA", young))
	height := strings.Count(good, "\n") // the others may differ by a line
	if faults != "" || height == 0 {
		t.Errorf("want no fault, got %q", faults)
	}
	for _, want := range []string{
		", line " + strconv.Itoa(height+1) + `: the certificate of "Old CA" expired on ` + old.UTC().AddDate(0, 0, 1).Format(time.DateOnly),
		`: the certificate of "Young CA" is not valid before ` + young.UTC().Format(time.DateOnly),
	} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no %q in %q", want, warnings)
		}
	}
	if strings.Contains(warnings, "Good CA") {
		t.Errorf("a warning without a reason: %s", warnings)
	}
}
