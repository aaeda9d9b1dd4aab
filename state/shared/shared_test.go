package shared_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"filippo.io/age"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
	"exoshift/state/store"
)

const cluster = "c-demo-1"

// machine is a member's computer: its own connection to the storage, its own files.
type machine struct {
	t        *testing.T
	storage  *storage
	identity *age.X25519Identity
	dir      string
}

// storage can be cut off, as a network can.
type storage struct {
	store.Directory
	path string
	cut  atomic.Bool
	once sync.Map // func() by the part of a key: called before the next object with it is written
	deaf sync.Map // by the part of a key: the answer to the next write of such an object is lost
}

func (s *storage) Get(ctx context.Context, key string) (store.Object, error) {
	if s.cut.Load() {
		return store.Object{}, fault.Newf(fault.Transient, "get", "the network is down")
	}
	return s.Directory.Get(ctx, key)
}

func (s *storage) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	for part, do := range s.once.Range {
		if strings.Contains(key, part.(string)) {
			s.once.Delete(part)
			do.(func())()
		}
	}
	if s.cut.Load() {
		return "", fault.Newf(fault.Transient, "put", "the network is down")
	}
	version, err := s.Directory.Put(ctx, key, content, replaced)
	for part := range s.deaf.Range {
		if strings.Contains(key, part.(string)) {
			s.deaf.Delete(part)
			return "", fault.Newf(fault.Transient, "put", "the network is down")
		}
	}
	return version, err
}

func inTeam(t *testing.T, test func(t *testing.T, anna, ben *machine)) {
	t.Helper()
	path := t.TempDir()
	members := make([]*machine, 2)
	var recipients []string
	for n := range members {
		directory, err := store.OpenDirectory(path)
		check(t, err)
		identity, err := age.GenerateX25519Identity()
		check(t, err)
		members[n] = &machine{storage: &storage{Directory: directory, path: path}, identity: identity, dir: t.TempDir()}
		recipients = append(recipients, identity.Recipient().String())
	}
	_, err := shared.Initialize(t.Context(), members[0].options(t), recipients)
	check(t, err)
	synctest.Test(t, func(t *testing.T) {
		members[0].t, members[1].t = t, t
		test(t, members[0], members[1])
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) options(t *testing.T) shared.Options {
	t.Helper()
	memory, err := shared.OpenMemory(filepath.Join(m.dir, "memory.json"))
	check(t, err)
	return shared.Options{Store: m.storage, Leases: m.storage, Identities: []age.Identity{m.identity}, Memory: memory}
}

func (m *machine) place() *shared.Place {
	m.t.Helper()
	place, err := shared.Open(m.t.Context(), m.options(m.t))
	check(m.t, err)
	return place
}

func (m *machine) holder(run string) lease.Holder {
	return lease.Holder{Run: run, Verb: "install", User: run}
}

func (m *machine) open(run string) (*shared.Workspace, state.Folder) {
	m.t.Helper()
	workspace, err := m.place().Open(m.t.Context(), cluster, filepath.Join(m.dir, "work"), m.holder(run), func(lease.Holder) {})
	check(m.t, err)
	folder, err := workspace.Folder()
	check(m.t, err)
	return workspace, folder
}

// read returns what another machine sees of a file now.
func (m *machine) read(name string) string {
	m.t.Helper()
	copied, err := m.place().OpenReadOnly(m.t.Context(), cluster, filepath.Join(m.dir, "work"))
	check(m.t, err)
	defer func() { check(m.t, copied.Close()) }()
	folder, err := copied.Folder()
	check(m.t, err)
	content, err := folder.Read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.t.Fatal(err)
	}
	return string(content)
}

func TestWorkspace_IsGoneOnWithElsewhere(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		check(t, folder.Write(state.AnswersFile, []byte("answers")))
		check(t, folder.Write("openshift/auth/kubeconfig", []byte("client-key-data: very-secret")))
		check(t, folder.Write("bin/openshift-install", []byte("a program")))
		check(t, folder.Write("gathered/20260504T145931Z/index.json", []byte("why it failed")))
		journal, err := folder.OpenJournal(time.Now)
		check(t, err)
		check(t, journal.RecordIntent("instance", "master-0"))
		check(t, journal.Close())
		check(t, workspace.Close(t.Context()))
		if left, _ := filepath.Glob(filepath.Join(anna.dir, "work", "*")); len(left) > 0 {
			t.Errorf("the private copy is left: %v", left)
		}

		next, folder := ben.open("ben")
		defer func() { check(t, next.Close(t.Context())) }()
		for name, want := range map[string]string{
			state.AnswersFile: "answers", "openshift/auth/kubeconfig": "client-key-data: very-secret", "gathered/20260504T145931Z/index.json": "why it failed",
		} {
			if content, err := folder.Read(name); err != nil || string(content) != want {
				t.Errorf("%s is %q (%v), want %q", name, content, err, want)
			}
			if info, err := os.Stat(folder.Path(name)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v (%v)", name, info.Mode(), err)
			}
		}
		if _, err := os.Stat(folder.Path("bin")); err == nil {
			t.Error("downloads were shared")
		}
		journal, err = folder.OpenJournal(time.Now)
		check(t, err)
		defer func() { check(t, journal.Close()) }()
		if !journal.Open("instance", "master-0") {
			t.Error("the intent is unknown there")
		}
	})
}

