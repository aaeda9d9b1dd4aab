package aboutverbs

import (
	"strings"
	"testing"

	"exoshift/docs"
)

func TestRender_PlainText(t *testing.T) {
	page := docs.Page{Path: "how-to/x.md", Text: `# A ` + "`title`" + `

<!-- a comment -->
Text with a [link](nodes.md#there), an [address](https://example.net/x), **bold** words and a line that is longer than
eighty columns.
![picture](../pictures/a.svg)

- one item
  that goes on
- two

<!-- not run: a reason -->
` + "```sh\nexoshift  docs   # kept\n\n  as it is\n```" + `

| word | is | in |
|---|---|---|
| a \| b | <a id="x"></a>short | *host* |
`}
	want := `A title
=======

Text with a link, an address (https://example.net/x), bold words and a line that
is longer than eighty columns.

- one item that goes on
- two

    exoshift  docs   # kept

      as it is

  a | b
      is: short
      in: host

See also
--------

    exoshift docs how-to/nodes
`
	if got := Render(page); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Every page is plain text whose lines fit, unless they are commands or longer than a line by themselves.
func TestRender_EveryPage(t *testing.T) {
	for _, page := range docs.List() {
		text := Render(page)
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			verbatim := strings.HasPrefix(line, "    ") || !strings.Contains(strings.TrimSpace(line), " ")
			if !verbatim && len([]rune(line)) > width {
				t.Errorf("%s: a line of %d columns: %s", page.Path, len([]rune(line)), line)
			}
			if !verbatim && (strings.Contains(line, "](") || strings.Contains(line, "<!--")) {
				t.Errorf("%s: Markdown is left in %s", page.Path, line)
			}
		}
		if page.Title() == "" || strings.HasPrefix(page.Title(), "#") || !strings.HasPrefix(text, page.Title()+"\n") {
			t.Errorf("%s begins with %q, its title is %q", page.Path, text[:min(len(text), 60)], page.Title())
		}
	}
}
