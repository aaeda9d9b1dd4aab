package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// longestReadme is the limit of README.md, in bytes.
const longestReadme = 6 * 1024

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	mark    = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	frame   = regexp.MustCompile(`<svg x="\d+">`) // beside the first one
)

func TestReadme_IsShort(t *testing.T) {
	if size := len(readPages(t)["README.md"]); size > longestReadme {
		t.Errorf("README.md has %d bytes, at most %d are allowed: what is reference belongs below docs", size, longestReadme)
	}
}

// A zone is tested before the first real installation in it.
func TestReadme_NamesTheStepsToACluster(t *testing.T) {
	rest := readPages(t)["README.md"]
	for _, step := range []string{"exoshift rehearse --interactive", "exoshift conformance --zone", "exoshift install "} {
		_, after, found := strings.Cut(rest, "\n"+step)
		if !found {
			t.Fatalf("README.md does not name %q, or not in order", step)
		}
		rest = after
	}
}

func TestLinks_Resolve(t *testing.T) {
	pages := readPages(t)
	for name, text := range pages {
		for _, target := range listLinks(name, text) {
			if problem := checkLink(pages, target); problem != "" {
				t.Errorf("%s: %s: %s", name, target, problem)
			}
		}
	}
}

// Each page of the documentation is reached from README.md by two clicks at most.
func TestPages_AreTwoClicksFromReadme(t *testing.T) {
	pages := readPages(t)
	for _, name := range listFarPages(pages) {
		t.Errorf("%s is not within two clicks of README.md", name)
	}
}

// The tests find what they look for.
func TestLinks_ViolationsAreFound(t *testing.T) {
	pages := map[string]string{
		"README.md":     "[a](docs/a.md) [b](docs/none.md) [c](docs/a.md#none) [d](docs/a.md#the-third-thing) `[e](x.md)`\n```\n[f](y.md)\n```\n",
		"docs/a.md":     "# A\n## The *third* `thing`!\n[b](b.md) [again](#the-third-thing) [pic](../go.mod)",
		"docs/b.md":     "[c](c.md)",
		"docs/c.md":     "c",
		"docs/alone.md": "[a](a.md)",
	}
	var problems []string
	for _, target := range listLinks("README.md", pages["README.md"]) {
		if problem := checkLink(pages, target); problem != "" {
			problems = append(problems, target+": "+problem)
		}
	}
	if want := []string{"docs/none.md: no such file", "docs/a.md#none: no such heading"}; !slices.Equal(problems, want) {
		t.Errorf("got %q, want %q", problems, want)
	}
	for _, target := range listLinks("docs/a.md", pages["docs/a.md"]) {
		if problem := checkLink(pages, target); problem != "" {
			t.Errorf("%s: %s", target, problem)
		}
	}
	if got, want := listFarPages(pages), []string{"docs/alone.md", "docs/c.md"}; !slices.Equal(got, want) {
		t.Errorf("far pages: %q, want %q", got, want)
	}
}

// readPages returns the project's pages in Markdown, by path.
func readPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	root := os.DirFS("..")
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md", "deploy/*/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			content, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(content)
		}
	}
	if len(pages) < 40 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	return pages
}

// listLinks returns the targets within the project that a page refers to, as paths below its root.
func listLinks(name, text string) []string {
	var targets []string
	text = code.ReplaceAllString(comment.ReplaceAllString(fence.ReplaceAllString(text, ""), ""), "x")
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		target := found[1]
		switch file, anchor, _ := strings.Cut(target, "#"); {
		case strings.Contains(target, "://"):
		case file == "":
			targets = append(targets, name+"#"+anchor)
		default:
			targets = append(targets, path.Join(path.Dir(name), target))
		}
	}
	return targets
}

func checkLink(pages map[string]string, target string) string {
	file, anchor, anchored := strings.Cut(target, "#")
	text, known := pages[file]
	if _, err := os.Stat(path.Join("..", file)); !known && err != nil {
		return "no such file"
	}
	if anchored && !slices.Contains(listAnchors(text), anchor) {
		return "no such heading"
	}
	return ""
}

// listAnchors returns what links to a page may end with: its headings as GitHub and GitLab spell them, and its marks.
func listAnchors(text string) []string {
	var anchors []string
	for _, found := range mark.FindAllStringSubmatch(text, -1) {
		anchors = append(anchors, found[1])
	}
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		anchors = append(anchors, spellAnchor(found[1]))
	}
	return anchors
}

func spellAnchor(heading string) string {
	plain := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(plain, " ", "-")
}

func listFarPages(pages map[string]string) []string {
	near, newest := map[string]bool{"README.md": true}, []string{"README.md"}
	for range 2 {
		var next []string
		for _, name := range newest {
			for _, target := range listLinks(name, pages[name]) {
				file, _, _ := strings.Cut(target, "#")
				if _, known := pages[file]; known && !near[file] {
					near[file], next = true, append(next, file)
				}
			}
		}
		newest = next
	}
	var far []string
	for name := range pages {
		if !near[name] {
			far = append(far, name)
		}
	}
	slices.Sort(far)
	return far
}

// Viewers show the first of frames that are drawn side by side: a still with two of them is an empty picture.
func TestPictures_StillsHaveOneFrame(t *testing.T) {
	pictures, err := fs.Glob(os.DirFS("pictures"), "*.svg")
	if err != nil || len(pictures) == 0 {
		t.Fatal("no picture was found")
	}
	for _, name := range pictures {
		content, err := os.ReadFile("pictures/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if isAnimated := name == "install.svg"; isAnimated != frame.Match(content) {
			t.Errorf("%s has frames side by side: %t", name, !isAnimated)
		}
	}
}
