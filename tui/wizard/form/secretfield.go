package form

import (
	"encoding/json"
	"strings"
	"time"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/recognize"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// secretField edits a secret or the reference to one, and takes what is pasted.
type secretField struct{ *Form }

// enter keeps the reference, a letter begins to type the secret.
func (f secretField) handleReferenceKey(field wizard.Field, k tea.KeyMsg) {
	switch {
	case k.Type == tea.KeyEnter && (f.isSaving(field.Key) || len(f.session.Errors(field.Key)) == 0 && f.session.IsAnswered(field)):
		f.selectNext()
	case k.Type == tea.KeyEnter, key.Matches(k, f.keys.Give):
		f.openSources(field)
	case k.Type == tea.KeyRunes && !k.Alt:
		f.editor = newSecretEditor(field, sourceTyped, "")
		f.note = f.editor.handleKey(k)
	}
}

func (f secretField) openSources(field wizard.Field) {
	const here, env, file, exo, none = "type or paste it here", "environment variable", "file", "account of the exo CLI", "none"
	sources := []wizard.Choice{
		{Value: here, Note: "stored in a file that only you can read"},
		{Value: env, Note: "its name, e.g. " + strings.TrimPrefix(field.Example, "env:")},
		{Value: file, Note: "path of a file with mode 0600"},
	}
	if field.Key == session.PullSecretKey {
		sources[1].Note = "its name, e.g. PULL_SECRET"
	}
	if session.AllowsAccount(field) {
		sources = append(sources, wizard.Choice{Value: exo, Note: "name in the exo configuration"})
	}
	if !field.IsRequired(f.session.Spec()) {
		sources = append(sources, wizard.Choice{Value: none, Note: "not required"})
	}
	kinds := map[string]string{here: sourceTyped, env: session.SourceEnv, file: session.SourceFile, exo: session.SourceExo}
	f.list = newChoiceList(field.Title+": source", sources, "", false, func(source string) {
		if source == none {
			_ = f.session.Set(field.Key, "") // the error is shown below the row
			return
		}
		f.editor = newSecretEditor(field, kinds[source], f.suggestName(field, kinds[source]))
	})
}

// suggestName returns the name in the present reference, if it is of that kind.
func (f secretField) suggestName(field wizard.Field, kind string) string {
	if name, is := strings.CutPrefix(f.session.Text(field), kind+":"); is {
		return name
	}
	return ""
}

// handleKey handles a key while a secret or its reference is edited; it reports whether the key was used.
func (f secretField) handleKey(k tea.KeyMsg) bool {
	switch {
	case key.Matches(k, f.keys.Close):
		f.editor = nil
	case key.Matches(k, f.keys.Reveal) && f.editor.source == sourceTyped:
		f.reveal()
	case k.Type == tea.KeyEnter && f.isPasteIncomplete():
		f.editor.insert(" ")
		f.note = "incomplete: paste the rest, or esc to discard"
	case k.Type == tea.KeyEnter:
		f.submit()
	case key.Matches(k, f.keys.Up), key.Matches(k, f.keys.Down), key.Matches(k, f.keys.First), key.Matches(k, f.keys.Last):
		return false
	default:
		f.note = f.editor.handleKey(k)
	}
	return true
}

// keepOrDiscard asks what to do with a secret that was given as the name of its source. It is neither shown nor stored meanwhile.
func (f secretField) keepOrDiscard(field wizard.Field, secret, what string) {
	const keep, discard = "keep it privately", "discard it"
	f.editor = nil
	choices := []wizard.Choice{{Value: keep, Note: "in a file that only you can read"}, {Value: discard, Note: "the answer stays as it was"}}
	if f.session.Interview.SaveSecret == nil {
		choices = choices[1:]
	}
	f.list = newChoiceList("That is the secret itself ("+what+")", choices, "", false, func(chosen string) {
		if chosen == keep {
			f.session.SaveSecret(field.Key, secret)
			f.session.Touch(field.Key)
		}
	})
}

// isPasteIncomplete reports whether a secret of several lines is being pasted by a terminal without bracketed paste.
func (f secretField) isPasteIncomplete() bool {
	text := f.editor.getText()
	return f.editor.source == sourceTyped && f.editor.field.Key == session.PullSecretKey && strings.HasPrefix(text, "{") &&
		!json.Valid([]byte(text))
}

// revealTime is how long a revealed secret stays visible.
const revealTime = 5 * time.Second

func (f secretField) reveal() {
	if f.editor.field.Key == session.PullSecretKey {
		f.note = "hidden"
		return
	}
	f.editor.shownUntil = f.session.Now().Add(revealTime)
	f.session.AddCommand(f.session.Later(revealTime, page.BusyShownMsg{}))
}

func (f secretField) submit() {
	field := f.editor.field
	f.store()
	if f.list == nil && !f.session.IsRejected(field.Key) {
		f.selectNext()
	}
}

func (f secretField) store() {
	e := f.editor
	f.editor = nil
	text := e.getText()
	switch {
	case text == "":
	case e.source != sourceTyped && recognize.SecretAsName(text) != "":
		f.keepOrDiscard(e.field, text, recognize.SecretAsName(text))
	case e.source == sourceTyped && session.IsReference(text) && recognize.SecretAsName(session.ReferenceName(text)) != "":
		f.keepOrDiscard(e.field, session.ReferenceName(text), recognize.SecretAsName(session.ReferenceName(text)))
	case e.source == sourceTyped && session.IsReference(text):
		_ = session.SetReference(f.session.Session, e.field.Key, text) // the error is shown below the row
	case e.source == sourceTyped:
		f.session.SaveSecret(e.field.Key, text)
	default:
		_ = session.SetReference(f.session.Session, e.field.Key, e.source+":"+text)
	}
}

func (f secretField) isSaving(key string) bool {
	saving, _ := f.session.Saves.Secret(key)
	return saving
}

// render shows the source of a secret, never its value.
func (f secretField) render(field wizard.Field, room int) string {
	t, value := f.session, f.session.Text(field)
	kind, name, _ := strings.Cut(value, ":")
	name = cells.SanitizeText(name, t.ASCII)
	switch {
	case f.isSaving(field.Key):
		return t.Theme.Mark(theme.Running) + " saving…"
	case field.Key == session.PullSecretKey && t.Local.PullSecret() != "":
		return t.Local.PullSecret()
	case kind == session.SourceEnv && len("environment variable ")+len(name) > room:
		return "variable " + name
	case kind == session.SourceEnv:
		return "environment variable " + name
	case kind == session.SourceFile && t.Interview.DraftPath != "" && strings.HasPrefix(name, t.Interview.DraftPath):
		return strings.Repeat("•", 8) + " stored in a private file"
	case kind == session.SourceFile:
		return "file " + name
	case kind == session.SourceExo:
		return "account " + name + " of exo"
	case field.IsRequired(t.Spec()):
		return t.Theme.Dim.Render("required: press space, or paste it here")
	}
	return t.Theme.Dim.Render("none")
}
