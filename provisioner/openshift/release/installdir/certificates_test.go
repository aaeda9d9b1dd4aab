package installdir

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func certificate(t *testing.T, valid time.Duration) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	from := noon.Add(-time.Hour)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: from.Add(valid)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func bootstrapWith(t *testing.T, contents map[string][]byte) []byte {
	t.Helper()
	var files []any
	for name, content := range contents {
		compression := ""
		if unpacked, zipped := strings.CutSuffix(name, ".gz"); zipped {
			var packed bytes.Buffer
			writer := gzip.NewWriter(&packed)
			if _, err := writer.Write(content); err != nil {
				t.Fatal(err)
			}
			if err := writer.Close(); err != nil {
				t.Fatal(err)
			}
			name, content, compression = unpacked, packed.Bytes(), "gzip"
		}
		source := "data:text/plain;charset=utf-8;base64," + base64.StdEncoding.EncodeToString(content)
		files = append(files, map[string]any{"path": name, "contents": map[string]any{"source": source, "compression": compression}})
	}
	document, err := json.Marshal(map[string]any{"storage": map[string]any{"files": files}})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestParseValidity_EarliestExpiryWins(t *testing.T) {
	const day = 24 * time.Hour
	old := bytes.Join([][]byte{certificate(t, 365*day), certificate(t, 48*day)}, nil)
	for name, files := range map[string]map[string][]byte{
		"in a file":    {"/opt/openshift/tls/a.crt": certificate(t, day), "/opt/openshift/tls/b.crt": old},
		"in a bundle":  {"/opt/openshift/tls/a.crt": append(bytes.Clone(old), certificate(t, day)...)},
		"compressed":   {"/opt/openshift/tls/a.crt.gz": certificate(t, day), "/opt/openshift/tls/b.crt": old},
		"among others": {"/opt/openshift/tls/a.crt": certificate(t, day), "/opt/openshift/tls/a.key": []byte("key"), "/etc/other/c.crt": certificate(t, time.Hour)},
	} {
		from, until, err := parseValidity(bootstrapWith(t, files))
		if err != nil || !from.Equal(noon.Add(-time.Hour)) || !until.Equal(noon.Add(23*time.Hour)) {
			t.Errorf("%s: from %s until %s, %v", name, from, until, err)
		}
	}
}

func TestParseValidity_RefusesUnreadable(t *testing.T) {
	for name, files := range map[string]map[string][]byte{
		"none":           {"/opt/openshift/tls/a.key": []byte("key")},
		"no certificate": {"/opt/openshift/tls/a.crt": []byte("nothing"), "/opt/openshift/tls/b.crt": certificate(t, time.Hour)},
		"damaged":        {"/opt/openshift/tls/a.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})},
	} {
		if _, until, err := parseValidity(bootstrapWith(t, files)); err == nil {
			t.Errorf("%s: until %s", name, until)
		}
	}
	for _, document := range []string{
		"{", `{"storage":{"files":[{"path":"/opt/openshift/tls/a.crt","contents":{"source":"https://example.net/"}}]}}`,
		`{"storage":{"files":[{"path":"/opt/openshift/tls/a.crt","contents":{"source":"data:,x","compression":"gzip"}}]}}`,
		`{"storage":{"files":[{"path":"/opt/openshift/tls/a.crt","contents":{"source":"data:,x","compression":"xz"}}]}}`,
	} {
		if _, _, err := parseValidity([]byte(document)); err == nil {
			t.Errorf("%s is readable", document)
		}
	}
}
