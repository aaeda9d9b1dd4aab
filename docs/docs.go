// Package docs holds the pages of the documentation, which the program prints, too.
package docs

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.md tutorials/*.md how-to/*.md how-to/*/*.md reference/*.md explanation/*.md explanation/*/*.md
var files embed.FS

// Page is a page of the documentation, in Markdown.
type Page struct {
	Path string // below the folder docs: "how-to/nodes.md"
	Text string
}

// Name is what the page is asked for by: its path without extension. The list of a folder has the folder's name.
func (p Page) Name() string {
	name := strings.TrimSuffix(strings.TrimSuffix(p.Path, ".md"), "README")
	return strings.TrimSuffix(name, "/")
}

// Title is the first heading.
func (p Page) Title() string {
	heading, _, _ := strings.Cut(p.Text, "\n")
	return strings.NewReplacer("# ", "", "`", "").Replace(heading)
}

// List returns all pages by their paths, the folders in the order of a reader.
func List() []Page {
	var pages []Page
	for _, pattern := range []string{"tutorials/*.md", "how-to/*.md", "how-to/*/*.md", "reference/*.md", "explanation/*.md", "explanation/*/*.md", "*.md"} {
		names, _ := fs.Glob(files, pattern) // the pattern is valid
		for _, name := range names {
			pages = append(pages, Page{Path: name, Text: read(name)})
		}
	}
	return pages
}

// Find returns the pages of a name, or else those whose name ends with it: "nodes" is "how-to/nodes". An extension is ignored.
func Find(name string) []Page {
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "/")), ".md")
	var ending []Page
	for _, page := range List() {
		switch {
		case page.Name() == name:
			return []Page{page}
		case path.Base(page.Name()) == name:
			ending = append(ending, page)
		}
	}
	return ending
}

// ExitCodes returns the page of the exit codes.
func ExitCodes() string { return read("reference/exit-codes.md") }

// Endpoints returns the page of the checks, and of what can be wrong with a connection.
func Endpoints() string { return read("reference/endpoints.md") }

// read returns a file that is known to exist.
func read(name string) string {
	content, _ := files.ReadFile(name)
	return string(content)
}
