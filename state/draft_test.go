package state_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/state"
)

func newDraft(t *testing.T, dir string) state.Draft {
	t.Helper()
	draft, unlock, err := state.NewDraft(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	return draft
}

func TestDraft_HasPrivateFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "drafts")
	first, second := newDraft(t, dir), newDraft(t, dir)
	if first.Path() == second.Path() || first.Exists() {
		t.Fatalf("%s and %s", first.Path(), second.Path())
	}
	secret, err := first.KeepSecret("exoscale.apiSecret", "s3cret")
	if err := errors.Join(err, first.Save([]byte("a"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, first.Path(), first.Path(state.DraftFile), secret, filepath.Dir(secret)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestDraft_LockedByOneInterview(t *testing.T) {
	draft := newDraft(t, t.TempDir())
	var held *state.LockedError
	if _, err := draft.Lock(t.Context()); !errors.As(err, &held) {
		t.Errorf("locked twice: %v", err)
	}
}

func TestDraft_SecretsStayInFolder(t *testing.T) {
	draft := newDraft(t, t.TempDir())
	for _, name := range []string{"../a", "a/b", "", ".."} {
		if path, err := draft.KeepSecret(name, "s3cret"); err == nil {
			t.Errorf("%q is kept at %s", name, path)
		}
	}
}

func TestListDrafts_LatestFirst(t *testing.T) {
	dir := t.TempDir()
	if drafts, err := state.ListDrafts(filepath.Join(dir, "none")); err != nil || len(drafts) > 0 {
		t.Errorf("nowhere there are %v, %v", drafts, err)
	}
	older, newer, empty := newDraft(t, dir), newDraft(t, dir), newDraft(t, dir)
	yesterday := time.Now().Add(-24 * time.Hour)
	err := errors.Join(older.Save([]byte("a")), newer.Save([]byte("b")), os.Chtimes(older.Path(state.DraftFile), yesterday, yesterday))
	if err != nil {
		t.Fatal(err)
	}
	drafts, err := state.ListDrafts(dir)
	if err != nil || len(drafts) != 2 || drafts[0].Path() != newer.Path() || drafts[1].Path() != older.Path() {
		t.Errorf("listed %v, %v", drafts, err)
	}
	if _, err := os.Stat(empty.Path()); err != nil {
		t.Errorf("a draft that somebody has just begun is gone: %v", err)
	}
}

func TestListDrafts_RemovesDiscarded(t *testing.T) {
	dir := t.TempDir()
	torn, abandoned := filepath.Join(dir, ".gone-1"), filepath.Join(dir, "7")
	yesterday := time.Now().Add(-24 * time.Hour)
	err := errors.Join(
		os.MkdirAll(filepath.Join(torn, state.SecretsDir), 0o700), os.WriteFile(filepath.Join(torn, state.SecretsDir, "a"), []byte("s3cret"), 0o600),
		os.Mkdir(abandoned, 0o700), os.Chtimes(abandoned, yesterday, yesterday),
	)
	if err != nil {
		t.Fatal(err)
	}
	if drafts, err := state.ListDrafts(dir); err != nil || len(drafts) > 0 {
		t.Errorf("listed %v, %v", drafts, err)
	}
	for _, path := range []string{torn, abandoned} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

// TestDraft_WholeUntilHandover fails after each step: every answer is either in the draft or in the
// installation, secrets included.
func TestDraft_WholeUntilHandover(t *testing.T) {
	draft, to := newDraft(t, t.TempDir()), newFolder(t)
	from, err := draft.KeepSecret("exoscale.apiSecret", "s3cret")
	unused, again := draft.KeepSecret("exoscale.apiKey", "another organization's")
	if err := errors.Join(err, again, draft.Save([]byte("answers"))); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second run resumes a killed one
		moved, err := draft.CopySecrets(to, []string{"/elsewhere", from})
		if err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(moved[from]); err != nil || string(content) != "s3cret" || moved[from] != to.Path(state.SecretsDir, "exoscale.apiSecret") {
			t.Errorf("handed over %q, %v", content, err)
		}
		if content, err := os.ReadFile(from); err != nil || string(content) != "s3cret" || !draft.Exists() {
			t.Errorf("the draft is not whole: %v", err)
		}
	}
	if _, err := os.Stat(to.Path(state.SecretsDir, filepath.Base(unused))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what nobody refers to was handed over: %v", err)
	}
	if err := draft.Discard(to); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(draft.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it still exists: %v", err)
	}
}

func TestDraft_StaysInClusterFolder(t *testing.T) {
	folder := newFolder(t)
	draft, err := state.OpenDraft(folder.Path())
	if err != nil {
		t.Fatal(err)
	}
	secret, err := draft.KeepSecret("exoscale.apiKey", "k")
	if err := errors.Join(err, draft.Save([]byte("a"))); err != nil {
		t.Fatal(err)
	}
	moved, err := draft.CopySecrets(folder, []string{secret})
	if err := errors.Join(err, draft.Discard(folder)); err != nil || len(moved) > 0 {
		t.Fatalf("%v, %v", moved, err)
	}
	if _, err := os.Stat(secret); err != nil || draft.Exists() {
		t.Errorf("the secret is gone or the draft is not: %v", err)
	}
}

func TestKeepAnswers_NumbersCopies(t *testing.T) {
	folder := newFolder(t)
	if err := folder.Write("answers-2.yaml", []byte("left by a run that was killed")); err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{"a: 1\n", "a: 1\n", "a: 2\n", "a: 1\n"} {
		if err := folder.KeepAnswers([]byte(given)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"answers-1.yaml": "a: 1\n", "answers-2.yaml": "left by a run that was killed", "answers-3.yaml": "a: 2\n", "answers-4.yaml": "a: 1\n"} {
		if content, err := folder.Read(name); err != nil || string(content) != want {
			t.Errorf("%s holds %q, %v", name, content, err)
		}
	}
	const want = "37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae  answers-1.yaml\n" + // as sha256sum prints them
		"3a55d721fdd6a21fc7793a07ad20c6ad037c302ad003f552d5913039777eaec0  answers-3.yaml\n" +
		"37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae  answers-4.yaml\n"
	if sums, err := folder.Read("answers.sha256"); err != nil || string(sums) != want {
		t.Errorf("the sums are\n%s%v", sums, err)
	}
}

func TestDraft_FoundFromAnyDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	draft := newDraft(t, "drafts")
	secret, err := draft.KeepSecret("exoscale.apiSecret", "s3cret")
	if err := errors.Join(err, draft.Save([]byte("a"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if content, err := os.ReadFile(secret); err != nil || string(content) != "s3cret" {
		t.Errorf("the secret is at %s: %v", secret, err)
	}
}

func TestDraft_NameForDisplay(t *testing.T) {
	draft := newDraft(t, t.TempDir())
	if name := draft.Name(); name != "" {
		t.Errorf("a new draft is called %q", name)
	}
	longest := strings.Repeat("x", state.MaxDraftName)
	for _, c := range []struct{ name, want string }{{" for Anna ", "for Anna"}, {longest, longest}, {"", ""}} {
		if err := draft.Rename(c.name); err != nil || draft.Name() != c.want {
			t.Errorf("renamed to %q, it is called %q, %v", c.name, draft.Name(), err)
		}
	}
	if err := draft.Rename(longest + "x"); err == nil || draft.Name() != "" {
		t.Errorf("a name that is too long: %q, %v", draft.Name(), err)
	}
}
