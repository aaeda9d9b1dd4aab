package recording

import (
	"os"
	"path/filepath"
	"testing"
)

func FuzzRecordings(f *testing.F) {
	for _, seed := range []string{
		`{"v":1,"seq":1,"time":"2026-05-04T14:02:00Z","type":"run","state":"started"}` + "\n" + `{"v":1,"seq":2,"time":"2026-05-04T14:01:00Z","type":"step","step":"a","state":"started","text":"A"}`,
		`{"v":1,"seq":3,"type":"node","name":"master-0","role":7}` + "\n" + `{"v":1,"seq":2,"type":"run","state":"finished"}` + "\n{\"v\"", "", "[]\nnull\n1\n", "\xff\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		runs, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			if len(run) == 0 {
				t.Fatal("a run without an event")
			}
			for i, e := range run[1:] {
				if e.Time.Before(run[i].Time) {
					t.Fatalf("event %d is at %s, and the one before it at %s", i+1, e.Time, run[i].Time)
				}
			}
			known := map[string]bool{}
			for _, step := range run.BuildPlan(runs) {
				if known[step.ID] || step.Title == "" && step.ID != "" {
					t.Fatalf("step %q twice, or without a title", step.ID)
				}
				known[step.ID] = true
			}
		}
	})
}
