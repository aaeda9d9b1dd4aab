package remoterun

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
)

// FuzzHostKeys checks that a host that is not in the person's known_hosts remains unknown.
func FuzzHostKeys(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKpMpSEws+01sdyRHhWJvZjZczk/4beFHZsFOSkRuIFh"
	for _, seed := range []string{"host.example.net " + key, "*,!host.example.net " + key, "|1|YQ==|YQ== " + key, "@revoked * " + key, "@cert-authority * " + key, "[host.example.net]:22 ssh-rsa AAAA", "# a\n\n", "", "\xff", "@"} {
		f.Add([]byte(seed))
	}
	stranger, _, _, _, err := ssh.ParseAuthorizedKey([]byte("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGN4rGbDQFYtTzhUXjZKtBMFwHdqbcBSr9nbiTZRzKU"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		h := &Host{options: SSHOptions{KnownHosts: []string{file, file + ".none"}}, user: "me", address: "host.example.net:22"}
		keys, err := h.loadHostKeys()
		if err != nil {
			if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		err = keys.check(h.address, remote{}, stranger)
		if err == nil && !strings.Contains(string(content), "AAAA") {
			t.Fatalf("%q makes a stranger known", content)
		}
		if err != nil && (fault.HintOf(err) == "" || !fault.Is(err, fault.Denied) && !fault.Is(err, fault.Conflict)) {
			t.Fatal(err)
		}
	})
}

type remote struct{}

func (remote) Network() string { return "tcp" }

func (remote) String() string { return "192.0.2.1:22" }

func TestHost_KnownHostsIsNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "known_hosts")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is a pipe", "/dev/zero": "is a device", t.TempDir(): "is a directory"} {
		h := &Host{options: SSHOptions{KnownHosts: []string{path}}, user: "me", address: "host.example.net:22"}
		if _, err := h.loadHostKeys(); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), path+" "+want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
