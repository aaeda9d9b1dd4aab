package handover

import (
	"bytes"
	"fmt"
	"strings"

	"exoshift/internal/text"
)

// RenderMarkdown returns the report as a document. Foreign text in it cannot leave its line.
func (r Report) RenderMarkdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", escapeMarkdown(r.Title))
	if r.Note != "" {
		fmt.Fprintf(&out, "\n%s\n", escapeMarkdown(r.Note))
	}
	for _, section := range r.Sections() {
		fmt.Fprintf(&out, "\n## %s\n", section.Title)
		for i, row := range section.Rows {
			before, after := Row{}, Row{}
			if i > 0 {
				before = section.Rows[i-1]
			}
			if i+1 < len(section.Rows) {
				after = section.Rows[i+1]
			}
			row.writeMarkdown(&out, before, after)
		}
	}
	return append([]byte(text.Sanitize(out.String(), text.WithLines)), '\n')
}

// Consecutive facts are one list, commands a block.
func (r Row) writeMarkdown(out *bytes.Buffer, before, after Row) {
	fact := r.Name != ""
	if goesOn := r.Command && before.Command || fact && before.Name != ""; !goesOn {
		out.WriteString("\n")
	}
	switch {
	case r.Command:
		if !before.Command {
			out.WriteString("```sh\n")
		}
		out.WriteString(r.Text + "\n")
		if !after.Command {
			out.WriteString("```\n")
		}
	case fact:
		fmt.Fprintf(out, "- %s: `%s`\n", escapeMarkdown(r.Name), strings.ReplaceAll(text.Sanitize(r.Text), "`", "'"))
	default:
		fmt.Fprintf(out, "%s\n", escapeMarkdown(r.Text))
	}
}

func escapeMarkdown(words string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "`", "\\`").Replace(text.Sanitize(words))
}
