package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"exoshift/internal/fault"
)

// crafted is a commit with entries that Git would not create.
func crafted(t *testing.T, build func(s *snapshot) []object.TreeEntry) *snapshot {
	t.Helper()
	s := &snapshot{objects: memory.NewStorage(), repo: repoURL{scheme: overHTTPS, host: "git.example.net", path: "/x.git"}}
	root := keep(t, s, rawTree(build(s)))
	s.head = keep(t, s, &object.Commit{TreeHash: root})
	return s
}

func keep(t *testing.T, s *snapshot, o interface {
	Encode(plumbing.EncodedObject) error
}) plumbing.Hash {
	t.Helper()
	hash, err := storeObject(s.objects, o)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// rawTree is encoded without validation.
type rawTree []object.TreeEntry

func (r rawTree) Encode(o plumbing.EncodedObject) error {
	o.SetType(plumbing.TreeObject)
	writer, err := o.Writer()
	if err != nil {
		return err
	}
	for _, entry := range r {
		mode := strings.TrimLeft(entry.Mode.String(), "0")
		if _, err := writer.Write(append([]byte(mode+" "+entry.Name+"\x00"), entry.Hash[:]...)); err != nil {
			return err
		}
	}
	return writer.Close()
}

func TestCheckout_RefusesEscapingFiles(t *testing.T) {
	content := func(t *testing.T, s *snapshot, text string) plumbing.Hash {
		return keep(t, s, fileContent{[]byte(text)})
	}
	for name, entries := range map[string]func(*testing.T, *snapshot) []object.TreeEntry{
		"a way up": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "..", Mode: filemode.Regular, Hash: content(t, s, "x")}}
		},
		"a path": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "a/../../b", Mode: filemode.Regular, Hash: content(t, s, "x")}}
		},
		"an absolute path": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "/etc/x", Mode: filemode.Regular, Hash: content(t, s, "x")}}
		},
		"Git's own folder": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: ".GIT", Mode: filemode.Regular, Hash: content(t, s, "x")}}
		},
		"control letters": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "a\x1b[2J", Mode: filemode.Regular, Hash: content(t, s, "x")}}
		},
		"a link out": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "a", Mode: filemode.Symlink, Hash: content(t, s, "/etc")}}
		},
		"a link up": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "a", Mode: filemode.Symlink, Hash: content(t, s, "b/../../c")}}
		},
		"another repository": func(*testing.T, *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "a", Mode: filemode.Submodule, Hash: plumbing.NewHash("01")}}
		},
		"two of one name": func(t *testing.T, s *snapshot) []object.TreeEntry {
			return []object.TreeEntry{{Name: "A", Mode: filemode.Regular, Hash: content(t, s, "x")}, {Name: "a", Mode: filemode.Symlink, Hash: content(t, s, "b")}}
		},
		"a bomb of folders": func(t *testing.T, s *snapshot) []object.TreeEntry {
			hash, mode := content(t, s, "x"), filemode.Regular
			for range 9 {
				var tree rawTree
				for _, name := range strings.Split("abcdefghij", "") {
					tree = append(tree, object.TreeEntry{Name: name, Mode: mode, Hash: hash})
				}
				hash, mode = keep(t, s, tree), filemode.Dir
			}
			return []object.TreeEntry{{Name: "a", Mode: filemode.Dir, Hash: hash}}
		},
		"a large file many times": func(t *testing.T, s *snapshot) (list []object.TreeEntry) {
			hash := content(t, s, strings.Repeat("x", 1<<20))
			for i := range 300 {
				list = append(list, object.TreeEntry{Name: fmt.Sprintf("f%03d", i), Mode: filemode.Regular, Hash: hash})
			}
			return list
		},
		"folders without end": func(t *testing.T, s *snapshot) []object.TreeEntry {
			hash := keep(t, s, rawTree{})
			for range 100 {
				hash = keep(t, s, rawTree{{Name: "a", Mode: filemode.Dir, Hash: hash}})
			}
			return []object.TreeEntry{{Name: "a", Mode: filemode.Dir, Hash: hash}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "catalog")
			if err := os.MkdirAll(filepath.Join(dir, "old"), 0o700); err != nil {
				t.Fatal(err)
			}
			err := crafted(t, func(s *snapshot) []object.TreeEntry { return entries(t, s) }).replace(dir)
			if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "old")); err != nil {
				t.Errorf("what was there is gone: %v", err)
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
				t.Errorf("%v stays, %v", left, err)
			}
		})
	}
}

