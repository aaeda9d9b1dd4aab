package bootstraphost

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"exoshift/ignition"
	"exoshift/state"
)

// FuzzReadIdentity parses PEM keys and the state of openshift-install, which holds all keys of the cluster: no error quotes
// either.
func FuzzReadIdentity(f *testing.F) {
	keys, err := ignition.NewIdentity(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	var certificate, private []byte
	for block, rest := pem.Decode(keys); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case "CERTIFICATE":
			certificate = pem.EncodeToMemory(block)
		case "EC PRIVATE KEY":
			private = pem.EncodeToMemory(block)
		}
	}
	kept, err := json.Marshal(map[string]any{"*tls.JournalCertKey": map[string]any{"CertRaw": certificate, "KeyRaw": private}})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := readIdentity(func(name string) ([]byte, error) {
		return map[string][]byte{state.IdentityFile: keys, stateFile: kept}[name], nil
	}, nil); err != nil {
		f.Fatalf("a right identity is refused: %v", err)
	}
	f.Add(keys, kept)
	f.Add(keys[:len(keys)/2], kept)
	f.Add(certificate, []byte(`{"*tls.JournalCertKey": {"CertRaw": "YQ==", "KeyRaw": "very-secret-value"}}`))
	f.Add([]byte("-----BEGIN OPENSSH PRIVATE KEY-----\nvery-secret-value\n-----END OPENSSH PRIVATE KEY-----\n"), []byte("null"))
	f.Add([]byte(nil), []byte(`{"*tls.JournalCertKey": null}`))
	f.Fuzz(func(t *testing.T, keys, kept []byte) {
		who, err := readIdentity(func(name string) ([]byte, error) {
			switch name {
			case state.IdentityFile:
				return keys, nil
			case stateFile:
				return kept, nil
			}
			return nil, errors.New("no such file")
		}, nil)
		switch {
		case err != nil && (who != nil || strings.Contains(err.Error(), "very-secret-value") || strings.Contains(err.Error(), "BEGIN")):
			t.Fatalf("%v", err)
		case err == nil && (who.hostKey == nil || who.name == "" || len(who.client.Certificate) == 0 || who.client.PrivateKey == nil):
			t.Fatalf("%+v is incomplete", who)
		}
	})
}

// FuzzParseAddress parses the address in the response of a load balancer, which may have been tampered with.
func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"192.0.2.1\n", "::ffff:192.0.2.1", "fe80::1%eth0", "0.0.0.0", "127.0.0.1", "224.0.0.1", "<html>\x1b[2J", "", "2001:db8::1%\x1b[2J"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := parseAddress(text)
		switch {
		case err != nil && address != (netip.Addr{}):
			t.Fatalf("%s, %v", address, err)
		case err == nil && (!address.IsGlobalUnicast() || address.IsLoopback() || address.Zone() != "" || address.Is4In6()):
			t.Fatalf("%q lets %s in", text, address)
		}
	})
}
