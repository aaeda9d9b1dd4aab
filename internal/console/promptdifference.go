package console

import "strings"

// tellDifference tells what is added to the tenant's configuration and what is taken away, line by line. What stays
// around it is left out.
func (c *conversation) tellDifference(unified string) {
	if unified == "" {
		return
	}
	c.say("The cluster's file in the configuration of its tenant changes:")
	for line := range strings.Lines(unified) {
		switch text := Clean(strings.TrimSpace(line[1:])); {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), text == "":
		case line[0] == '+':
			c.say("Added: %s", text)
		case line[0] == '-':
			c.say("Taken away: %s", text)
		}
	}
}
