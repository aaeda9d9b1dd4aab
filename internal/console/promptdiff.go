package console

import "strings"

// printDiff prints only the added and removed lines of the tenant's configuration, without context.
func (c *promptSession) printDiff(unified string) {
	if unified == "" {
		return
	}
	c.printLine("The cluster's file in the configuration of its tenant changes:")
	for line := range strings.Lines(unified) {
		switch text := SanitizeLine(strings.TrimSpace(line[1:])); {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), text == "":
		case line[0] == '+':
			c.printLine("Added: %s", text)
		case line[0] == '-':
			c.printLine("Taken away: %s", text)
		}
	}
}
