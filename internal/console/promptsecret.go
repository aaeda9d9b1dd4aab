package console

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"exoshift/wizard"
)

// source is a place where a secret can be.
type source struct {
	kind  string // of the reference; "" if it is typed here
	title string
	asks  string // what is asked about it
}

// sources returns where a secret of a field can be.
func (c *conversation) sources(field wizard.Field) []source {
	all := []source{
		{"env", "In an environment variable", "Name of the environment variable: "},
		{"file", "In a file that only you can read", "Path of the file: "},
	}
	if strings.HasPrefix(field.Key, "exoscale.") {
		all = append(all, source{"exo", "In the configuration of the program exo", "Name of the account: "})
	}
	if c.talk.Keep != nil {
		all = append(all, source{title: "Type or paste it now; it is not shown, and kept in a file that only you can read"})
	}
	return all
}

// askSecret asks where a secret is, until it is found there.
func (c *conversation) askSecret(ctx context.Context, q question) (said, error) {
	c.describe(q.field)
	c.list(places(c.sources(q.field)))
	for {
		got, err := c.ask(ctx, c.secretPrompt(q.field), about{c, q.field})
		if err != nil || got.way != answered && got.way != emptying && got.way != restoring {
			return got, err
		}
		reference, ok, err := c.reference(ctx, q.field, got)
		if err != nil || ok && c.giveSecret(q.field, reference) {
			return said{way: answered, text: got.text}, err
		}
	}
}

func places(sources []source) []wizard.Choice {
	choices := make([]wizard.Choice, len(sources))
	for i, s := range sources {
		choices[i].Value = s.title
	}
	return choices
}

func (c *conversation) secretPrompt(field wizard.Field) string {
	now := c.offered(field)
	if now.text == "" && !field.RequiredBy(c.talk.Answers.Spec) {
		return field.Title + ", a number [none]: "
	}
	if now.text == "" {
		return field.Title + ", a number: "
	}
	return field.Title + ", a number [" + abridged(now.text) + ", " + originWords(now.origin) + "]: "
}

// reference returns where the secret is, or false if that is still to be told.
func (c *conversation) reference(ctx context.Context, field wizard.Field, got said) (value, bool, error) {
	sources := c.sources(field)
	given := value{text: got.text, origin: wizard.Typed}
	i := picked(places(sources), got.text)
	switch {
	case got.way != answered || got.text == "":
		given, ok := c.meant(field, got, c.offered(field))
		return given, ok, nil
	case i >= 0 && sources[i].kind == "":
		return c.typeSecret(ctx, field, "")
	case i >= 0:
		return c.askPlace(ctx, field, sources[i])
	case isReference(got.text):
		return given, true, nil
	case strings.HasPrefix(got.text, "{"): // pasted a question too early
		return c.typeSecret(ctx, field, got.text)
	}
	c.say("Type one of the numbers. If that was the secret itself: choose to type it, then it is not shown.")
	return value{}, false, nil
}

func isReference(text string) bool {
	kind, name, found := strings.Cut(text, ":")
	return found && name != "" && (kind == "env" || kind == "file" || kind == "exo")
}

// askPlace asks for the name of a variable, a file or an account.
func (c *conversation) askPlace(ctx context.Context, field wizard.Field, from source) (value, bool, error) {
	got, err := c.ask(ctx, from.asks, about{c, field})
	switch {
	case err != nil:
		return value{}, false, err
	case got.way != answered, got.text == "":
		c.say("Nothing was given. %s is asked again.", field.Title)
		return value{}, false, nil
	}
	return value{text: from.kind + ":" + got.text, origin: wizard.Typed}, true, nil
}

// typeSecret has a secret typed unseen and keeps it in a file. begun is what was pasted of it already.
func (c *conversation) typeSecret(ctx context.Context, field wizard.Field, begun string) (value, bool, error) {
	if begun == "" {
		c.say("Type or paste it, then Enter. If it has several lines, an empty line ends it. It is not shown.")
	}
	secret, err := c.unseen(ctx, begun)
	switch {
	case errors.Is(err, errTooLong):
		c.say("That is too long for a secret, it was not taken.")
		return value{}, false, nil
	case err != nil:
		return value{}, false, err
	case secret == "":
		c.say("Nothing was typed. %s is asked again.", field.Title)
		return value{}, false, nil
	}
	reference, err := c.talk.Keep(field.Key, secret)
	if err != nil {
		c.sayError("It could not be kept", err)
		return value{}, false, nil
	}
	c.forget()
	return value{text: reference, origin: wizard.Typed}, true, nil
}

// forget has everybody outside asked again: what a reference leads to has changed.
func (c *conversation) forget() {
	for id, said := range c.heard {
		said.about = ""
		c.heard[id] = said
	}
}

// unseen reads what is typed or pasted while the terminal does not show it: a line, or all lines of a JSON document.
func (c *conversation) unseen(ctx context.Context, secret string) (string, error) {
	if c.Hide != nil {
		defer c.In.otherKeys()
		defer c.Hide()()
	}
	for {
		if secret = strings.TrimSpace(secret); json.Valid([]byte(secret)) || secret != "" && secret[0] != '{' {
			return secret, nil
		}
		line, err := c.In.Next(ctx)
		line = strings.TrimSpace(line)
		switch {
		case err != nil:
			return "", err
		case line == "":
			return secret, nil
		case len(secret)+len(line) > maxLine:
			return "", errTooLong
		}
		secret += "\n" + line
	}
}

// giveSecret keeps a reference if it leads to a secret that may be one.
func (c *conversation) giveSecret(field wizard.Field, given value) bool {
	if given.text == "" && field.RequiredBy(c.talk.Answers.Spec) {
		c.say("%s is needed: type one of the numbers.", field.Title)
		return false
	}
	if c.tellUnfound(field, given) {
		return false
	}
	if refusal := c.give(field, given); refusal != nil {
		c.refuse(field, refusal)
		return false
	}
	c.summarize(field)
	return true
}

// tellUnfound tells why a reference leads to no secret that may be one, if so.
func (c *conversation) tellUnfound(field wizard.Field, given value) (told bool) {
	tried := c.talk.Answers.Copy()
	if tried.Set(field.Key, given.text, given.origin) != nil || c.talk.Lookup == nil {
		return false // that is told when it is given
	}
	_, faults := wizard.ResolveSecrets(tried.Spec, c.talk.Lookup)
	for _, f := range faults {
		if isPart(f.Field, field.Key) {
			c.say("%s", faultSentence(field.Title, f))
			told = true
		}
	}
	return told
}

// summarize tells what a secret is like without telling it.
func (c *conversation) summarize(field wizard.Field) {
	secrets, _ := c.secrets()
	if field.Key == "openshift.pullSecret" && secrets.PullSecret != "" {
		c.say("%s: %s.", field.Title, wizard.SummarizePullSecret(secrets.PullSecret))
	}
}
