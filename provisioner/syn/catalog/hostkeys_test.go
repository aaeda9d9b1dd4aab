package catalog

import (
	"crypto/rsa"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
)

const (
	shippedKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKpMpSEws+01sdyRHhWJvZjZczk/4beFHZsFOSkRuIFh"
	anotherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGN4rGbDQFYtTzhUXjZKtBMFwHdqbcBSr9nbiTZRzKU"
)

func knownIn(t *testing.T, lines string) *Git {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Git{access: Access{KnownHosts: []string{file}}}
}

func TestHostKeys_BuiltInIsFallback(t *testing.T) {
	for name, test := range map[string]struct{ address, lieutenant, file, key, source string }{
		"nobody else":    {address: "ssh://git@git.vshn.net/a.git", key: shippedKey, source: "exoshift's own list"},
		"capitals":       {address: "ssh://git@Git.VSHN.net/a.git", key: shippedKey, source: "exoshift's own list"},
		"the person":     {address: "ssh://git@git.vshn.net/a.git", file: "git.vshn.net " + anotherKey, key: anotherKey, source: "known_hosts"},
		"Lieutenant":     {address: "ssh://git@git.vshn.net/a.git", lieutenant: "git.vshn.net " + anotherKey, key: anotherKey, source: "Lieutenant"},
		"another host":   {address: "ssh://git@git.example.net/a.git"},
		"another port":   {address: "ssh://git@git.vshn.net:2222/a.git"},
		"a hidden port":  {address: "ssh://git@git.example.net:2222/a.git", file: knownhosts.HashHostname("[git.example.net]:2222") + " " + anotherKey, key: anotherKey, source: "known_hosts"},
		"the other port": {address: "ssh://git@git.example.net:2222/a.git", file: knownhosts.HashHostname("git.example.net") + " " + anotherKey},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parseRepoURL(test.address, false)
			if err != nil {
				t.Fatal(err)
			}
			found, err := sshTransport{git: knownIn(t, test.file+"\n"), repo: p, hostKeys: test.lieutenant}.findHostKeys()
			if test.key == "" {
				if !fault.Is(err, fault.Denied) {
					t.Errorf("%v, %v", found, err)
				}
				return
			}
			if err != nil || len(found.keys) != 1 || !strings.HasSuffix(found.source, test.source) {
				t.Fatalf("%+v, %v", found, err)
			}
			if got := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(found.keys[0]))); got != test.key {
				t.Errorf("it is known by %s", got)
			}
		})
	}
}

func TestHostKeys_RequestKnownAlgorithms(t *testing.T) {
	rsaKey, err := ssh.NewPublicKey(&rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 2047), E: 65537})
	if err != nil {
		t.Fatal(err)
	}
	ed, _, _, _, err := ssh.ParseAuthorizedKey([]byte(shippedKey))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(hostKeySet{keys: []ssh.PublicKey{rsaKey, ed}}.listAlgorithms(), " ")
	if got != "rsa-sha2-512 rsa-sha2-256 ssh-ed25519" {
		t.Errorf("it is asked for %s", got)
	}
}

func TestHostKeys_ChangedKeyHint(t *testing.T) {
	shown, _, _, _, err := ssh.ParseAuthorizedKey([]byte(anotherKey))
	if err != nil {
		t.Fatal(err)
	}
	for where, lieutenant := range map[string]string{"Lieutenant": "git.vshn.net " + shippedKey, "~/.ssh/known_hosts": ""} {
		p, err := parseRepoURL("ssh://git@git.vshn.net/a.git", false)
		if err != nil {
			t.Fatal(err)
		}
		found, err := sshTransport{git: knownIn(t, ""), repo: p, hostKeys: lieutenant}.findHostKeys()
		if err != nil {
			t.Fatal(err)
		}
		if err := found.check("", nil, shown); !fault.Is(err, fault.Conflict) || !strings.Contains(fault.HintOf(err), "add it to "+where) {
			t.Errorf("%v, hint %q", err, fault.HintOf(err))
		}
	}
}
