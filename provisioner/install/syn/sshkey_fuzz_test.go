package syn

import (
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// FuzzPublicSSHKey parses a foreign private key in Vault; the result is a line of authorized_keys.
func FuzzPublicSSHKey(f *testing.F) {
	right, err := newSSHKey("exoshift", false)
	if err != nil {
		f.Fatal(err)
	}
	content, err := base64.StdEncoding.DecodeString(right)
	if err != nil {
		f.Fatal(err)
	}
	block, _ := pem.Decode(content)
	for _, seed := range [][]byte{content, content[:len(content)/2], block.Bytes, []byte("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nYQ==\n-----END RSA PRIVATE KEY-----\n"), nil} {
		f.Add(seed, true)
		f.Add([]byte(base64.StdEncoding.EncodeToString(seed)), false)
	}
	f.Fuzz(func(t *testing.T, private []byte, encode bool) {
		text := string(private)
		if encode {
			text = base64.StdEncoding.EncodeToString(private)
		}
		public, err := toPublicKey(text)
		if err != nil {
			if public != "" || len(text) > 64 && strings.Contains(err.Error(), text) {
				t.Fatalf("%q, %v", public, err)
			}
			return
		}
		if _, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(public)); err != nil || comment != "" || len(options)+len(rest) > 0 || strings.Contains(public, "\n") {
			t.Fatalf("%q is no line of authorized_keys: %v", public, err)
		}
	})
}
