package aboutverbs

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"exoshift/docs"
)

// width of a page, in columns.
const width = 80

// Render returns a page as plain text, and the pages that it refers to.
func Render(page docs.Page) string {
	r := renderer{page: page}
	text := comment.ReplaceAllString(page.Text, "")
	for _, block := range splitBlocks(text) {
		r.renderBlock(block)
	}
	r.renderLinks()
	return strings.TrimLeft(r.out.String(), "\n")
}

type renderer struct {
	page  docs.Page
	out   strings.Builder
	links []string // names of pages, in the order of the text
}

// splitBlocks returns the paragraphs, lists, tables, headings and fenced blocks of a page, as lines.
func splitBlocks(text string) [][]string {
	var blocks [][]string
	var current []string
	end := func() {
		if len(current) > 0 {
			blocks, current = append(blocks, current), nil
		}
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch fence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case fence && fenced:
			fenced = false
			end()
		case fence:
			end()
			fenced, current = true, []string{"```"}
		case fenced:
			current = append(current, line)
		case strings.TrimSpace(line) == "":
			end()
		case strings.HasPrefix(line, "#"):
			end()
			blocks = append(blocks, []string{line})
		default:
			current = append(current, line)
		}
	}
	end()
	return blocks
}

func (r *renderer) renderBlock(lines []string) {
	first := lines[0]
	switch {
	case first == "```":
		r.out.WriteString("\n")
		for _, line := range lines[1:] {
			r.out.WriteString(strings.TrimRight("    "+line, " ") + "\n")
		}
	case strings.HasPrefix(first, "# "):
		title := r.format(first[2:])
		r.out.WriteString(title + "\n" + strings.Repeat("=", len([]rune(title))) + "\n")
	case strings.HasPrefix(first, "#"):
		title := r.format(strings.TrimLeft(first, "# "))
		r.out.WriteString("\n" + title + "\n" + strings.Repeat("-", len([]rune(title))) + "\n")
	case strings.HasPrefix(first, "|"):
		r.renderTable(lines)
	case item.MatchString(first):
		r.renderList(lines)
	default:
		r.out.WriteString("\n" + wrap(r.format(strings.Join(lines, " ")), "", ""))
	}
}

// renderList renders items, each of which may go on in lines that are indented.
func (r *renderer) renderList(lines []string) {
	r.out.WriteString("\n")
	var items []string
	for _, line := range lines {
		if item.MatchString(line) {
			items = append(items, line)
		} else {
			items[len(items)-1] += " " + strings.TrimSpace(line)
		}
	}
	for _, line := range items {
		mark := item.FindString(line)
		r.out.WriteString(wrap(r.format(line[len(mark):]), mark, strings.Repeat(" ", len(mark))))
	}
}

// renderTable renders a row as its first cell, and below it the others with their headings where there are several.
func (r *renderer) renderTable(lines []string) {
	heading := r.splitCells(lines[0])
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "|---") {
			continue
		}
		cells := r.splitCells(line)
		r.out.WriteString("\n" + wrap(cells[0], "  ", "  "))
		for i, cell := range cells[1:] {
			if cell == "" {
				continue
			}
			if len(cells) > 2 && i+1 < len(heading) {
				cell = heading[i+1] + ": " + cell
			}
			r.out.WriteString(wrap(cell, "      ", "      "))
		}
	}
}

func (r *renderer) splitCells(line string) []string {
	cells := strings.Split(strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00"), "|")
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(r.format(strings.TrimSpace(cell)), "\x00", "|")
	}
	return cells
}

// format removes the marks of Markdown within a line, and notes the pages that it refers to.
func (r *renderer) format(line string) string {
	line = picture.ReplaceAllString(anchor.ReplaceAllString(line, ""), "")
	line = link.ReplaceAllStringFunc(line, func(found string) string {
		part := link.FindStringSubmatch(found)
		return r.formatLink(part[1], part[2])
	})
	line = emphasis.ReplaceAllString(strings.ReplaceAll(line, "**", ""), r.emphasized())
	return strings.TrimSpace(strings.NewReplacer("`", "", `\<`, "<").Replace(line))
}

// emphasized returns what stands for words in italics, which on the page of endpoints are placeholders.
func (r *renderer) emphasized() string {
	if r.page.Path == "reference/endpoints.md" {
		return "{$1}"
	}
	return "$1"
}

func (r *renderer) formatLink(label, target string) string {
	if strings.Contains(target, "://") {
		return label + " (" + target + ")"
	}
	file, _, _ := strings.Cut(target, "#")
	name := docs.Page{Path: path.Join(path.Dir(r.page.Path), file)}.Name()
	known := slices.ContainsFunc(docs.List(), func(p docs.Page) bool { return p.Name() == name })
	if file != "" && known && !slices.Contains(r.links, name) {
		r.links = append(r.links, name)
	}
	return label
}

// renderLinks lists the commands that show what the page refers to.
func (r *renderer) renderLinks() {
	if len(r.links) == 0 {
		return
	}
	r.out.WriteString("\nSee also\n--------\n\n")
	for _, name := range r.links {
		r.out.WriteString("    exoshift docs " + name + "\n")
	}
}

var (
	comment  = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
	item     = regexp.MustCompile(`^ *(?:-|[0-9]+\.) +`)
	anchor   = regexp.MustCompile(`<a [^>]*></a>`)
	picture  = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link     = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)
	emphasis = regexp.MustCompile(`\*([A-Za-z][^*]*)\*`)
)

// wrap breaks a text between words. The first line begins with one text, the others with another.
func wrap(text, first, others string) string {
	var out strings.Builder
	line := first
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > width:
			out.WriteString(line + "\n")
			line = others + word
		default:
			line += " " + word
		}
	}
	if strings.TrimSpace(line) == "" {
		return ""
	}
	return out.String() + line + "\n"
}
