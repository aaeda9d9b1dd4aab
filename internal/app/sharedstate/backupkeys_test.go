package sharedstate

import (
	"crypto/ed25519"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/exit"
)

// TestReadBackupKeys_WithoutRecipient: age knows no public key of an SSH key, so that nobody is told to name what was named.
func TestReadBackupKeys_WithoutRecipient(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "id_ed25519")
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, named := range map[string]bool{"the public key of the SSH key of EXOSHIFT_AGE_IDENTITY is not known": true, "there is nobody to encrypt it to": false} {
		_, err := ReadBackupKeys(t.Context(), Access{Lookup: func(string) (string, bool) { return path, named }}, nil)
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), want) {
			t.Errorf("exit code %d, %v", exit.Code(err), err)
		}
	}
}
