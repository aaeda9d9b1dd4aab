package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Join joins the parts that are not empty.
func Join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" }), separator)
}

// Capitalize returns a text whose first letter is a capital.
func Capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Sentence adds a full stop, unless the text has one or ends with something to copy.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, ":") {
		return text
	}
	return text + "."
}

// Counts counts words. It keeps a given order of words; others follow by first occurrence.
type Counts struct {
	words  []string
	counts map[string]int
}

// NewCounts returns counts with the order of the usual words.
func NewCounts[word ~string](usual ...word) *Counts {
	c := &Counts{counts: map[string]int{}}
	for _, w := range usual {
		c.words = append(c.words, string(w))
	}
	return c
}

// Add counts a word.
func (c *Counts) Add(word string) {
	if !slices.Contains(c.words, word) {
		c.words = append(c.words, word)
	}
	c.counts[word]++
}

// Of returns how often a word was counted.
func (c *Counts) Of(word string) int { return c.counts[word] }

// Total returns the number of all words.
func (c *Counts) Total() int {
	sum := 0
	for _, n := range c.counts {
		sum += n
	}
	return sum
}

// String returns e.g. "3 ready, 1 waiting".
func (c *Counts) String() string {
	var counted []string
	for _, word := range c.words {
		if n := c.counts[word]; n > 0 {
			counted = append(counted, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(counted, ", ")
}
