package console

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// howTo says at the beginning all that is needed to go on.
const howTo = "Enter alone keeps the answer in brackets. Type ? to have a question explained, < to go back to the one before it, " +
	":quit to stop and go on another time, or :help for all that can be typed."

// ways are the directions in which something typed leads.
type way int

const (
	answered  way = iota // said.text is the answer
	backward             // to the question before
	skipping             // what is left of the screen keeps its answers
	elsewhere            // to the screen of that number
	emptying             // the answer is to be empty
	restoring            // the answer is to be the default again
	leaving              // ends the conversation
	omitting             // said.text is a check to leave out, with the reason
	fromZone             // the checks are made from inside the zone, too
)

// said is what somebody typed.
type said struct {
	way    way
	text   string
	screen int    // elsewhere: from 1
	key    string // elsewhere: a question of the same screen, in place of a screen
}

// commands are what can be typed at any question in place of an answer.
func commands() []struct{ word, does string } {
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

// explainer is what a question says about itself.
type explainer interface {
	explain() []string // what it is, why it matters, an example, where the value comes from
	choices() []string // all that there is to choose from
}

// ask puts a question and returns what is typed, other than what only wants to know something.
func (c *conversation) ask(ctx context.Context, question string, about explainer) (said, error) {
	for {
		fmt.Fprint(c.Out, plainly(question))
		line, err := c.In.Next(ctx)
		if c.Piped || err != nil {
			c.pause()
		}
		switch {
		case errors.Is(err, errTooLong):
			c.say("That line is too long, it was not taken.")
			continue
		case err != nil:
			return said{}, err
		}
		if told := c.inform(ctx, strings.TrimSpace(line), about); told {
			continue
		}
		if meant, ok := c.command(strings.TrimSpace(line)); ok {
			return meant, nil
		}
	}
}

// inform answers a question about the question.
func (c *conversation) inform(ctx context.Context, line string, about explainer) bool {
	switch line {
	case "?":
		c.sayAll(explained(about))
	case ":help":
		for _, command := range commands() {
			c.say("%s %s.", command.word, command.does)
		}
		c.sayAll(c.offersHere())
	case ":list":
		c.sayAll(listed(about))
	case ":show":
		c.show()
	case ":export":
		c.export()
	case ":signin":
		c.signIn(ctx)
	default:
		return false
	}
	return true
}

func explained(about explainer) []string {
	if about == nil {
		return []string{"Type what the question asks for, then Enter."}
	}
	return about.explain()
}

func listed(about explainer) []string {
	if about != nil {
		if choices := about.choices(); len(choices) > 0 {
			return choices
		}
	}
	return []string{"There is no list of choices."}
}

// command reads a line. A line that begins with a colon and a letter is no answer: nothing that is asked for does.
func (c *conversation) command(line string) (meant said, ok bool) {
	if !isCommand(line) {
		return said{text: line}, true
	}
	word, rest, _ := strings.Cut(strings.ToLower(line), " ")
	switch word {
	case "<", ":back":
		return said{way: backward}, true
	case ":next":
		return said{way: skipping}, true
	case ":empty":
		return said{way: emptying}, true
	case ":default":
		return said{way: restoring}, true
	case ":quit", ":exit", ":q":
		return said{way: leaving}, true
	case ":screen":
		if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
			return said{way: elsewhere, screen: n}, true
		}
	case ":skip", ":zone":
		return c.aboutChecks(word, strings.TrimSpace(line[len(word):]))
	}
	c.say("%s is not known; :help tells what can be typed.", quoted(line))
	return said{}, false
}

func isCommand(line string) bool {
	return line == "<" || len(line) > 1 && line[0] == ':' && unicode.IsLetter(rune(line[1]))
}
