package ignition_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"exoshift/ignition"
	"exoshift/internal/fault"
)

// FuzzWithIdentity fuzzes openshift-install's user-data for the bootstrap machine, and keys in PEM. No error quotes
// either.
func FuzzWithIdentity(f *testing.F) {
	right, err := ignition.NewIdentity(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{generated, `{"storage": {"files": []}}`, `{"storage": {"files": [null, {"path": 1}, {"path": "/etc/ssh/ssh_host_ed25519_key"}]}}`, `{"storage": {"files": null}}`, `{"storage": null}`, "null", "[]", "", "#cloud-config\n", "<html>"} {
		f.Add([]byte(seed), right)
		f.Add([]byte(seed), []byte("-----BEGIN OPENSSH PRIVATE KEY-----\nvery-secret-value\n-----END OPENSSH PRIVATE KEY-----\n"))
	}
	type file struct {
		Path     string
		Contents json.RawMessage
	}
	files := func(t *testing.T, document []byte) (all []file) {
		t.Helper()
		var read struct {
			Storage struct{ Files []json.RawMessage }
		}
		if err := json.Unmarshal(document, &read); err != nil {
			t.Fatal(err)
		}
		for _, raw := range read.Storage.Files {
			var one file
			_ = json.Unmarshal(raw, &one)
			all = append(all, one)
		}
		return all
	}
	f.Fuzz(func(t *testing.T, document, identity []byte) {
		changed, err := ignition.WithIdentity(document, identity)
		if err != nil {
			if changed != nil || !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "very-secret-value") {
				t.Fatalf("%q, %v", changed, err)
			}
			return
		}
		again, err := ignition.WithIdentity(changed, identity)
		if err != nil || string(again) != string(changed) {
			t.Fatalf("%s became %s, %v", changed, again, err)
		}
		keys := map[string]int{}
		for _, each := range files(t, changed) {
			keys[each.Path]++
		}
		if keys["/etc/ssh/ssh_host_ed25519_key"] == 0 || keys["/etc/ssh/ssh_host_ed25519_key.pub"] == 0 || len(files(t, changed)) < len(files(t, document)) {
			t.Fatalf("%s has no keys", changed)
		}
	})
}
