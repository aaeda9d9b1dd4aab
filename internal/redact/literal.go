package redact

import "strings"

// shortest is how long a secret must be to be looked for: shorter ones would be found everywhere.
const shortest = 6

// literal is a text to look for, and what it means.
type literal struct {
	text  string
	kind  Kind
	value string
}

// literalSet find many texts in one pass: by their first two bytes, then by their first six.
type literalSet struct {
	pairs  [1 << 16]bool
	begins map[[shortest]byte][]literal
}

func newLiteralSet() *literalSet { return &literalSet{begins: map[[shortest]byte][]literal{}} }

func (n *literalSet) add(text string, kind Kind, value string) {
	if len(text) < shortest {
		return
	}
	begin := [shortest]byte([]byte(text))
	for _, known := range n.begins[begin] {
		if known.text == text {
			return
		}
	}
	n.pairs[int(text[0])<<8|int(text[1])] = true
	n.begins[begin] = append(n.begins[begin], literal{text, kind, value})
}

// find returns where the needles are: at each place the longest one.
func (n *literalSet) find(content []byte) []span {
	var found []span
	ended := 0
	for at := 0; at+shortest <= len(content); at++ {
		if !n.pairs[int(content[at])<<8|int(content[at+1])] {
			continue
		}
		if here, ok := n.matchAt(content[at:]); ok && at+len(here.text) > ended {
			ended = at + len(here.text)
			found = append(found, span{at, ended, here.kind, here.value})
		}
	}
	return found
}

func (n *literalSet) matchAt(content []byte) (longest literal, found bool) {
	for _, candidate := range n.begins[[shortest]byte(content)] {
		if len(candidate.text) > len(longest.text) && len(candidate.text) <= len(content) &&
			candidate.text == string(content[:len(candidate.text)]) {
			longest, found = candidate, true
		}
	}
	return longest, found
}

// isSearchable tells whether a text that stands where a secret would is one to be looked for elsewhere: words of ordinary
// language and names of objects are not.
func isSearchable(text string) bool {
	return len(text) >= 8 && strings.IndexFunc(text, isUnusual) >= 0
}

// isUnusual tells whether a character is more often in secrets than in words and names.
func isUnusual(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && !strings.ContainsRune("-_./: ", r)
}
