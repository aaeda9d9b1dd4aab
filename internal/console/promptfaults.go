package console

import (
	"slices"

	"exoshift/wizard"
)

// faults returns what is wrong on a screen as far as this machine can tell: with the answers, and with the files and
// variables that they lead to.
func (c *conversation) faults(screen wizard.Screen) []wizard.Fault {
	spec := c.talk.Answers.Spec
	faults := screen.Faults(spec)
	for _, f := range slices.Concat(wizard.CheckPaths(spec), c.secretFaults()) {
		if wizard.ScreenOf(f.Field) == screen && !slices.ContainsFunc(faults, sameField(f.Field)) {
			faults = append(faults, f)
		}
	}
	return faults
}

func sameField(key string) func(wizard.Fault) bool {
	return func(f wizard.Fault) bool { return f.Field == key }
}

// secrets resolves the references of the answers.
func (c *conversation) secrets() (wizard.Secrets, []wizard.Fault) {
	if c.talk.Lookup == nil {
		return wizard.Secrets{}, nil
	}
	return wizard.ResolveSecrets(c.talk.Answers.Spec, c.talk.Lookup)
}

func (c *conversation) secretFaults() []wizard.Fault {
	_, faults := c.secrets()
	return faults
}

// allFaults returns what is wrong anywhere, in the order of the screens.
func (c *conversation) allFaults() []wizard.Fault {
	var faults []wizard.Fault
	for _, screen := range wizard.Screens() {
		faults = append(faults, c.faults(screen)...)
	}
	return faults
}

// tellFaults tells each fault with the title of its field.
func (c *conversation) tellFaults(faults []wizard.Fault) {
	for _, f := range faults {
		c.say("%s", faultSentence(c.titleOf(f.Field), f))
	}
}

// titleOf is what people call the field that a key belongs to.
func (c *conversation) titleOf(key string) string {
	for _, screen := range wizard.Screens() {
		for _, field := range screen.Fields(c.talk.Answers.Spec) {
			if isPart(key, field.Key) && (field.Shape() != wizard.Groups || key == field.Key) {
				return field.Title
			}
		}
	}
	return key
}

// warn tells what is allowed on a screen but deserves a look, each of it once.
func (c *conversation) warn(screen wizard.Screen) {
	secrets, _ := c.secrets()
	warnings := wizard.Warnings(c.talk.Answers.Spec, secrets)
	for _, heard := range c.heard {
		warnings = append(warnings, heard.reply.Warnings...)
	}
	for _, f := range warnings {
		if wizard.ScreenOf(f.Field) != screen {
			continue
		}
		words := "Warning: " + faultSentence(c.titleOf(f.Field), f)
		if !c.told[words] {
			c.told[words] = true
			c.say("%s", words)
		}
	}
}
