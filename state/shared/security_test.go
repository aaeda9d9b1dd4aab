package shared_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/state/shared"
	"exoshift/state/store"
)

func TestPlace_KeepsSecrets(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, _ *machine) {
		workspace, folder := anna.open("anna")
		for _, name := range []string{"openshift/auth/kubeconfig", "user-data/lb-0", "api-keys/a.json", "secrets/pull", "installer.log", "new-kind-of-file"} {
			check(t, folder.Write(name, []byte("very-secret")))
		}
		check(t, workspace.Close(t.Context()))
		check(t, filepath.WalkDir(anna.storage.path, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if bytes.Contains(content, []byte("very-secret")) {
				t.Errorf("%s has a secret in clear", path)
			}
			return err
		}))
	})
}

func TestPlace_RefusesWhatOthersWrote(t *testing.T) {
	for name, test := range map[string]struct {
		harm func(t *testing.T, path string, before map[string][]byte)
		kind fault.Kind
		text string
	}{
		"truncated": {func(t *testing.T, path string, _ map[string][]byte) {
			t.Helper()
			object := onlyObject(t, path)
			check(t, os.Truncate(object, 10))
		}, fault.Invalid, "it is truncated:"},
		"changed": {func(t *testing.T, path string, _ map[string][]byte) {
			t.Helper()
			object := onlyObject(t, path)
			content, err := os.ReadFile(object)
			check(t, err)
			content[len(content)-1] ^= 1
			check(t, os.WriteFile(object, content, 0o600))
		}, fault.Invalid, "it was changed"},
		"deleted": {func(t *testing.T, path string, _ map[string][]byte) {
			t.Helper()
			check(t, os.Remove(onlyObject(t, path)))
		}, fault.NotFound, "not exist"},
		"forged head": {func(t *testing.T, path string, _ map[string][]byte) {
			t.Helper()
			head := filepath.Join(path, "clusters", cluster, "head.json")
			content, err := os.ReadFile(head)
			check(t, err)
			check(t, os.WriteFile(head, bytes.Replace(content, []byte(`"epoch":2`), []byte(`"epoch":9`), 1), 0o600))
		}, fault.Invalid, "authentication code"},
		"newer format": {func(t *testing.T, path string, _ map[string][]byte) {
			t.Helper()
			check(t, os.WriteFile(filepath.Join(path, "clusters", cluster, "head.json"), []byte(`{"v":2}`), 0o600))
		}, fault.Invalid, "format 2"},
		"change": {func(t *testing.T, _ string, before map[string][]byte) {
			t.Helper()
			for name, content := range before {
				check(t, os.WriteFile(name, content, 0o600))
			}
		}, fault.Conflict, "older than the last one on this machine:"},
		"other place": {func(t *testing.T, path string, _ map[string][]byte) {
			t.Helper()
			check(t, os.Remove(filepath.Join(path, "state.json")))
			directory, err := store.OpenDirectory(path)
			check(t, err)
			other, err := age.GenerateX25519Identity()
			check(t, err)
			memory, err := shared.OpenMemory(filepath.Join(t.TempDir(), "m"))
			check(t, err)
			_, err = shared.Initialize(t.Context(), shared.Options{Store: directory, Leases: directory, Memory: memory}, []string{other.Recipient().String()})
			check(t, err)
		}, fault.Denied, "decrypt"},
	} {
		t.Run(name, func(t *testing.T) {
			inTeam(t, func(t *testing.T, anna, _ *machine) {
				workspace, _ := anna.open("anna")
				check(t, workspace.Close(t.Context()))
				before := map[string][]byte{}
				head := filepath.Join(anna.storage.path, "clusters", cluster, "head.json")
				content, err := os.ReadFile(head)
				check(t, err)
				before[head] = content
				workspace, folder := anna.open("anna")
				check(t, folder.Write("secrets/one", []byte("very-secret")))
				check(t, workspace.Close(t.Context()))
				test.harm(t, anna.storage.path, before)
				place, err := shared.Open(t.Context(), anna.options(t))
				if err == nil {
					_, err = place.OpenReadOnly(t.Context(), cluster, filepath.Join(anna.dir, "work"))
				}
				if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) || fault.HintOf(err) == "" && test.kind != fault.NotFound {
					t.Errorf("error %v (hint %q), want %q", err, fault.HintOf(err), test.text)
				}
			})
		})
	}
}

func onlyObject(t *testing.T, path string) string {
	t.Helper()
	objects, err := filepath.Glob(filepath.Join(path, "clusters", cluster, "objects", "*"))
	check(t, err)
	if len(objects) != 1 {
		t.Fatalf("%d objects: %v", len(objects), objects)
	}
	return objects[0]
}

func TestOpen_RefusesWrongIdentity(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, _ *machine) {
		stranger, err := age.GenerateX25519Identity()
		check(t, err)
		options := anna.options(t)
		for name, identities := range map[string][]age.Identity{"another": {stranger}, "none": nil} {
			options.Identities = identities
			if _, err := shared.Open(t.Context(), options); !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "EXOSHIFT_AGE_IDENTITY") {
				t.Errorf("%s: %v (hint %q)", name, err, fault.HintOf(err))
			}
		}
	})
}