func TestJournal_StoresIntentsBeforeTheyAreActedUpon(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		defer func() { check(t, workspace.Close(t.Context())) }()
		check(t, folder.Write("api-keys/key.json", []byte("a key that the machine is made with")))
		journal, err := folder.OpenJournal(time.Now)
		check(t, err)
		defer func() { check(t, journal.Close()) }()
		check(t, journal.RecordIntent("instance", "master-0"))
		if !strings.Contains(ben.read(state.JournalFile), "master-0") || ben.read("api-keys/key.json") == "" {
			t.Error("the intent, or what was written before it, is not in shared state")
		}
	})
}

// TestJournal_IsNeverAheadOfFiles: a key is kept and recorded while the intent of another change is stored; a run that is killed then has
// stored the key, or does not claim to have it.
func TestJournal_IsNeverAheadOfFiles(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		defer func() { check(t, workspace.Close(t.Context())) }()
		journal, err := folder.OpenJournal(time.Now)
		check(t, err)
		defer func() { check(t, journal.Close()) }()
		check(t, journal.RecordIntent("api-key", "one"))
		check(t, folder.Write("notes.txt", []byte("stored first")))
		recorded, restored := make(chan error, 1), make(chan struct{})
		endOutage := func() {
			if strings.Contains(ben.read(state.JournalFile), "EXO1") && ben.read("api-keys/one.json") == "" {
				t.Error("the journal in shared state has the result, and the key's secret is lost")
			}
			anna.storage.cut.Store(false)
			close(restored)
		}
		anna.storage.once.Store("/objects/", func() {
			check(t, folder.Write("api-keys/one.json", []byte("its secret")))
			go func() { recorded <- journal.RecordResult("api-key", "one", "EXO1", state.Created) }()
			synctest.Wait() // it has written its line, and waits until that is stored
			anna.storage.once.Store("/objects/", func() {
				anna.storage.cut.Store(true)
				time.AfterFunc(10*time.Second, endOutage) // less than the lock lasts
			})
		})
		check(t, journal.RecordIntent("instance", "master-0"))
		check(t, <-recorded)
		<-restored
		if !strings.Contains(ben.read(state.JournalFile), "EXO1") || ben.read("api-keys/one.json") == "" {
			t.Error("the result was recorded without the key, or the journal's line is missing")
		}
	})
}

func TestWorkspace_UploadsEventsMeanwhile(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		defer func() { check(t, workspace.Close(t.Context())) }()
		events, err := folder.Append(state.EventsFile)
		check(t, err)
		defer events.Close()
		for n := range 30 {
			_, err := events.WriteString(strings.Repeat("x", n) + "\n")
			check(t, err)
			time.Sleep(3 * time.Second)
		}
		_, err = events.WriteString("torn")
		check(t, err)
		time.Sleep(3 * time.Second)
		if lines := ben.read(state.EventsFile); strings.Count(lines, "\n") != 30 || strings.Contains(lines, "torn") {
			t.Errorf("%d lines arrived, want 30 whole ones", strings.Count(lines, "\n"))
		}
	})
}

func TestSetRecipients(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		check(t, folder.Write("secrets/one", []byte("very-secret")))
		place := anna.place()
		var held *lease.HeldError
		if err := place.SetRecipients(t.Context(), []string{anna.identity.Recipient().String()}, anna.holder("recipients")); !errors.As(err, &held) {
			t.Fatalf("changed while a cluster is in use: %v", err)
		}
		check(t, workspace.Close(t.Context()))
		check(t, place.SetRecipients(t.Context(), []string{anna.identity.Recipient().String()}, anna.holder("recipients"))) // goes on
		if _, err := shared.Open(t.Context(), ben.options(t)); !fault.Is(err, fault.Denied) {
			t.Errorf("who was removed opens it: %v", err)
		}
		sealed, err := os.ReadFile(onlyObject(t, anna.storage.path))
		check(t, err)
		if _, err := age.Decrypt(bytes.NewReader(sealed), ben.identity); err == nil {
			t.Error("who was removed decrypts a file")
		}
		if got := anna.read("secrets/one"); got != "very-secret" {
			t.Errorf("the file is %q", got)
		}
		check(t, anna.place().SetRecipients(t.Context(), []string{anna.identity.Recipient().String(), ben.identity.Recipient().String()}, anna.holder("recipients")))
		if got := ben.read("secrets/one"); got != "very-secret" {
			t.Errorf("who was added reads %q", got)
		}
	})
}

