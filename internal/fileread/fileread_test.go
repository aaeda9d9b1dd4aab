package fileread_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/internal/fileread"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// within fails if a call blocks.
func within(t *testing.T, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	timeout := time.NewTimer(10 * time.Minute)
	defer timeout.Stop()
	select {
	case err := <-done:
		return err
	case <-timeout.C:
		t.Fatal("it waits")
		return nil
	}
}

func TestBytes_RequiresRegularFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:            dir + " is a directory, not a regular file",
		pipe:           pipe + " is a pipe, not a regular file",
		"/dev/zero":    "/dev/zero is a device, not a regular file",
		"/dev/urandom": "/dev/urandom is a device, not a regular file",
		link:           link + " is a device, not a regular file",
	} {
		err := within(t, func() error { _, err := fileread.Bytes(path, fileread.Small); return err })
		if err == nil || err.Error() != want {
			t.Errorf("want %s\ngot  %v", want, err)
		}
	}
}

func TestBytesIn_RequiresRegularFile(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	err = within(t, func() error { _, err := fileread.BytesIn(root, "pipe", fileread.Small); return err })
	if err == nil || !strings.Contains(err.Error(), "is a pipe") {
		t.Errorf("%v", err)
	}
}

func TestBytes_BoundsTheSize(t *testing.T) {
	path := write(t, strings.Repeat("a", 1<<20))
	if content, err := fileread.Bytes(path, 1<<20); err != nil || len(content) != 1<<20 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	for limit, want := range map[int64]string{1<<20 - 1: " is larger than 1023 KiB", 64 << 10: " is larger than 64 KiB"} {
		if _, err := fileread.Bytes(path, limit); err == nil || err.Error() != path+want {
			t.Errorf("%v", err)
		}
	}
	// Files of the kernel have the size 0 whatever their content.
	if _, err := fileread.Bytes("/proc/self/environ", 1); err == nil {
		t.Error("a file that holds more than its size says was read whole")
	}
}

func TestBytes_MissingFile(t *testing.T) {
	if _, err := fileread.Bytes(filepath.Join(t.TempDir(), "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestText_DropsTheByteOrderMark(t *testing.T) {
	content, err := fileread.Text(write(t, "\ufeffaé: 🙂\n"), fileread.Small)
	if err != nil || string(content) != "aé: 🙂\n" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestText_LocatesInvalidUTF8(t *testing.T) {
	for content, want := range map[string]string{
		"a: b\nné: \xff":     "line 2, column 5: the byte 0xff is not UTF-8",
		"a\n\nb\x00":         "line 3, column 2: a NUL character",
		"\ufeffa\x00":        "line 1, column 2: a NUL character",
		"\xff\xfea\x00:\x00": "line 1, column 1: the text is in UTF-16; save it in UTF-8",
	} {
		path := write(t, content)
		_, err := fileread.Text(path, fileread.Small)
		var place *fileread.TextError
		if !errors.As(err, &place) || err.Error() != "read "+path+": "+want {
			t.Errorf("%q: want %s\ngot %v", content, want, err)
		}
	}
}

func TestCheckNesting_RefusesDepthInMilliseconds(t *testing.T) {
	const size = 40 << 10
	for name, content := range map[string]string{
		"lists":         strings.Repeat("[", size),
		"closed lists":  strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"lines":         strings.Repeat("[\n", size/2),
		"mappings":      strings.Repeat("{a: ", size/4),
		"dashes":        strings.Repeat("- ", size/2),
		"below a value": "a: b\nc: " + strings.Repeat("[", size),
	} {
		began := time.Now()
		err := fileread.CheckNesting([]byte(content))
		var place *fileread.TextError
		if !errors.As(err, &place) || !strings.Contains(err.Error(), "nested deeper than 100 levels") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func TestCheckNesting_AllowsCommonDepth(t *testing.T) {
	for name, content := range map[string]string{
		"many lists":       strings.Repeat("- [a, {b: c}]\n", 1000),
		"many dashes":      strings.Repeat("- - - a\n", 1000),
		"brackets in text": "a: \"" + strings.Repeat("[", 1000) + "\"\nb: |\n  " + strings.Repeat("{[", 1000) + "\n# " + strings.Repeat("[", 1000) + "\n",
		"deep enough":      strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		if err := fileread.CheckNesting([]byte(content)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckPath_RegularOrNothing(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{write(t, ""): "", pipe + ".none": "", pipe: pipe + " is a pipe, not a regular file", pipe + "/below": "not a directory"} {
		if err := fileread.CheckPath(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
