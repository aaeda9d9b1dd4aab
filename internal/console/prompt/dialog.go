package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"exoshift/internal/console"
	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// usageHint is printed at the start.
const usageHint = "Enter keeps the answer in brackets. Type ? for an explanation of the question, < to go back to the previous one, " +
	":quit to stop and continue later, or :help for all commands."

// dialog prints lines and reads replies.
type dialog struct {
	Prompter
	commands []command                                   // accepted by the current question, besides the usual ones
	info     func(ctx context.Context, line string) bool // answers further requests for information; it reports whether it has
	hints    func() []string                             // sentences about further commands
}

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

// isAnswer reports whether a reply is about the answer, and no navigation.
func (r reply) isAnswer() bool {
	return r.command == commandAnswer || r.command == commandEmpty || r.command == commandDefault
}

func listCommands() []struct{ word, does string } {
	return []struct{ word, does string }{
		{"?", "explains the question"},
		{"<", "goes back to the previous question; also :back"},
		{":next", "accepts the answers in brackets for the rest of this screen"},
		{":screen 3", "goes to screen 3"},
		{":list", "lists all choices"},
		{":empty", "clears the answer"},
		{":default", "resets the answer to the default"},
		{":show", "shows the answers so far"},
		{":export", "writes the answers to a file, without secrets"},
		{":quit", "stops; the answers are kept, and the same command resumes"},
	}
}

type explainer interface {
	describe() []string    // what it is, why it matters, an example, where the value comes from
	listChoices() []string // all choices
}

func (d *dialog) printLine(format string, args ...any) {
	fmt.Fprintln(d.Out, toASCII(console.SanitizeLine(fmt.Sprintf(format, args...))))
}

func (d *dialog) printLines(sentences []string) {
	for _, sentence := range sentences {
		d.printLine("%s", sentence)
	}
}

func (d *dialog) printBlank() { fmt.Fprintln(d.Out) }

func (d *dialog) printError(what string, err error) {
	d.printLine("%s: %s", what, text.Sentence(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		d.printLine("Fix: %s", text.Sentence(hint))
	}
}

func (d *dialog) printChoices(choices []wizard.Choice) { d.printLines(formatNumbered(choices)) }

// readReply handles requests for information itself, and returns any other input.
func (d *dialog) readReply(ctx context.Context, question string, about explainer) (reply, error) {
	for {
		fmt.Fprint(d.Out, toASCII(question))
		line, err := d.In.Next(ctx)
		if d.Piped || err != nil {
			d.printBlank()
		}
		switch {
		case errors.Is(err, errTooLong):
			d.printLine("The line is too long and was discarded.")
			continue
		case err != nil:
			return reply{}, err
		}
		if line, err = cleanLine(line); err != nil {
			d.printLine("%s", text.Sentence(err.Error()))
			continue
		}
		if line = strings.TrimSpace(line); d.handleInfo(ctx, line, about) {
			continue
		}
		if meant, ok := d.parseCommand(line); ok {
			return meant, nil
		}
	}
}

var errControls = errors.New("the line contains control characters, e.g. of an unsupported key, and was discarded")

// cleanLine makes spaces of tabs, and refuses a line with escape sequences or other control characters.
func cleanLine(line string) (string, error) {
	line = strings.ReplaceAll(line, "\t", " ")
	if strings.ContainsFunc(line, unicode.IsControl) {
		return "", errControls
	}
	return line, nil
}

func (d *dialog) handleInfo(ctx context.Context, line string, about explainer) bool {
	switch line {
	case "?":
		d.printLines(formatHelp(about))
	case ":help":
		for _, command := range listCommands() {
			d.printLine("%s %s.", command.word, command.does)
		}
		d.printLines(d.describeCommands())
	case ":list":
		d.printLines(formatChoices(about))
	default:
		return d.info(ctx, line)
	}
	return true
}

func formatHelp(about explainer) []string {
	if about == nil {
		return []string{"Type the answer, then Enter."}
	}
	return about.describe()
}

func formatChoices(about explainer) []string {
	if about != nil {
		if choices := about.listChoices(); len(choices) > 0 {
			return choices
		}
	}
	return []string{"This question has no list of choices."}
}

// parseCommand treats a line that begins with a colon and a letter as a command: no valid answer begins so.
func (d *dialog) parseCommand(line string) (meant reply, ok bool) {
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
		return d.parseCheckCommand(word, strings.TrimSpace(line[len(word):]))
	}
	d.printLine("Unknown command %s; :help lists all commands.", quoteInput(line))
	return reply{}, false
}

