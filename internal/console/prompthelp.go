package console

import (
	"exoshift/wizard"
)

type fieldHelp struct {
	c     *promptSession
	field wizard.Field
}

func (a fieldHelp) describe() []string {
	f := a.field
	lines := []string{formatSentence(f.Title), formatSentence(f.Help)}
	if f.Why != "" {
		lines = append(lines, "Why it matters: "+formatSentence(f.Why))
	}
	if f.Example != "" {
		lines = append(lines, "Example: "+f.Example)
	}
	if f.Source != "" {
		lines = append(lines, "Where it comes from: "+formatSentence(f.Source))
	}
	if now := f.Get(a.c.session.Answers.Spec); now != "" {
		lines = append(lines, "Now: "+formatValue(f, now)+", "+describeOrigin(a.c.session.Answers.Origin(f.Key))+".")
	}
	return append(lines, "In the answers file it is "+f.Key+".")
}

func (a fieldHelp) listChoices() []string { return formatNumbered(a.c.listChoices(a.field)) }

func (c *promptSession) printAnswers() {
	if c.session == nil {
		c.printLine("There are no answers so far.")
		return
	}
	kept := 0
	for _, screen := range wizard.Screens() {
		for _, field := range screen.ListFields(c.session.Answers.Spec) {
			origin := c.session.Answers.Origin(field.Key)
			if origin == wizard.ByDefault {
				kept++
				continue
			}
			c.printLine("%s: %s (%s).", field.Title, formatAnswer(field, field.Get(c.session.Answers.Spec)), describeOrigin(origin))
		}
	}
	c.printLine("%s as the defaults say.", formatCount(kept, "further answer"))
}

func (c *promptSession) export() (path string) {
	if c.session == nil || c.session.Export == nil {
		c.printLine("There is nothing to write yet.")
		return ""
	}
	path, err := c.session.Export(c.session.Answers)
	if err != nil {
		c.printError("The answers file could not be written", err)
		return ""
	}
	c.printLine("The answers are in the file %s", path)
	return path
}
