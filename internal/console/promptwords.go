package console

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

// say tells a sentence on a line of its own.
func (c *conversation) say(format string, args ...any) {
	fmt.Fprintln(c.Out, plainly(Clean(fmt.Sprintf(format, args...))))
}

func (c *conversation) sayAll(sentences []string) {
	for _, sentence := range sentences {
		c.say("%s", sentence)
	}
}

// pause sets what follows apart from what was told.
func (c *conversation) pause() { fmt.Fprintln(c.Out) }

// sayError tells a failure and what to do about it.
func (c *conversation) sayError(what string, err error) {
	c.say("%s: %s", what, sentence(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		c.say("What to do: %s", sentence(hint))
	}
}

// plainly writes punctuation as any terminal and any voice knows it.
func plainly(text string) string {
	return strings.NewReplacer("…", "...", "–", "-", "—", "-", "·", ",", "×", "x", "“", `"`, "”", `"`, "’", "'", "→", "to",
		"≥", "at least ", "≤", "at most ", "✓", "ok", "✗", "failed").Replace(text)
}

// sentence ends a text with a full stop, unless it ends by itself or with what may be copied.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, ":") {
		return text
	}
	return text + "."
}

// repeatable is how much of what was typed is repeated at most.
const repeatable = 40

// quoted repeats what was typed, unless it is long: then it may be a secret in the wrong place.
func quoted(text string) string {
	if len(text) > repeatable {
		return "that"
	}
	return strconv.Quote(text)
}

// faultSentence tells a fault: what is wrong, what would be right, what was probably meant.
func faultSentence(title string, f wizard.Fault) string {
	separator := ": "
	if title == "" {
		separator = ""
	}
	for _, verb := range []string{"is ", "holds ", "names ", "cannot "} {
		if strings.HasPrefix(f.Problem, verb) {
			separator = " "
		}
	}
	words := sentence(title + separator + f.Problem)
	if example, isExample := strings.CutPrefix(f.Allowed, "e.g. "); isExample {
		words += " An example: " + example
	} else if f.Allowed != "" {
		words += " Allowed: " + sentence(f.Allowed)
	}
	if f.Suggestion != "" {
		words += " Did you mean " + f.Suggestion + "?"
	}
	if f.Hint != "" {
		words += " What to do: " + sentence(f.Hint)
	}
	return words
}

// abridged shows the beginning and the end of a long value.
func abridged(value string) string {
	const most, part = 70, 30
	letters := []rune(value)
	if len(letters) <= most {
		return value
	}
	return string(letters[:part]) + "..." + string(letters[len(letters)-part:])
}

// list tells numbered choices, a line each.
func (c *conversation) list(choices []wizard.Choice) { c.sayAll(numbered(choices)) }

func numbered(choices []wizard.Choice) []string {
	lines := make([]string, len(choices))
	for i, choice := range choices {
		lines[i] = fmt.Sprintf("%d. %s", i+1, parts(": ", choice.Value, sentence(choice.Note)))
	}
	return lines
}

// picked returns the place of the choice that a number or a value means, or -1.
func picked(choices []wizard.Choice, text string) int {
	for i, choice := range choices {
		if strings.EqualFold(choice.Value, text) {
			return i
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return n - 1
	}
	return -1
}
