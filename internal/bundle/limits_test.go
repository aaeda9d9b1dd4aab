package bundle

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/redact"
)

func TestPack_TruncatesLongFiles(t *testing.T) {
	folder := fstest.MapFS{
		"events": {Data: []byte(strings.Repeat("a line\n", 20) + "the end\n")},
		"new":    {Data: []byte("short\n")},
		"large":  {Data: []byte("too long for what is left\n")},
		"old":    {Data: []byte("fits\n")},
	}
	var b Bundle
	r := redact.New()
	if err := b.read(folder, []string{"events", "new", "large", "old"}, limits{file: 32, all: 45}, r); err != nil {
		t.Fatal(err)
	}
	if err := b.pack(r); err != nil {
		t.Fatal(err)
	}
	var got []File
	for _, file := range b.Files {
		got = append(got, File{Name: file.Name, Bytes: file.Bytes, Truncated: file.Truncated})
	}
	want := []File{{Name: "events", Bytes: 29, Truncated: 119}, {Name: "new", Bytes: 6}, {Name: "old", Bytes: 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"large"}, b.Omitted); diff != "" {
		t.Error(diff)
	}
}

// Memory use depends on the packed part of a file, not on its size.
func TestReadTail_SkipsBeginning(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "long"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 30
	_, err = file.WriteAt([]byte("torn\nthe end\n"), size) // the rest is sparse
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	content, cut, endErr := readTail(os.DirFS(dir), "long", 10)
	runtime.ReadMemStats(&after)
	if err != nil || endErr != nil || string(content) != "the end\n" || cut != size+5 {
		t.Errorf("%q, %d bytes before it: %v, %v", content, cut, err, endErr)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes of memory", used)
	}
}

func TestReadTail_DropsPartialLine(t *testing.T) {
	folder := fstest.MapFS{"log": {Data: []byte("password=hunter2hunter2hunter2")}}
	if content, cut, err := readTail(folder, "log", 15); err != nil || len(content) > 0 || cut != 30 {
		t.Errorf("%q, %d bytes before it: %v", content, cut, err)
	}
}
