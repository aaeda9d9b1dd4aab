package tui

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

func (t *pageContext) formatHelp(field wizard.Field) string {
	return t.describeField(field, t.describeOrigin(field))
}

func (t *pageContext) describeField(field wizard.Field, origin string) string {
	paragraphs := []string{field.Title + "\n" + field.Help}
	for _, p := range []struct{ head, text string }{
		{"Why", field.Why}, {"Example", field.Example}, {"From", field.Source}, {"Now", origin},
	} {
		if p.text != "" {
			paragraphs = append(paragraphs, p.head+": "+p.text)
		}
	}
	return sanitizeLines(session.ReplaceKeys(t.Session, strings.Join(paragraphs, "\n")), t.ascii)
}

func (t *pageContext) describeOrigin(field wizard.Field) string {
	switch origin := t.Answers().Origin(field.Key); origin {
	case wizard.ByDefault:
		if field.Get(t.Spec()) == "" {
			return "not answered"
		}
		return "the default"
	case wizard.Typed:
		return "you typed it"
	case session.Suggested:
		return "suggested, because most people take it"
	default:
		return origin
	}
}

func (t *pageContext) formatOrigin(field wizard.Field) string {
	saving, _ := t.Saves.Secret(field.Key)
	switch origin := t.Answers().Origin(field.Key); {
	case saving:
		return ""
	case t.IsRejected(field.Key) && t.Text(field) != "":
		return "not stored"
	case origin == wizard.ByDefault && field.Get(t.Spec()) == "":
		return ""
	case origin == wizard.ByDefault, origin == wizard.Typed, origin == session.Suggested:
		return origin
	case strings.HasPrefix(origin, wizard.Detected):
		return wizard.Detected
	case strings.HasPrefix(origin, "EXOSHIFT_"):
		return "from env"
	}
	return "given"
}

type helpText struct {
	theme theme.Theme
	text  string
}

// View draws what fits.
func (h helpText) View(width, height int) string {
	return cells.Fill(h.renderLines(width), width, height)
}

func (h helpText) renderLines(width int) []string {
	var lines []string
	for i, paragraph := range strings.Split(h.text, "\n") {
		head, rest, labelled := strings.Cut(paragraph, ": ")
		switch {
		case i == 0:
			for _, line := range cells.Wrap(paragraph, "", width-2) {
				lines = append(lines, " "+h.theme.Bold.Render(line))
			}
		case labelled && len(head) <= 8 && !strings.Contains(head, " "):
			lines = append(lines, "", " "+h.theme.Label.Render(head))
			lines = append(lines, cells.Wrap(rest, " ", width)...)
		default:
			lines = append(lines, cells.Wrap(paragraph, " ", width)...)
		}
	}
	return lines
}
