package redact

import "fmt"

// Tally says how often something was replaced in a file.
type Tally struct {
	File   string
	Counts map[Kind]int
}

// Count returns how often secrets, or identities, were replaced.
func (t Tally) Count(secrets bool) int {
	sum := 0
	for kind, count := range t.Counts {
		if kind.Secret() == secrets {
			sum += count
		}
	}
	return sum
}

// Tallies returns one for each file that was handed over.
func (r *Redactor) Tallies() []Tally { return r.tallies }

// Values returns how many different values of a kind were replaced.
func (r *Redactor) Values(kind Kind) int { return len(r.numbers[kind]) }

// Meanings returns what the tokens of identities stand for. Those of secrets stand for nothing that anybody needs.
func (r *Redactor) Meanings() map[string]string {
	meanings := map[string]string{}
	for kind, values := range r.numbers {
		for value, number := range values {
			if !kind.Secret() {
				meanings[fmt.Sprintf("%s-%d", kind, number)] = value
			}
		}
	}
	return meanings
}
