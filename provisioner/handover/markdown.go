package handover

import (
	"bytes"
	"fmt"
	"strings"
)

// Markdown returns the report as a document.
func (r Report) Markdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", escaped(r.Title))
	if r.Note != "" {
		fmt.Fprintf(&out, "\n%s\n", escaped(r.Note))
	}
	for _, section := range r.Sections() {
		fmt.Fprintf(&out, "\n## %s\n", section.Title)
		for i, row := range section.Rows {
			row.markdown(&out, i > 0 && section.Rows[i-1].sameAs(row))
		}
	}
	return out.Bytes()
}

// sameAs tells whether two rows form one list.
func (r Row) sameAs(other Row) bool { return r.Name != "" && other.Name != "" }

func (r Row) markdown(out *bytes.Buffer, goesOn bool) {
	if !goesOn {
		out.WriteString("\n")
	}
	switch {
	case r.Command:
		fmt.Fprintf(out, "    %s\n", r.Text)
	case r.Name != "":
		fmt.Fprintf(out, "- %s: `%s`\n", escaped(r.Name), strings.ReplaceAll(r.Text, "`", "'"))
	default:
		fmt.Fprintf(out, "%s\n", escaped(r.Text))
	}
}

// escaped keeps a text from being taken for markup.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "`", "\\`").Replace(text)
}
