package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A block of commands, and the comment in front of it.
var commandBlock = regexp.MustCompile("(?m)(<!--[^\n]*-->\n)?^```(?:sh|bash|shell|console)\n((?:[^`\n][^\n]*\n|\n)*)^```$")

// notRun marks a block with the reason why no test runs it.
var notRun = regexp.MustCompile(`^<!-- not run: (.{8,}) -->\n$`)

// tutorial makes its cluster itself; for other pages that name the folder, a cluster has been rehearsed.
const tutorial, rehearsed = "docs/tutorials/rehearse.md", "rehearsal"

// TestDocs_CommandBlocks runs the commands of each page of the documentation in a folder of its own, one block after another.
func TestDocs_CommandBlocks(t *testing.T) {
	whole(t)
	t.Parallel()
	scripts := t.TempDir()
	for page, commands := range readCommands(t, os.DirFS("../..")) {
		script := "exec bash -eu page.sh\n-- page.sh --\n" + commands
		if page != tutorial && strings.Contains(commands, rehearsed) {
			script = "cluster\n" + script
		}
		name := strings.NewReplacer("/", "-", ".md", ".txtar").Replace(page)
		if err := os.WriteFile(filepath.Join(scripts, name), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"cluster": newRehearsedCommand(t.TempDir())},
	})
}

// newRehearsedCommand returns a command that copies a rehearsed cluster with its zone, which the first caller makes, into the script's folder.
func newRehearsedCommand(dir string) func(*testscript.TestScript, bool, []string) {
	var once sync.Once
	return func(ts *testscript.TestScript, _ bool, _ []string) {
		once.Do(func() {
			ts.Check(ts.Exec("exoshift", "rehearse", "--speed", "600", "--output", "plain", "--dir", filepath.Join(dir, rehearsed)))
		})
		ts.Check(ts.Exec("cp", "-a", filepath.Join(dir, rehearsed), filepath.Join(dir, rehearsed+".zone"), "."))
	}
}

// readCommands returns the commands of each page that has any. A block that is marked has no commands.
func readCommands(t *testing.T, root fs.FS) map[string]string {
	t.Helper()
	commands := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md", "deploy/*/*.md"} {
		pages, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			content, err := fs.ReadFile(root, page)
			if err != nil {
				t.Fatal(err)
			}
			if found, problem := parseCommands(string(content)); problem != "" {
				t.Errorf("%s: %s", page, problem)
			} else if found != "" {
				commands[page] = found
			}
		}
	}
	return commands
}

func parseCommands(page string) (commands, problem string) {
	found := commandBlock.FindAllStringSubmatch(page, -1)
	if fences := strings.Count(page, "```sh") + strings.Count(page, "```bash") + strings.Count(page, "```console"); fences != len(found) {
		return "", fmt.Sprintf("%d of %d blocks of commands were understood", len(found), fences)
	}
	for _, block := range found {
		switch {
		case notRun.MatchString(block[1]):
		case strings.Contains(block[1], "not run"):
			return "", "a reason is missing: " + block[1]
		default:
			commands += block[2]
		}
	}
	return commands, ""
}

func TestParseCommands_MarksAndReasons(t *testing.T) {
	page := "text\n```sh\none\n\ntwo `x`\n```\n<!-- not run: it needs a zone -->\n```sh\nthree\n```\n<!-- other -->\n```sh\nfour\n```\n```yaml\nfive\n```\n"
	if got, problem := parseCommands(page); got != "one\n\ntwo `x`\nfour\n" || problem != "" {
		t.Errorf("%q, %q", got, problem)
	}
	for _, page := range []string{"<!-- not run -->\n```sh\none\n```\n", "<!-- not run:  -->\n```sh\none\n```\n", "```sh\nno end\n"} {
		if got, problem := parseCommands(page); problem == "" {
			t.Errorf("%q: %q", page, got)
		}
	}
}

// Nearly all pages of the documentation could go unread without anybody noticing: the blocks that run are counted.
func TestDocs_SomeBlocksRun(t *testing.T) {
	commands := readCommands(t, os.DirFS("../.."))
	for _, page := range []string{tutorial, "docs/how-to/destroy.md", "docs/how-to/verify.md", "docs/how-to/it-failed.md"} {
		if _, runs := commands[page]; !runs {
			t.Errorf("%s runs no commands", page)
		}
	}
}
