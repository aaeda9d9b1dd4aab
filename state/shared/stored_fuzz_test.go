package shared_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"

	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

// objects is a store in memory, of which anything may be replaced.
type objects struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (o *objects) Get(_ context.Context, key string) (store.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	content, exists := o.all[key]
	if !exists {
		return store.Object{}, fs.ErrNotExist
	}
	return store.Object{Content: bytes.Clone(content), Version: "v" + store.Version(content)}, nil
}

func (o *objects) Put(_ context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if there, exists := o.all[key]; exists != (replaced != "") || exists && "v"+store.Version(there) != replaced {
		return "", store.ErrConflict
	}
	o.all[key] = bytes.Clone(content)
	return "v" + store.Version(content), nil
}

func (o *objects) List(_ context.Context, prefix string) ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var keys []string
	for key := range o.all {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

func (o *objects) ListNames(ctx context.Context, prefix string) (names []string, err error) {
	keys, err := o.List(ctx, prefix)
	for _, key := range keys {
		name, _, _ := strings.Cut(key[len(prefix):], "/")
		names = append(names, name)
	}
	return slices.Compact(names), err
}

func (o *objects) Delete(_ context.Context, key string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, key)
	return nil
}

// FuzzStored replaces one object of a team's state by whatever somebody else wrote there: a copy of the folder is the one that the
// team stored, or there is none.
func FuzzStored(f *testing.F) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		f.Fatal(err)
	}
	here := f.TempDir()
	original := map[string][]byte{}
	open := func(t testing.TB, all map[string][]byte, memory string) (*shared.Place, error) {
		known, err := shared.OpenMemory(memory)
		if err != nil {
			t.Fatal(err)
		}
		places := &objects{all: all}
		return shared.Open(t.Context(), shared.Options{Store: places, Leases: places, Identities: []age.Identity{identity}, Memory: known})
	}
	options := shared.Options{Store: &objects{all: original}, Leases: &objects{all: original}, Identities: []age.Identity{identity}}
	if _, err := shared.Initialize(f.Context(), options, []string{identity.Recipient().String()}); err != nil {
		f.Fatal(err)
	}
	memory := filepath.Join(here, "memory.json")
	place, err := open(f, original, memory)
	if err != nil {
		f.Fatal(err)
	}
	folder, err := state.Create(filepath.Join(here, "folder"))
	if err != nil {
		f.Fatal(err)
	}
	const answers, key, line = "kind: Cluster\n", "a very secret key", "{\"seq\":1}\n"
	for name, content := range map[string]string{state.AnswersFile: answers, "secrets/key": key, state.EventsFile: line} {
		if err := folder.Write(name, []byte(content)); err != nil {
			f.Fatal(err)
		}
	}
	if err := place.Import(f.Context(), cluster, folder, lease.Holder{Run: "a"}); err != nil {
		f.Fatal(err)
	}
	seen, err := os.ReadFile(memory)
	if err != nil {
		f.Fatal(err)
	}
	var keys []string
	for key, content := range original {
		if !strings.HasPrefix(key, cluster) && !strings.Contains(key, "audit") {
			keys = append(keys, key)
			f.Add(len(keys)-1, content[:len(content)/2])
			f.Add(len(keys)-1, bytes.Replace(content, []byte(cluster), []byte("c-demo-2"), 1))
		}
	}
	for _, seed := range []string{"", "{}", "null", `{"v":1}`, `{"v":1,"cluster":"c-demo-1","files":{"../x":{"object":"state.json"}},"mac":""}`, "\n", "{}\n{}\n"} {
		f.Add(0, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, at int, content []byte) {
		all := map[string][]byte{}
		for key, content := range original {
			all[key] = content
		}
		all[keys[uint(at)%uint(len(keys))]] = content
		dir := t.TempDir()
		memory := filepath.Join(dir, "memory.json")
		if err := os.WriteFile(memory, seen, 0o600); err != nil {
			t.Fatal(err)
		}
		place, err := open(t, all, memory)
		if err != nil {
			return
		}
		copied, err := place.OpenReadOnly(t.Context(), cluster, filepath.Join(dir, "work"))
		if err != nil {
			return
		}
		folder, err := copied.Folder()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{state.AnswersFile: answers, "secrets/key": key, state.EventsFile: line} {
			if got, err := folder.Read(name); err != nil || string(got) != want {
				t.Fatalf("%s is %q: %v", name, got, err)
			}
		}
		if err := copied.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRecipient: nobody but who is written as a recipient is encrypted to.
func FuzzRecipient(f *testing.F) {
	for _, seed := range []string{
		"", "age1", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p", " age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p\n",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHDNqyxNhO8PZ6hFfSAdFpdE1vRk4cVtYDfPmFyCOWgj other@example.net", "ssh-rsa AAAA", "ecdsa-sha2-nistp256 AAAA", "AGE-SECRET-KEY-1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		recipient, err := shared.ParseRecipient(text)
		if (recipient == nil) == (err == nil) {
			t.Fatalf("%q: %v, %v", text, recipient, err)
		}
		if key, is := recipient.(*age.X25519Recipient); err == nil && is && key.String() != strings.TrimSpace(text) {
			t.Fatalf("%q became %s", text, key)
		}
	})
}
