package request

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/exit"
)

// FuzzReadHostKeys: parsing, formatting and parsing again has the same result.
func FuzzReadHostKeys(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKpMpSEws+01sdyRHhWJvZjZczk/4beFHZsFOSkRuIFh"
	for _, seed := range []string{
		"git.example.net " + key + " me\n", "a,,#b,@c,!d,*.e,[f]:22 " + key, "|1|YQ==|YQ== " + key, "@revoked a " + key, "@cert-authority *.a " + key,
		"# a\n\n", "a ssh-rsa AAAA", "\xff", "a\u00a0b " + key, key,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := ReadHostKeys(path)
		if (err == nil) != (len(keys) > 0) || err != nil && exit.Code(err) != exit.Usage {
			t.Fatalf("%d keys, %v", len(keys), err)
		}
		if err != nil {
			return
		}
		for host, line := range keys {
			if _, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(line)); err != nil || len(rest) > 0 {
				t.Fatalf("%q is the key of %q: %v", line, host, err)
			}
		}
		if err := os.WriteFile(path, FormatKnownHosts(keys), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadHostKeys(path); err != nil || !maps.Equal(again, keys) {
			t.Fatalf("%q is read as %q, %v", FormatKnownHosts(keys), again, err)
		}
	})
}
