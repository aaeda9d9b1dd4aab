package githost_test

import (
	"strings"
	"sync"
	"testing"

	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/store"
)

func TestGitHost_PersistsEverything(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, githost.Config{DB: db})
	l.create(t, getProject)
	commit := l.commit(t, getProject, map[string]string{"a/b": "1"})
	token := l.CreateToken()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = store.Open(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	again := open(t, githost.Config{DB: db})
	files, tip, err := again.ReadFiles(getProject)
	if err != nil || tip != commit || string(files["a/b"]) != "1" {
		t.Errorf("%v at %s: %v", files, tip, err)
	}
	if code, _, text := again.ask(t, "GET", "/api/v4/"+projectURL, private(token)); code != 200 || !strings.Contains(text, getProject) {
		t.Errorf("the token: %d %s", code, text)
	}
}

func TestGitHost_ConcurrentPushes(t *testing.T) {
	l := open(t, githost.Config{})
	l.create(t, getProject)
	var all sync.WaitGroup
	names := strings.Split("abcd", "")
	for _, name := range names {
		all.Go(func() {
			for range 3 {
				if _, err := l.Commit(getProject, name, map[string][]byte{name: []byte(name)}); err == nil {
					return
				}
			}
		})
	}
	all.Wait()
	files, _, err := l.ReadFiles(getProject)
	if err != nil || len(files) != len(names) {
		t.Errorf("%v, %v", files, err)
	}
}
