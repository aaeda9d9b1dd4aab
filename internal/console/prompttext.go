package console

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/fault"
	"exoshift/wizard"
)

// printLine tells a sentence on a line of its own.
func (c *promptSession) printLine(format string, args ...any) {
	fmt.Fprintln(c.Out, toASCII(SanitizeLine(fmt.Sprintf(format, args...))))
}

func (c *promptSession) printLines(sentences []string) {
	for _, sentence := range sentences {
		c.printLine("%s", sentence)
	}
}

// printBlank sets what follows apart from what was told.
func (c *promptSession) printBlank() { fmt.Fprintln(c.Out) }

// printError tells a failure and what to do about it.
func (c *promptSession) printError(what string, err error) {
	c.printLine("%s: %s", what, formatSentence(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		c.printLine("What to do: %s", formatSentence(hint))
	}
}

// toASCII writes punctuation as any terminal and any voice knows it.
func toASCII(text string) string {
	return strings.NewReplacer("…", "...", "–", "-", "—", "-", "·", ",", "×", "x", "“", `"`, "”", `"`, "’", "'", "→", "to",
		"≥", "at least ", "≤", "at most ", "✓", "ok", "✗", "failed").Replace(text)
}

// formatSentence ends a text with a full stop, unless it ends by itself or with what may be copied.
func formatSentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, ":") {
		return text
	}
	return text + "."
}

// maxQuoted is how much of what was typed is repeated at most.
const maxQuoted = 40

// quoteInput repeats what was typed, unless it is long: then it may be a secret in the wrong place.
func quoteInput(text string) string {
	if len(text) > maxQuoted {
		return "that"
	}
	return strconv.Quote(text)
}

// formatProblem tells a fault: what is wrong, what would be right, what was probably meant.
func formatProblem(title string, f wizard.Problem) string {
	separator := ": "
	if title == "" {
		separator = ""
	}
	for _, verb := range []string{"is ", "holds ", "names ", "cannot "} {
		if strings.HasPrefix(f.Message, verb) {
			separator = " "
		}
	}
	words := formatSentence(title + separator + f.Message)
	if example, isExample := strings.CutPrefix(f.Allowed, "e.g. "); isExample {
		words += " An example: " + example
	} else if f.Allowed != "" {
		words += " Allowed: " + formatSentence(f.Allowed)
	}
	if f.Suggestion != "" {
		words += " Did you mean " + f.Suggestion + "?"
	}
	if f.Hint != "" {
		words += " What to do: " + formatSentence(f.Hint)
	}
	return words
}

// truncateMiddle shows the beginning and the end of a long value.
func truncateMiddle(value string) string {
	const most, part = 70, 30
	letters := []rune(value)
	if len(letters) <= most {
		return value
	}
	return string(letters[:part]) + "..." + string(letters[len(letters)-part:])
}

// printChoices tells numbered choices, a line each.
func (c *promptSession) printChoices(choices []wizard.Choice) { c.printLines(formatNumbered(choices)) }

func formatNumbered(choices []wizard.Choice) []string {
	lines := make([]string, len(choices))
	for i, choice := range choices {
		lines[i] = fmt.Sprintf("%d. %s", i+1, joinNonEmpty(": ", choice.Value, formatSentence(choice.Note)))
	}
	return lines
}

// findChoice returns the place of the choice that a number or a value means, or -1.
func findChoice(choices []wizard.Choice, text string) int {
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
