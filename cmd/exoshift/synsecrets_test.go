package main

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// eavesdropper records the secrets exchanged with Project Syn.
type eavesdropper struct {
	mu    sync.Mutex
	heard map[string]string // purpose, by secret
}

func (e *eavesdropper) listen(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		for what, secret := range map[string]string{
			"bearer":          strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
			"bootstrap token": r.URL.Query().Get("token"), "token of Vault": r.Header.Get("X-Vault-Token"), "token of Git": r.Header.Get("PRIVATE-TOKEN"),
		} {
			if len(secret) > 8 {
				e.heard[secret] = what
			}
		}
		e.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// nowhereElse requires that no secret of Project Syn is in the folder, except for the user data of machines, or in any output.
func nowhereElse(t *testing.T, s run.Run, zone *simcloud.Zone, ear *eavesdropper, found map[string][]byte) {
	t.Helper()
	secrets := vaultSecrets(t, zone)
	ear.mu.Lock()
	maps.Copy(secrets, ear.heard)
	ear.mu.Unlock()
	credentials := zone.Credentials()
	for _, token := range []string{credentials.APIToken, credentials.VaultToken, credentials.GitToken} {
		secrets[token] = "token of a person"
	}
	secrets[s.Secrets.APISecret], secrets[s.Secrets.PullSecret] = "API secret", "pull secret"
	if len(secrets) < 15 {
		t.Fatalf("only %d secrets were found", len(secrets))
	}
	maps.Copy(found, openFiles(t, s.Folder))
	for place, content := range found {
		for secret, what := range secrets {
			for _, text := range []string{secret, base64.RawStdEncoding.EncodeToString([]byte(secret))} {
				if bytes.Contains(content, []byte(text)) {
					t.Errorf("%s is in %s", what, place)
				}
			}
		}
	}
}

// vaultSecrets are all values of the cluster in Vault, with their paths.
func vaultSecrets(t *testing.T, zone *simcloud.Zone) map[string]string {
	t.Helper()
	vault, err := zone.OpenVault()
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{}
	for _, path := range vault.ListPaths() {
		values, _ := vault.ReadSecret(path)
		for key, value := range values {
			if len(value) > 8 && strings.HasPrefix(path, harbour+"/") && !strings.HasSuffix(key, "access_key") {
				secrets[value] = path + "/" + key
			}
		}
	}
	return secrets
}

// openFiles returns the files of a folder except for user data; only the owner can read any of them.
func openFiles(t *testing.T, folder state.Folder) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(folder.Path(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 && info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is open to others: %s", path, info.Mode())
		}
		if inside, err := filepath.Rel(folder.Path(state.InstallDir), path); err == nil && !strings.HasPrefix(inside, "..") || !entry.Type().IsRegular() {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