func isCommand(line string) bool {
	return line == "<" || len(line) > 1 && line[0] == ':' && unicode.IsLetter(rune(line[1]))
}

// parseCheckCommand parses a command about the checks; text is its argument.
func (d *dialog) parseCheckCommand(word, text string) (reply, bool) {
	meant := map[string]command{":skip": commandSkipCheck, ":zone": commandZone}[word]
	if slices.Contains(d.commands, meant) {
		return reply{command: meant, text: text}, true
	}
	d.printLine("%s is not available here, only after the checks.", word)
	return reply{}, false
}

// enableCommands enables additional commands until undo is called.
func (d *dialog) enableCommands(more ...command) (undo func()) {
	before := d.commands
	d.commands = more
	return func() { d.commands = before }
}

func (d *dialog) describeCommands() (sentences []string) {
	if slices.Contains(d.commands, commandSkipCheck) {
		sentences = append(sentences, ":skip NET-RH-001 REASON until 2027-01-31 skips that check until that day; the report shows the reason.")
	}
	if slices.Contains(d.commands, commandZone) {
		sentences = append(sentences, ":zone also checks from inside the zone.")
	}
	return append(sentences, d.hints()...)
}

// selectChoice returns the index of the chosen option, or -1 if the user quits. An empty line chooses the first one.
func (d *dialog) selectChoice(ctx context.Context, title string, choices []wizard.Choice) (int, error) {
	d.printChoices(choices)
	for {
		got, err := d.readReply(ctx, fmt.Sprintf("%s A number from 1 to %d [1]: ", title, len(choices)), nil)
		switch {
		case err != nil:
			return 0, err
		case got.command == commandQuit:
			return -1, nil
		case got.command == commandAnswer && got.text == "":
			return 0, nil
		case got.command == commandAnswer:
			if i := findChoice(choices, got.text); i >= 0 {
				return i, nil
			}
			d.printLine("%s is not one of the choices.", quoteInput(got.text))
		default:
			d.printLine("This is not available here.")
		}
	}
}

// readHidden reads without echo: one line, or all lines of a JSON document, which may have begun already.
func (d *dialog) readHidden(ctx context.Context, begun string) (string, error) {
	if d.Hide != nil {
		defer d.In.resetLineEnd()
		defer d.Hide()()
	}
	secret := begun
	for {
		if secret = strings.TrimSpace(secret); json.Valid([]byte(secret)) || secret != "" && secret[0] != '{' {
			return secret, nil
		}
		line, err := d.In.Next(ctx)
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

func (d *dialog) withInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.Interruptible == nil {
		return context.WithCancel(ctx)
	}
	return d.Interruptible(ctx)
}

// wait runs work of the session and its updates, until it is done or Ctrl-C ends it. It does not rely on the work to respect its
// context.
func (d *dialog) wait(ctx context.Context, work session.Work) error {
	ctx, end := d.withInterrupt(ctx)
	defer end()
	updates, done := make(chan func()), make(chan struct{})
	go func() {
		defer close(done)
		work(ctx, func(update func()) {
			select {
			case updates <- update:
			case <-ctx.Done():
			}
		})
	}()
	for {
		select {
		case update := <-updates:
			update()
		case <-done:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
