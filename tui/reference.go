package tui

import (
	"encoding/json"
	"strings"
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Where a secret may be found, by the kinds of references.
const (
	inEnvironment = "env"
	inFile        = "file"
	inExo         = "exo"
)

// pullSecretField is shown as a summary only.
const pullSecretField = "openshift.pullSecret"

// The two halves of a key: an account has both.
const (
	apiKeyField    = "exoscale.apiKey"
	apiSecretField = "exoscale.apiSecret"
)

// pressReference takes a key on a row about a secret: enter keeps what is there, a letter begins to type the secret.
func (f *form) pressReference(field wizard.Field, k tea.KeyMsg) {
	switch {
	case k.Type == tea.KeyEnter && (f.talk.keeping[field.Key] || len(f.talk.red(field.Key)) == 0 && f.answered(field)):
		f.onward()
	case k.Type == tea.KeyEnter, key.Matches(k, f.keys.Give):
		f.openSources(field)
	case k.Type == tea.KeyRunes && !k.Alt:
		f.editor = newSecretEditor(field, typedHere, "")
		f.note = f.editor.press(k)
	}
}

// openSources asks where a secret is found.
func (f *form) openSources(field wizard.Field) {
	const here, env, file, exo, none = "type or paste it here", "environment variable", "file", "account of the exo program", "none"
	sources := []wizard.Choice{
		{Value: here, Note: "it is kept in a file that only you can read"},
		{Value: env, Note: "its name, e.g. " + strings.TrimPrefix(field.Example, "env:")},
		{Value: file, Note: "its path; only you may have access to it"},
	}
	if field.Key == pullSecretField {
		sources[1].Note = "its name, e.g. PULL_SECRET"
	}
	if spec := f.talk.spec(); field.Set(&spec, inExo+":default") == nil {
		sources = append(sources, wizard.Choice{Value: exo, Note: "its name in the program's configuration"})
	}
	if !field.RequiredBy(f.talk.spec()) {
		sources = append(sources, wizard.Choice{Value: none, Note: "it is not needed"})
	}
	kinds := map[string]string{here: typedHere, env: inEnvironment, file: inFile, exo: inExo}
	f.list = newChoiceList(field.Title+": where is it?", sources, "", false, func(source string) {
		if source == none {
			f.answer(field.Key, "")
			return
		}
		f.editor = newSecretEditor(field, kinds[source], f.nameIn(field, kinds[source]))
	})
}

// nameIn returns the name that a reference has already, if it is of that kind.
func (f *form) nameIn(field wizard.Field, kind string) string {
	if name, is := strings.CutPrefix(f.talk.text(field), kind+":"); is {
		return name
	}
	return ""
}

// pressSecret takes a key while a secret, or where it is, is being typed; it tells whether the key was for that.
func (f *form) pressSecret(k tea.KeyMsg) bool {
	switch {
	case key.Matches(k, f.keys.Close):
		f.editor = nil
	case key.Matches(k, f.keys.Reveal) && f.editor.source == typedHere:
		f.revealSecret()
	case k.Type == tea.KeyEnter && f.unfinished():
		f.editor.insert(" ")
		f.note = "this is not the whole of it yet: paste the rest, or esc drops it"
	case k.Type == tea.KeyEnter:
		f.acceptSecret()
	case key.Matches(k, f.keys.Up), key.Matches(k, f.keys.Down), key.Matches(k, f.keys.First), key.Matches(k, f.keys.Last):
		return false
	default:
		f.note = f.editor.press(k)
	}
	return true
}

// unfinished tells whether a secret of several lines is being pasted by a terminal that does not say so.
func (f *form) unfinished() bool {
	text := f.editor.text()
	return f.editor.source == typedHere && f.editor.field.Key == pullSecretField && strings.HasPrefix(text, "{") &&
		!json.Valid([]byte(text))
}

// revealed is the end of showing a secret.
const revealed = 5 * time.Second

func (f *form) revealSecret() {
	if f.editor.field.Key == pullSecretField {
		f.note = "a pull secret is never shown"
		return
	}
	f.editor.shownUntil = f.talk.now().Add(revealed)
	f.talk.run(f.talk.later(revealed, seen{}))
}

func (f *form) acceptSecret() {
	field := f.editor.field
	f.commitSecret()
	if len(f.talk.refused[field.Key]) == 0 {
		f.onward()
	}
}

// commitSecret stores what was typed about a secret; the secret itself is kept in a file.
func (f *form) commitSecret() {
	e := f.editor
	f.editor = nil
	text := e.text()
	switch {
	case text == "":
	case e.source == typedHere && isReference(text):
		f.refer(e.field, text)
	case e.source == typedHere:
		f.talk.keep(e.field.Key, text)
	default:
		f.refer(e.field, e.source+":"+text)
	}
}

// refer says where a secret is found. An account has both halves of a key.
func (f *form) refer(field wizard.Field, reference string) {
	f.answer(field.Key, reference)
	other := map[string]string{apiKeyField: apiSecretField, apiSecretField: apiKeyField}[field.Key]
	if other == "" || !strings.HasPrefix(reference, inExo+":") || len(f.talk.refused[field.Key]) > 0 {
		return
	}
	if value, _ := f.talk.answer(other); value == "" || strings.HasPrefix(value, inExo+":") {
		f.answer(other, reference)
	}
}

func isReference(text string) bool {
	kind, name, cut := strings.Cut(text, ":")
	return cut && name != "" && (kind == inEnvironment || kind == inFile || kind == inExo) && !strings.ContainsAny(text, "\n{\"")
}

// secretView says where a secret is found, never what it is.
func (f *form) secretView(field wizard.Field, room int) string {
	t, value := f.talk, f.talk.text(field)
	kind, name, _ := strings.Cut(value, ":")
	name = cleanText(name, t.ascii)
	switch {
	case t.keeping[field.Key]:
		return t.theme.Mark(pane.Running) + " keeping it…"
	case field.Key == pullSecretField && t.local.pullSecret != "":
		return t.local.pullSecret
	case kind == inEnvironment && len("environment variable ")+len(name) > room:
		return "variable " + name
	case kind == inEnvironment:
		return "environment variable " + name
	case kind == inFile && t.interview.Place != "" && strings.HasPrefix(name, t.interview.Place):
		return strings.Repeat("•", 8) + " kept in a private file"
	case kind == inFile:
		return "file " + name
	case kind == inExo:
		return "account " + name + " of exo"
	case field.RequiredBy(t.spec()):
		return t.theme.Dim.Render("needed: space gives it, or paste it here")
	}
	return t.theme.Dim.Render("none")
}
