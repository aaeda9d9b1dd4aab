package console

import (
	"exoshift/wizard"
)

// about explains a field.
type about struct {
	c     *conversation
	field wizard.Field
}

func (a about) explain() []string {
	f := a.field
	lines := []string{sentence(f.Title), sentence(f.Help)}
	if f.Why != "" {
		lines = append(lines, "Why it matters: "+sentence(f.Why))
	}
	if f.Example != "" {
		lines = append(lines, "Example: "+f.Example)
	}
	if f.Source != "" {
		lines = append(lines, "Where it comes from: "+sentence(f.Source))
	}
	if now := f.Get(a.c.talk.Answers.Spec); now != "" {
		lines = append(lines, "Now: "+shown(f, now)+", "+originWords(a.c.talk.Answers.Origin(f.Key))+".")
	}
	return append(lines, "In the answers file it is "+f.Key+".")
}

func (a about) choices() []string { return numbered(a.c.choicesOf(a.field)) }

// show tells the answers that are not the defaults.
func (c *conversation) show() {
	if c.talk == nil {
		c.say("There are no answers so far.")
		return
	}
	kept := 0
	for _, screen := range wizard.Screens() {
		for _, field := range screen.Fields(c.talk.Answers.Spec) {
			origin := c.talk.Answers.Origin(field.Key)
			if origin == wizard.ByDefault {
				kept++
				continue
			}
			c.say("%s: %s (%s).", field.Title, told(field, field.Get(c.talk.Answers.Spec)), originWords(origin))
		}
	}
	c.say("%s as the defaults say.", count(kept, "further answer"))
}

// export writes the answers file and tells where it is.
func (c *conversation) export() (path string) {
	if c.talk == nil || c.talk.Export == nil {
		c.say("There is nothing to write yet.")
		return ""
	}
	path, err := c.talk.Export(c.talk.Answers)
	if err != nil {
		c.sayError("The answers file could not be written", err)
		return ""
	}
	c.say("The answers are in the file %s", path)
	return path
}
