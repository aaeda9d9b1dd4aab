package bundle

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/redact"
)

func TestLongFilesKeepTheirEndAndTheOldestHaveNoRoom(t *testing.T) {
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
		got = append(got, File{Name: file.Name, Bytes: file.Bytes, Cut: file.Cut})
	}
	want := []File{{Name: "events", Bytes: 29, Cut: 119}, {Name: "new", Bytes: 6}, {Name: "old", Bytes: 5}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"large"}, b.Left); diff != "" {
		t.Error(diff)
	}
}