func TestImportAndExport(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		folder, err := state.Create(filepath.Join(anna.dir, cluster))
		check(t, err)
		check(t, folder.Write(state.AnswersFile, []byte("answers")))
		check(t, folder.Write("openshift/auth/kubeconfig", []byte("secret")))
		check(t, folder.Write(state.EventsFile, []byte("{}\n{}\n")))
		failures := make(chan error, 2)
		for _, m := range []*machine{anna, ben} {
			go func() { failures <- m.place().Import(t.Context(), cluster, folder, m.holder("import")) }()
		}
		first, second := <-failures, <-failures
		if (first == nil) == (second == nil) {
			t.Errorf("of two imports: %v and %v, want one success", first, second)
		}
		if ids, err := ben.place().List(t.Context()); err != nil || len(ids) != 1 || ids[0] != cluster {
			t.Errorf("listed %v (%v)", ids, err)
		}
		to := filepath.Join(ben.dir, "exported")
		check(t, ben.place().Export(t.Context(), cluster, to))
		for _, name := range []string{state.AnswersFile, "openshift/auth/kubeconfig", state.EventsFile} {
			want, err := folder.Read(name)
			check(t, err)
			if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is %q (%v), want %q", name, got, err, want)
			}
		}
		if err := ben.place().Export(t.Context(), cluster, to); !fault.Is(err, fault.Invalid) {
			t.Errorf("exported over a folder: %v", err)
		}
		entries, err := ben.place().ListEntries(t.Context(), cluster)
		if err != nil || len(entries) != 1 || entries[0].Text != "imported" {
			t.Errorf("audit entries %v (%v)", entries, err)
		}
	})
}

func TestPrivateDir_OfKilledProcessGoes(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, _ *machine) {
		left := filepath.Join(anna.dir, "work", cluster+"-1")
		check(t, os.MkdirAll(left, 0o700))
		check(t, os.WriteFile(left+".in-use", nil, 0o600))
		unsaved := filepath.Join(anna.dir, "work", cluster+"-2")
		check(t, os.MkdirAll(unsaved, 0o700))
		check(t, os.WriteFile(filepath.Join(unsaved, "unsaved"), nil, 0o600))
		check(t, os.WriteFile(unsaved+".in-use", nil, 0o600))
		workspace, _ := anna.open("anna")
		check(t, workspace.Close(t.Context()))
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the directory of a killed process is left: %v", err)
		}
		if _, err := os.Stat(unsaved); err != nil {
			t.Errorf("what was not stored is gone: %v", err)
		}
	})
}

// TestWorkspace_FilesOfTheFolderMoveWithIt: answers name files in the folder by a path, which each copy has of its own.
func TestWorkspace_FilesOfTheFolderMoveWithIt(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		check(t, folder.Write("secrets/pull", []byte("very-secret")))
		check(t, folder.Write(state.AnswersFile, []byte("pullSecret: {file: "+folder.Path("secrets/pull")+"}\nother: {file: /etc/hosts}\n")))
		check(t, workspace.Close(t.Context()))
		next, folder := ben.open("ben")
		content, err := folder.Read(state.AnswersFile)
		check(t, err)
		if want := "pullSecret: {file: " + folder.Path("secrets/pull") + "}\nother: {file: /etc/hosts}\n"; string(content) != want {
			t.Errorf("the answers are %q, want %q", content, want)
		}
		check(t, next.Close(t.Context()))
		to := filepath.Join(ben.dir, "exported")
		check(t, ben.place().Export(t.Context(), cluster, to))
		if content, err := os.ReadFile(filepath.Join(to, state.AnswersFile)); err != nil || !strings.Contains(string(content), to+"/secrets/pull") {
			t.Errorf("the exported answers are %q (%v)", content, err)
		}
	})
}

// TestWorkspace_StreamWrittenAnew: a repaired stream may have as many bytes as before.
func TestWorkspace_StreamWrittenAnew(t *testing.T) {
	inTeam(t, func(t *testing.T, anna, ben *machine) {
		workspace, folder := anna.open("anna")
		check(t, folder.Write(state.EventsFile, []byte("one\ntwo\n")))
		check(t, workspace.Close(t.Context()))
		workspace, folder = anna.open("anna again")
		check(t, folder.Write(state.EventsFile, []byte("ONE\ntwo\nthree\n")))
		time.Sleep(3 * time.Second)
		if got := ben.read(state.EventsFile); got != "ONE\ntwo\nthree\n" {
			t.Errorf("the stream is %q", got)
		}
		check(t, workspace.Close(t.Context()))
	})
}