func TestCheckout_RemovesKilledFetch(t *testing.T) {
	within := t.TempDir()
	for _, name := range []string{".catalog-123/old/manifests", ".catalog-456/new", ".catalog-mine", ".catalog-", ".other-123"} {
		if err := os.MkdirAll(filepath.Join(within, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(within, ".catalog-789")); err != nil {
		t.Fatal(err)
	}
	if err := crafted(t, func(*snapshot) []object.TreeEntry { return nil }).replace(filepath.Join(within, "catalog")); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(within)
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if got := strings.Join(left, " "); err != nil || got != ".catalog- .catalog-789 .catalog-mine .other-123 catalog" {
		t.Errorf("%s stays, %v", got, err)
	}
}

func TestCheckout_KeepsInnerLink(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "catalog")
	s := crafted(t, func(s *snapshot) []object.TreeEntry {
		return []object.TreeEntry{{Name: "a", Mode: filemode.Symlink, Hash: keep(t, s, fileContent{[]byte("b")})}, {Name: "b", Mode: filemode.Executable, Hash: keep(t, s, fileContent{[]byte("x")})}}
	})
	if err := s.replace(dir); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(content) != "x" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestParseRepoURL_ValidAndInvalid(t *testing.T) {
	for address, want := range map[string]string{
		"ssh://git@git.example.net/a/b.git":      "ssh://git@git.example.net/a/b.git",
		"ssh://git.example.net:2222/a/b.git":     "ssh://git@git.example.net:2222/a/b.git",
		"git@git.example.net:a/b.git":            "ssh://git@git.example.net/a/b.git",
		"https://me:secret@git.example.net/a/b/": "https://git.example.net/a/b",
	} {
		if got, err := parseRepoURL(address, false); err != nil || got.String() != want {
			t.Errorf("%s is %s, %v", address, got, err)
		}
	}
	for _, address := range []string{
		"", "http://git.example.net/a", "file:///etc", "ext::sh -c x", "/etc/passwd", "ssh://-oProxyCommand=x/a", "ssh://git.example.net/-a", "ssh://git@git.example.net",
		"https://git.example.net/a/../b", "ssh://git@git.example.net/a\nb", "https://me:secret@:x/", "ssh://-x@git.example.net/a",
	} {
		if got, err := parseRepoURL(address, false); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is %s, %v", address, got, err)
		}
	}
	if got, _ := parseRepoURL("ssh://git@git.example.net:2222/a/b.git", true); got.String() != "https://git.example.net/a/b.git" || got.projectPath() != "a/b" {
		t.Errorf("with a token it is %s", got)
	}
}

func TestExtractReason_FromOutput(t *testing.T) {
	trace := "section_start:1:prepare\r\x1b[0KPreparing\n\x1b[32mfine\x1b[0;m\nError one\n" + strings.Repeat("Error again and again\n", 300) +
		"\x1b]8;;http://x\x07ValueError: lookup error for reference '${facts:service_level}' in parameter 'a': key 'service_level' not found\n" +
		"Cleaning up project directory\nERROR: Job failed: exit code 1\n"
	got := extractReason([]byte(trace))
	if len(got) > maxReason+3 || strings.ContainsAny(got, "\x1b\r\x07") || !strings.HasSuffix(got, "not found") || strings.Contains(got, "Job failed") {
		t.Errorf("%q", got)
	}
	stamped := "2026-11-22T06:47:06.047949Z 00O Error: no match\n2026-11-22T06:47:06.08Z 00E+  in main.jsonnet: not found\n2026-11-22T06:47:06.32Z 00O ERROR: Job failed: exit code 1\n"
	if got := extractReason([]byte(stamped)); got != "Error: no match\nin main.jsonnet: not found" {
		t.Errorf("with the times that GitLab writes: %q", got)
	}
	for text, want := range map[string]string{
		got: "service_level",
		"Cannot resolve ${facts:sales_order}, at x":                            "sales_order",
		"RUNTIME ERROR: field does not exist: inv.parameters.facts.region":     "region",
		"Error: required fact 'access_policy' is missing":                      "access_policy",
		"lookup error for reference '${dynamic_facts:x}': key 'x' not found":   "",
		"lookup error for reference '${openshift:infraID}': key 'i' not found": "",
		"all facts are known": "",
	} {
		if fact := findMissingFact(text); fact != want {
			t.Errorf("%q is about %q", text, fact)
		}
	}
}
