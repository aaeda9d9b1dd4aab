package console

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"exoshift/wizard"
)

type secretSource struct {
	kind   string // of the reference; "" if it is typed here
	title  string
	prompt string // what is asked about it
}

func (c *promptSession) listSources(field wizard.Field) []secretSource {
	all := []secretSource{
		{"env", "In an environment variable", "Name of the environment variable: "},
		{"file", "In a file that only you can read", "Path of the file: "},
	}
	if strings.HasPrefix(field.Key, "exoscale.") {
		all = append(all, secretSource{"exo", "In the configuration of the program exo", "Name of the account: "})
	}
	if c.session.SaveSecret != nil {
		all = append(all, secretSource{title: "Type or paste it now; it is not shown, and kept in a file that only you can read"})
	}
	return all
}

// promptSecret repeats the question until the reference resolves.
func (c *promptSession) promptSecret(ctx context.Context, q question) (reply, error) {
	c.printField(q.field)
	c.printChoices(toChoices(c.listSources(q.field)))
	for {
		got, err := c.readReply(ctx, c.formatSecretPrompt(q.field), fieldHelp{c, q.field})
		if err != nil || got.command != commandAnswer && got.command != commandEmpty && got.command != commandDefault {
			return got, err
		}
		reference, ok, err := c.parseReference(ctx, q.field, got)
		if err != nil || ok && c.setSecret(q.field, reference) {
			return reply{command: commandAnswer, text: got.text}, err
		}
	}
}

func toChoices(sources []secretSource) []wizard.Choice {
	choices := make([]wizard.Choice, len(sources))
	for i, s := range sources {
		choices[i].Value = s.title
	}
	return choices
}

func (c *promptSession) formatSecretPrompt(field wizard.Field) string {
	now := c.resolveDefault(field)
	if now.text == "" && !field.IsRequired(c.session.Answers.Spec) {
		return field.Title + ", a number [none]: "
	}
	if now.text == "" {
		return field.Title + ", a number: "
	}
	return field.Title + ", a number [" + truncateMiddle(now.text) + ", " + describeOrigin(now.origin) + "]: "
}

// parseReference returns false if the source still has to be asked for.
func (c *promptSession) parseReference(ctx context.Context, field wizard.Field, got reply) (value, bool, error) {
	sources := c.listSources(field)
	given := value{text: got.text, origin: wizard.Typed}
	i := findChoice(toChoices(sources), got.text)
	switch {
	case got.command != commandAnswer || got.text == "":
		given, ok := c.parseAnswer(field, got, c.resolveDefault(field))
		return given, ok, nil
	case i >= 0 && sources[i].kind == "":
		return c.readSecret(ctx, field, "")
	case i >= 0:
		return c.promptSource(ctx, field, sources[i])
	case isReference(got.text):
		return given, true, nil
	case strings.HasPrefix(got.text, "{"): // the secret was pasted one question too early
		return c.readSecret(ctx, field, got.text)
	}
	c.printLine("Type one of the numbers. If that was the secret itself: choose to type it, then it is not shown.")
	return value{}, false, nil
}

func isReference(text string) bool {
	kind, name, found := strings.Cut(text, ":")
	return found && name != "" && (kind == "env" || kind == "file" || kind == "exo")
}

func (c *promptSession) promptSource(ctx context.Context, field wizard.Field, from secretSource) (value, bool, error) {
	got, err := c.readReply(ctx, from.prompt, fieldHelp{c, field})
	switch {
	case err != nil:
		return value{}, false, err
	case got.command != commandAnswer, got.text == "":
		c.printLine("Nothing was given. %s is asked again.", field.Title)
		return value{}, false, nil
	}
	return value{text: from.kind + ":" + got.text, origin: wizard.Typed}, true, nil
}

// readSecret reads a secret without echo and saves it in a file. begun is the part that was pasted already.
func (c *promptSession) readSecret(ctx context.Context, field wizard.Field, begun string) (value, bool, error) {
	if begun == "" {
		c.printLine("Type or paste it, then Enter. If it has several lines, an empty line ends it. It is not shown.")
	}
	secret, err := c.readHidden(ctx, begun)
	switch {
	case errors.Is(err, errTooLong):
		c.printLine("That is too long for a secret, it was not taken.")
		return value{}, false, nil
	case err != nil:
		return value{}, false, err
	case secret == "":
		c.printLine("Nothing was typed. %s is asked again.", field.Title)
		return value{}, false, nil
	}
	reference, err := c.session.SaveSecret(field.Key, secret)
	if err != nil {
		c.printError("It could not be kept", err)
		return value{}, false, nil
	}
	c.resetLookups()
	return value{text: reference, origin: wizard.Typed}, true, nil
}

// resetLookups forces all lookups to run again: the target of a reference has changed.
func (c *promptSession) resetLookups() {
	for id, said := range c.lookups {
		said.subject = ""
		c.lookups[id] = said
	}
}

// readHidden reads without echo: one line, or all lines of a JSON document.
func (c *promptSession) readHidden(ctx context.Context, secret string) (string, error) {
	if c.Hide != nil {
		defer c.In.resetLineEnd()
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

// setSecret sets a reference if it resolves to a valid secret.
func (c *promptSession) setSecret(field wizard.Field, given value) bool {
	if given.text == "" && field.IsRequired(c.session.Answers.Spec) {
		c.printLine("%s is needed: type one of the numbers.", field.Title)
		return false
	}
	if c.printMissingSecret(field, given) {
		return false
	}
	if refusal := c.setAnswer(field, given); refusal != nil {
		c.rejectAnswer(field, refusal)
		return false
	}
	c.printSecretSummary(field)
	return true
}

// printMissingSecret prints why a reference does not resolve to a valid secret, if so.
func (c *promptSession) printMissingSecret(field wizard.Field, given value) (told bool) {
	tried := c.session.Answers.Copy()
	if tried.Set(field.Key, given.text, given.origin) != nil || c.session.LookupEnv == nil {
		return false // reported when it is set
	}
	_, faults := wizard.ResolveSecrets(tried.Spec, c.session.LookupEnv)
	for _, f := range faults {
		if isPart(f.Field, field.Key) {
			c.printLine("%s", formatProblem(field.Title, f))
			told = true
		}
	}
	return told
}

// printSecretSummary describes a secret without revealing it.
func (c *promptSession) printSecretSummary(field wizard.Field) {
	secrets, _ := c.resolveSecrets()
	if field.Key == "openshift.pullSecret" && secrets.PullSecret != "" {
		c.printLine("%s: %s.", field.Title, wizard.SummarizePullSecret(secrets.PullSecret))
	}
}
