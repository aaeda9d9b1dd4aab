package redact

import "fmt"

// FileCounts says how often something was replaced in a file.
type FileCounts struct {
	File   string
	Counts map[Kind]int
}

// Count returns how often secrets, or identities, were replaced.
func (t FileCounts) Count(secrets bool) int {
	sum := 0
	for kind, count := range t.Counts {
		if kind.IsSecret() == secrets {
			sum += count
		}
	}
	return sum
}

// FileCounts returns one for each file that was handed over.
func (r *Redactor) FileCounts() []FileCounts { return r.fileCounts }

// CountValues returns how many different values of a kind were replaced.
func (r *Redactor) CountValues(kind Kind) int { return len(r.numbers[kind]) }

// Meanings returns what the tokens of identities stand for. Those of secrets stand for nothing that anybody needs.
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
