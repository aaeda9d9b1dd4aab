package ignition_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/coreos/ignition/v2/config/v3_2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/vincent-petithory/dataurl"
	"golang.org/x/crypto/ssh"

	"exoshift/ignition"
	"exoshift/internal/fault"
)

// generated is a bootstrap.ign with a gateway, a compressed file, and an unknown field.
const generated = `{"ignition":{"version":"3.2.0"},"storage":{"files":[
 {"path":"/opt/openshift/tls/journal-gatewayd.key","mode":256,"user":{"name":"root"},"contents":{"source":"data:,old","compression":""}},
 {"path":"/opt/openshift/tls/journal-gatewayd.crt","contents":{"source":"data:,old"}},
 {"path":"/opt/openshift/a","contents":{"source":"data:,%3Ca%3E"}}],
 "links":[{"path":"/b","target":"/a"}]},"systemd":{"units":[{"name":"bootkube.service","enabled":true}]}}`

func newIdentity(t *testing.T) []byte {
	t.Helper()
	identity, err := ignition.NewIdentity(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func contents(t *testing.T, config types.Config) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range config.Storage.Files {
		decoded, err := dataurl.DecodeString(*file.Contents.Source)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := found[file.Path]; twice {
			t.Errorf("%s is there twice", file.Path)
		}
		found[file.Path] = string(decoded.Data)
	}
	return found
}

func TestWithIdentity_AddsKeysOnly(t *testing.T) {
	document, err := ignition.WithIdentity([]byte(generated), newIdentity(t))
	if err != nil {
		t.Fatal(err)
	}
	config := parse(t, document)
	files := contents(t, config)
	signer, err := ssh.ParsePrivateKey([]byte(files["/etc/ssh/ssh_host_ed25519_key"]))
	if err != nil {
		t.Fatal(err)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(files["/etc/ssh/ssh_host_ed25519_key.pub"]))
	if err != nil || !bytes.Equal(public.Marshal(), signer.PublicKey().Marshal()) || public.Type() != ssh.KeyAlgoED25519 {
		t.Errorf("%v: the public key is %v, the private one's %v", err, public, signer.PublicKey())
	}
	pair, err := tls.X509KeyPair([]byte(files["/opt/openshift/tls/journal-gatewayd.crt"]), []byte(files["/opt/openshift/tls/journal-gatewayd.key"]))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: "journal-gatewayd", Roots: roots}); err != nil {
		t.Errorf("a client that trusts the certificate of the gateway refuses it: %v", err)
	}
	modes := map[string]int{}
	for _, file := range config.Storage.Files {
		if file.Mode != nil {
			modes[file.Path] = *file.Mode
		}
	}
	want := map[string]int{"/etc/ssh/ssh_host_ed25519_key": 0o600, "/etc/ssh/ssh_host_ed25519_key.pub": 0o644, "/opt/openshift/tls/journal-gatewayd.key": 0o400}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error("modes", diff)
	}
	if files["/opt/openshift/a"] != "<a>" || len(config.Storage.Links) != 1 || len(config.Systemd.Units) != 1 {
		t.Errorf("what was there has changed: %s", document)
	}
}

func TestWithIdentity_IsDeterministic(t *testing.T) {
	identity := newIdentity(t)
	first, err := ignition.WithIdentity([]byte(generated), identity)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ignition.WithIdentity([]byte(generated), identity)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%v: a resumed run would give the machine another document", err)
	}
	again, err := ignition.WithIdentity(first, identity)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("%v: giving the same keys twice changes the document", err)
	}
}

func TestWithIdentity_NoGatewayInDocument(t *testing.T) {
	document, err := ignition.WithIdentity([]byte(`{"ignition":{"version":"3.2.0"},"storage":{"files":[]}}`), newIdentity(t))
	if err != nil {
		t.Fatal(err)
	}
	for path := range contents(t, parse(t, document)) {
		if !strings.HasPrefix(path, "/etc/ssh/") {
			t.Errorf("it has %s", path)
		}
	}
}

func TestWithIdentity_RefusesBrokenInput(t *testing.T) {
	identity := newIdentity(t)
	_, rest := pem.Decode(identity)
	foreign := pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: []byte("SECRET")})
	for name, c := range map[string]struct{ document, identity string }{
		"no JSON":            {"SECRET", string(identity)},
		"no files":           {`{"ignition":{"version":"3.2.0"},"storage":{"luks":"SECRET"}}`, string(identity)},
		"files that are not": {`{"storage":{"files":"SECRET"}}`, string(identity)},
		"no keys":            {generated, "SECRET"},
		"no host key":        {generated, string(rest)},
		"a broken host key":  {generated, string(foreign) + string(rest)},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := ignition.WithIdentity([]byte(c.document), []byte(c.identity))
			if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s, %v", document, err)
			}
		})
	}
}

func TestNewIdentity_KeysDiffer(t *testing.T) {
	keys := map[string]bool{}
	for range 2 {
		for block, rest := pem.Decode(newIdentity(t)); block != nil; block, rest = pem.Decode(rest) {
			keys[string(block.Bytes)] = true
		}
	}
	if len(keys) != 6 {
		t.Errorf("two identities share keys: there are %d of 6", len(keys))
	}
}
