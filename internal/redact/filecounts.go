package redact

import "fmt"

// FileCounts counts the replacements in a file.
type FileCounts struct {
	File   string
	Counts map[Kind]int
}

// Count returns the number of replaced secrets, or of replaced identities.
func (t FileCounts) Count(secrets bool) int {
	sum := 0
	for kind, count := range t.Counts {
		if kind.IsSecret() == secrets {
			sum += count
		}
	}
	return sum
}

// FileCounts returns the counts of each file that ForEach has passed on.
func (r *Redactor) FileCounts() []FileCounts { return r.fileCounts }

// CountValues returns the number of distinct values of a kind that were replaced.
func (r *Redactor) CountValues(kind Kind) int { return len(r.numbers[kind]) }

// Meanings returns the values of the tokens of identities, by token. Tokens of secrets are not included.
func (r *Redactor) Meanings() map[string]string {
	meanings := map[string]string{}
	for kind, values := range r.numbers {
		for value, number := range values {
			if !kind.IsSecret() {
				meanings[fmt.Sprintf("%s-%d", kind, number)] = value
			}
		}
	}
	return meanings
}
