package installdir

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"
)

func selfSigned(f *testing.F) []byte {
	f.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(24 * time.Hour)}
	content, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		f.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content})
}

func FuzzRootCA(f *testing.F) {
	certificate := selfSigned(f)
	block, _ := pem.Decode(certificate)
	for _, source := range []string{
		"data:text/plain;charset=utf-8;base64," + base64.StdEncoding.EncodeToString(certificate),
		"data:;base64," + base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "TRUSTED CERTIFICATE", Bytes: block.Bytes})),
		"data:;base64," + base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Headers: map[string]string{"a": "b"}, Bytes: block.Bytes})),
		"data:,%zz", "https://example.net/ca", "",
	} {
		f.Add(fmt.Appendf(nil, `{"ignition": {"version": "3.2.0", "security": {"tls": {"certificateAuthorities": [{"source": %q}]}}}}`, source))
	}
	f.Add([]byte(`{"ignition": null}`))
	f.Fuzz(func(t *testing.T, pointer []byte) {
		authority, err := parseRootCA(pointer)
		switch {
		case err != nil && (err.Error() == "" || authority != nil):
			t.Fatalf("%q was refused with %q", authority, err)
		case err == nil && !x509.NewCertPool().AppendCertsFromPEM(authority):
			t.Fatalf("nobody can trust %q", authority)
		}
	})
}

func FuzzValidity(f *testing.F) {
	certificate := base64.StdEncoding.EncodeToString(selfSigned(f))
	for _, contents := range []string{
		`{"source": "data:;base64,` + certificate + `"}`, `{"source": "data:;base64,H4sIAAAAAAAA/wEAAP//AAAAAAAAAAA=", "compression": "gzip"}`,
		`{"source": "data:,", "compression": "xz"}`, `null`,
	} {
		f.Add([]byte(`{"storage": {"files": [{"path": "/opt/openshift/tls/root-ca.crt", "contents": ` + contents + `}]}}`))
	}
	f.Add([]byte(`{"storage": {"files": [null]}}`))
	f.Fuzz(func(t *testing.T, bootstrap []byte) {
		from, until, err := parseValidity(bootstrap)
		switch {
		case err != nil && err.Error() == "":
			t.Fatal("the error says nothing")
		case err == nil && (until.IsZero() || from.IsZero() && until.IsZero()):
			t.Fatalf("it is valid from %s until %s", from, until)
		}
	})
}

// FuzzIdentify checks that no error quotes a manifest, which may be a Secret.
func FuzzIdentify(f *testing.F) {
	for _, seed := range []string{
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\nstringData: {password: &a ", "kind: [1]\nstringData: ", "- ", "metadata: null\nx: ", "\"", "a: *", "{", "? ",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		const secret = "very-secret-value"
		object, err := parseObjectKey(append(content, secret...))
		if err != nil && (object != (objectKey{}) || strings.Contains(err.Error(), secret)) {
			t.Fatalf("%v is identified, %v", object, err)
		}
		if again, second := parseObjectKey(append(content, secret...)); again != object || (err == nil) != (second == nil) {
			t.Fatalf("%v, %v and then %v, %v", object, err, again, second)
		}
	})
}
