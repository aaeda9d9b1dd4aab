package console

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// usageHint is printed at the start.
const usageHint = "Enter alone keeps the answer in brackets. Type ? to have a question explained, < to go back to the one before it, " +
	":quit to stop and go on another time, or :help for all that can be typed."

type command int

const (
	commandAnswer    command = iota // reply.text is the answer
	commandBack                     // to the previous question
	commandNext                     // the rest of the screen keeps its answers
	commandGoTo                     // to the screen of that number
	commandEmpty                    // clear the answer
	commandDefault                  // reset the answer to the default
	commandQuit                     // end the prompt
	commandSkipCheck                // reply.text is a check to skip, with the reason
	commandZone                     // run the checks from inside the zone, too
)

type reply struct {
	command command
	text    string
	screen  int    // commandGoTo: from 1
	key     string // commandGoTo: a question of the same screen, in place of a screen
}

func listCommands() []struct{ word, does string } {
	return []struct{ word, does string }{
		{"?", "explains the question"},
		{"<", "goes back to the question before; :back does so, too"},
		{":next", "accepts what stands in brackets for the other questions of this screen"},
		{":screen 3", "goes to screen 3, and so on"},
		{":list", "tells all that there is to choose from"},
		{":empty", "makes the answer empty"},
		{":default", "takes your answer back, so that the default holds"},
		{":show", "tells the answers so far"},
		{":export", "writes the answers into a file for the next time; it holds no secret"},
		{":quit", "stops; the answers are kept, and the same command goes on"},
	}
}

type explainer interface {
	describe() []string    // what it is, why it matters, an example, where the value comes from
	listChoices() []string // all choices
}

// readReply handles requests for information itself, and returns any other input.
func (c *promptSession) readReply(ctx context.Context, question string, about explainer) (reply, error) {
	for {
		fmt.Fprint(c.Out, toASCII(question))
		line, err := c.In.Next(ctx)
		if c.Piped || err != nil {
			c.printBlank()
		}
		switch {
		case errors.Is(err, errTooLong):
			c.printLine("That line is too long, it was not taken.")
			continue
		case err != nil:
			return reply{}, err
		}
		if told := c.handleInfo(ctx, strings.TrimSpace(line), about); told {
			continue
		}
		if meant, ok := c.parseCommand(strings.TrimSpace(line)); ok {
			return meant, nil
		}
	}
}

func (c *promptSession) handleInfo(ctx context.Context, line string, about explainer) bool {
	switch line {
	case "?":
		c.printLines(formatHelp(about))
	case ":help":
		for _, command := range listCommands() {
			c.printLine("%s %s.", command.word, command.does)
		}
		c.printLines(c.describeCommands())
	case ":list":
		c.printLines(formatChoices(about))
	case ":show":
		c.printAnswers()
	case ":export":
		c.export()
	case ":signin":
		c.runSignIn(ctx)
	default:
		return false
	}
	return true
}

func formatHelp(about explainer) []string {
	if about == nil {
		return []string{"Type what the question asks for, then Enter."}
	}
	return about.describe()
}

func formatChoices(about explainer) []string {
	if about != nil {
		if choices := about.listChoices(); len(choices) > 0 {
			return choices
		}
	}
	return []string{"There is no list of choices."}
}

// parseCommand treats a line that begins with a colon and a letter as a command: no valid answer begins so.
func (c *promptSession) parseCommand(line string) (meant reply, ok bool) {
	if !isCommand(line) {
		return reply{text: line}, true
	}
	word, rest, _ := strings.Cut(strings.ToLower(line), " ")
	switch word {
	case "<", ":back":
		return reply{command: commandBack}, true
	case ":next":
		return reply{command: commandNext}, true
	case ":empty":
		return reply{command: commandEmpty}, true
	case ":default":
		return reply{command: commandDefault}, true
	case ":quit", ":exit", ":q":
		return reply{command: commandQuit}, true
	case ":screen":
		if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
			return reply{command: commandGoTo, screen: n}, true
		}
	case ":skip", ":zone":
		return c.parseCheckCommand(word, strings.TrimSpace(line[len(word):]))
	}
	c.printLine("%s is not known; :help tells what can be typed.", quoteInput(line))
	return reply{}, false
}

func isCommand(line string) bool {
	return line == "<" || len(line) > 1 && line[0] == ':' && unicode.IsLetter(rune(line[1]))
}
