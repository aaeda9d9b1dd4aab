package prompt

import (
	"context"
	"errors"

	"exoshift/wizard"
	"exoshift/wizard/recognize"
	"exoshift/wizard/session"
)

// secretPrompt asks for the source of a secret, or for the secret itself.
type secretPrompt struct{ fieldPrompt }

type secretSource struct {
	kind   string // of the reference; "" if it is typed here
	title  string
	prompt string // what is asked about it
}

func (p secretPrompt) listSources() []secretSource {
	all := []secretSource{
		{session.SourceEnv, "In an environment variable", "Name of the environment variable: "},
		{session.SourceFile, "In a file that only you can read", "Path of the file: "},
	}
	if session.AllowsAccount(p.field) {
		all = append(all, secretSource{session.SourceExo, "In the configuration of the exo CLI", "Name of the account: "})
	}
	if p.session.Interview.SaveSecret != nil {
		all = append(all, secretSource{title: "Type or paste it now; it is hidden, and stored in a file that only you can read"})
	}
	return all
}

// run repeats the question until the reference resolves.
func (p secretPrompt) run(ctx context.Context) (reply, error) {
	p.printIntro()
	sources := p.listSources()
	choices := make([]wizard.Choice, len(sources))
	for i, source := range sources {
		choices[i].Value = source.title
	}
	p.printChoices(choices)
	for {
		got, err := p.readReply(ctx, p.formatQuestion(), p)
		if err != nil || !got.isAnswer() {
			return got, err
		}
		reference, ok, err := p.parseReference(ctx, got, sources, findChoice(choices, got.text))
		if err != nil || ok && p.setSecret(ctx, reference) {
			return reply{command: commandAnswer, text: got.text}, err
		}
	}
}

func (p secretPrompt) formatQuestion() string {
	now := p.resolveDefault()
	if now.text == "" && !p.field.IsRequired(p.session.Spec()) {
		return p.field.Title + ", a number [none]: "
	}
	if now.text == "" {
		return p.field.Title + ", a number: "
	}
	return p.field.Title + ", a number [" + truncateMiddle(now.text) + ", " + describeOrigin(now.origin) + "]: "
}

// parseReference returns false if the source still has to be asked for. chosen is the index of a source, or -1.
func (p secretPrompt) parseReference(ctx context.Context, got reply, sources []secretSource, chosen int) (value, bool, error) {
	switch {
	case got.command != commandAnswer || got.text == "":
		given, ok := p.parseAnswer(got, p.resolveDefault())
		return given, ok, nil
	case chosen >= 0 && sources[chosen].kind == "":
		return p.readSecret(ctx, "")
	case chosen >= 0:
		return p.promptSource(ctx, sources[chosen])
	case session.IsReference(got.text) && recognize.SecretAsName(session.ReferenceName(got.text)) != "":
		return p.keepOrDiscard(ctx, session.ReferenceName(got.text))
	case session.IsReference(got.text):
		return value{text: got.text, origin: wizard.Typed}, true, nil
	case recognize.SecretAsName(got.text) != "": // it was pasted one question too early
		return p.keepOrDiscard(ctx, got.text)
	}
	p.printLine("Type one of the numbers. To enter the secret itself, choose to type it; it is hidden then.")
	return value{}, false, nil
}

func (p secretPrompt) promptSource(ctx context.Context, from secretSource) (value, bool, error) {
	got, err := p.readReply(ctx, from.prompt, p)
	switch {
	case err != nil:
		return value{}, false, err
	case got.command != commandAnswer, got.text == "":
		p.printLine("No input. %s is asked again.", p.field.Title)
		return value{}, false, nil
	}
	if recognize.SecretAsName(got.text) != "" {
		return p.keepOrDiscard(ctx, got.text)
	}
	return value{text: from.kind + ":" + got.text, origin: wizard.Typed}, true, nil
}

// keepOrDiscard asks what to do with a secret that was given in the place of its source. The rest of one with several lines is read
// before, without echo.
func (p secretPrompt) keepOrDiscard(ctx context.Context, given string) (value, bool, error) {
	what := recognize.SecretAsName(given)
	secret, err := p.readHidden(ctx, given)
	if err != nil && !errors.Is(err, errTooLong) {
		return value{}, false, err
	}
	choices := []wizard.Choice{{Value: "keep it in a file that only you can read"}, {Value: "discard it"}}
	if p.session.Interview.SaveSecret == nil || err != nil {
		p.printLine("That is the secret itself (%s). It was discarded.", what)
		return value{}, false, nil
	}
	p.printLine("That is the secret itself (%s). It may still be on the screen, but is not stored.", what)
	chosen, err := p.selectChoice(ctx, "Keep it privately?", choices)
	if err != nil || chosen != 0 {
		return value{}, false, err
	}
	return p.saveSecret(secret)
}

// readSecret reads a secret without echo and saves it in a file. begun is the part that was pasted already.
func (p secretPrompt) readSecret(ctx context.Context, begun string) (value, bool, error) {
	if begun == "" {
		p.printLine("Type or paste it, then Enter. If it has several lines, end it with an empty line. It is hidden.")
	}
	secret, err := p.readHidden(ctx, begun)
	switch {
	case errors.Is(err, errTooLong):
		p.printLine("That is too long for a secret and was discarded.")
		return value{}, false, nil
	case err != nil:
		return value{}, false, err
	case secret == "":
		p.printLine("No input. %s is asked again.", p.field.Title)
		return value{}, false, nil
	}
	return p.saveSecret(secret)
}

func (p secretPrompt) saveSecret(secret string) (value, bool, error) {
	given := value{origin: wizard.Typed}
	p.session.Saves.SaveSecret(p.field.Key, secret, func(reference string) error {
		given.text = reference
		return nil
	})
	p.session.Saves.Flush()
	if _, err := p.session.Saves.Secret(p.field.Key); err != nil {
		p.printError("It could not be stored", err)
		return value{}, false, nil
	}
	p.session.Refresh() // the target of a reference may have changed
	return given, true, nil
}

// setSecret sets a reference if it resolves to a valid secret.
func (p secretPrompt) setSecret(ctx context.Context, given value) bool {
	if given.text == "" && p.field.IsRequired(p.session.Spec()) {
		p.printLine("%s is required: type one of the numbers.", p.field.Title)
		return false
	}
	if problems := session.CheckReference(p.session, p.field.Key, given.text); len(problems) > 0 {
		for _, problem := range problems {
			p.printLine("%s", p.formatProblem(p.field.Title, problem))
		}
		return false
	}
	if refusal := p.setAnswer(ctx, given); refusal != nil {
		p.rejectAnswer(refusal)
		return false
	}
	if summary := p.session.Local.PullSecret(); p.field.Key == session.PullSecretKey && summary != "" {
		p.printLine("%s: %s.", p.field.Title, summary)
	}
	return true
}
