package page

import (
	"strings"

	"exoshift/tui/cells"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// FormatHelp returns the help on a field, with its answer and where that is from.
func (t *Context) FormatHelp(field wizard.Field) string {
	return t.DescribeField(field, t.describeOrigin(field))
}

// DescribeField returns the help on a field; origin is a line about its answer, which may be empty.
func (t *Context) DescribeField(field wizard.Field, origin string) string {
	paragraphs := []string{field.Title + "\n" + field.Help}
	for _, p := range []struct{ head, text string }{
		{"Why", field.Why}, {"Example", field.Example}, {"From", field.Source}, {"Now", origin},
	} {
		if p.text != "" {
			paragraphs = append(paragraphs, p.head+": "+p.text)
		}
	}
	return cells.SanitizeLines(session.ReplaceKeys(t.Session, strings.Join(paragraphs, "\n")), t.ASCII)
}

func (t *Context) describeOrigin(field wizard.Field) string {
	switch origin := t.Answers().Origin(field.Key); origin {
	case wizard.ByDefault:
		if field.Get(t.Spec()) == "" {
			return "not answered"
		}
		return "the default"
	case wizard.Typed:
		return "entered by you"
	case session.Suggested:
		return "suggested as the common choice"
	default:
		return origin
	}
}

// FormatOrigin returns where a field's answer is from, in a few words.
func (t *Context) FormatOrigin(field wizard.Field) string {
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
